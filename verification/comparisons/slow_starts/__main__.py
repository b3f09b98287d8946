"""A race of slow starts: which one to ship where.

`python -m verification.comparisons.slow_starts` runs every slow start on two hundred drawn paths and prints
the recommendations; `--publish` renews the tables and figures that the documentation shows. Finished runs
are kept, so that an interrupted command resumes.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path as Folder

from ackclock.provenance import command_line
from ackclock.report.figures import image
from verification.comparisons.publication import ROOT, folder, made, parser, print_rows, publish
from verification.comparisons.slow_starts import tables
from verification.comparisons.slow_starts.figures import by_group, by_transfer
from verification.comparisons.slow_starts.judged import FILES, confidence, judged, times
from verification.comparisons.slow_starts.paths import GROUPS, PATHS, drawn, members
from verification.comparisons.slow_starts.runs import STARTS, measured

NAME = "slow-starts"
PUBLISHED = folder(NAME)
STORE = ROOT / "results" / NAME


def main(arguments: Sequence[str]) -> int:
    """Prints the tables, and publishes them with the figures if asked."""
    asked = parser("slow_starts", __doc__)
    asked.add_argument("--paths", type=int, default=PATHS, help="the number of paths (%(default)s)")
    asked.add_argument("--store", type=Folder, default=STORE, help="where finished runs are kept")
    chosen = asked.parse_args(arguments)
    paths, starts = [drawn(number) for number in range(chosen.paths)], list(STARTS)
    cells = measured(chosen.store, paths, starts)
    chosen_groups = {name: members(name, paths) for name in GROUPS}
    found = [judged(name, cells, mine, starts) for name, mine in chosen_groups.items() if len(mine) > 1]
    complete = {
        "speeds": tables.speeds(cells, paths, starts),
        "costs": tables.costs(cells, paths, starts),
        "groups": tables.groups(found),
    }
    for rows in complete.values():
        print_rows(rows)
    print(tables.sentences(found))
    if chosen.publish:
        publish(NAME, complete | {"paths": tables.drawn_paths(paths)})
        (PUBLISHED / "recommendation.md").write_text(tables.sentences(found), encoding="utf-8")
        sure = confidence(starts)
        quotients = {
            (start, each): times(cells, paths, start, each, sure) for start in starts for each in FILES
        }
        for name, title, figure in (
            ("times", "Times of transfers by slow start", by_transfer(quotients, starts)),
            ("groups", "Times by group of paths", by_group(found, starts)),
        ):
            about = {"Title": title, "Description": f"{made()}; {command_line()}"}
            (PUBLISHED / f"{name}.json").write_bytes(image(figure, "json", about))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
