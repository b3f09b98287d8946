"""Evaluates every algorithm of the catalogue by RFC 9743, quick by default, and publishes the league.

`python -m verification.league --full` evaluates all as published; a key, such as `controller-bbr3`, stands
for one. `--publish` renews the pages of the documentation; it requires full runs, so that all rows of the
table are of one kind. Finished runs are kept in `results/league/store`, from which a stopped command
continues.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from ackclock import provenance
from ackclock.evaluation.criteria import CRITERIA
from ackclock.evaluation.evaluate import DEFAULT_AGAINST, evaluate
from ackclock.evaluation.plan import EvaluationInterrupted
from verification.comparisons.publication import write_rows
from verification.league.contenders import Contender, contenders
from verification.league.document import as_document, table, write

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "results" / "league"
PUBLISHED = ROOT / "published" / "evaluation" / "league"


def main(arguments: Sequence[str]) -> int:
    """Returns 0, or 130 if Ctrl-C ended the program."""
    known = {contender.key: contender for contender in contenders()}
    chosen = _parsed(arguments, known)
    provenance.git_commit()  # before the published files change
    folder = PUBLISHED if chosen.publish else chosen.folder
    quick = not (chosen.full or chosen.publish)
    for key in chosen.contenders or known:
        begun = time.monotonic()
        contender = known[key]
        try:
            done = evaluate(
                contender.algorithm,
                chosen.folder / "store",
                against=DEFAULT_AGAINST,
                only=[each.key for each in CRITERIA if each.key not in contender.left_out],
                quick=quick,
                workers=chosen.workers,
            )
        except EvaluationInterrupted as interrupt:
            print(f"{interrupt}; the same command goes on from there", file=sys.stderr)
            return 130
        write(folder, key, as_document(contender, done), quick=quick)
        print(f"{key} {done.new_runs} runs, {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)
    write_rows(table(folder), folder / "table.csv")
    print(f"The league: {folder}")
    return 0


def _parsed(arguments: Sequence[str], known: Mapping[str, Contender]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m verification.league", description=__doc__)
    parser.add_argument(
        "contenders", nargs="*", metavar="contender", help="keys, such as controller-bbr3; all if none"
    )
    parser.add_argument(
        "--full", action="store_true", help="ten seeds and all settings: two minutes for each"
    )
    parser.add_argument("--folder", type=Path, default=RESULTS, help="where the store and documents go")
    parser.add_argument("--workers", type=int, help="how many runs at once; as many as processors otherwise")
    parser.add_argument("--publish", action="store_true", help="renew what the documentation shows; full")
    chosen = parser.parse_args(arguments)
    for key in chosen.contenders:
        if key not in known:
            parser.error(f"no contender is called {key}; there are {', '.join(known)}")
    return chosen


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
