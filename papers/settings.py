"""Searches the settings that a paper leaves open: its statements under each point of plans/settings.toml.

    python -m papers.settings sub-packet

Each pair of points is a quick run of the paper, kept in results/settings/<key>/, so that a repeated command
goes on. The table, published/papers/<key>/settings.csv, has a row for each point: its levels, and how many
statements of the paper are reproduced there. The plan holds the rule that chooses one.

A paper that can be searched has `SEARCHED`, the parts to run, and `use(points)`, which sets two points in the
place of its two ways and returns their names.
"""

from __future__ import annotations

import csv
import itertools
import json
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

from ackclock import papers
from ackclock.papers import VERDICTS, Context, Paper, judge, load_measure, statements

ROOT = Path(__file__).resolve().parents[1]
Point = dict[str, str]


def main() -> None:
    """Searches the paper named on the command line."""
    paper = papers.load_paper(sys.argv[1])
    found = [(point, _kept(paper, pair)[place]) for pair in _pairs(paper) for place, point in enumerate(pair)]
    _write(ROOT / "published" / "papers" / paper.key / "settings.csv", found)


def points(paper: Paper) -> list[Point]:
    """All combinations of the levels of the plan, in order."""
    plan = tomllib.loads((paper.folder / "plans" / "settings.toml").read_text(encoding="utf-8"))
    factors = plan["cases"]
    return [dict(zip(factors, levels, strict=True)) for levels in itertools.product(*factors.values())]


def _pairs(paper: Paper) -> list[tuple[Point, ...]]:
    found = points(paper)
    return [tuple(found[place : place + 2]) for place in range(0, len(found), 2)]


def _kept(paper: Paper, pair: tuple[Point, ...]) -> list[Mapping[str, str]]:
    """The verdict on each statement, by point: of an earlier run, or of one now."""
    name = "; ".join(", ".join(point.values()) for point in pair)
    file = ROOT / "results" / "settings" / paper.key / f"{name}.json"
    if not file.is_file():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(_run(paper, pair), indent=1), encoding="utf-8")
    found: list[Mapping[str, str]] = json.loads(file.read_text(encoding="utf-8"))
    return found


def _run(paper: Paper, pair: tuple[Point, ...]) -> list[dict[str, str]]:
    """A quick run under two points."""
    module = load_measure(paper.folder)
    names = module.use(pair)
    measured = module.measure(Context(paper, quick=True, parts=module.SEARCHED))
    found = []
    for name in names:
        verdicts = [
            judge(claim, measured[claim.id])
            for claim in paper.claims
            if claim.id in measured and claim.id.endswith(f"-{name}")
        ]
        found.append({one.id: one.verdict for one in statements(verdicts) if one.counts})
    return found


def _write(file: Path, found: list[tuple[Point, Mapping[str, str]]]) -> None:
    counts = [sum(verdict == VERDICTS[0] for verdict in verdicts.values()) for _, verdicts in found]
    with file.open("w", encoding="utf-8", newline="") as opened:
        writer = csv.writer(opened, lineterminator="\n")
        writer.writerow([*found[0][0], "reproduced", "of", "statements"])
        for (point, verdicts), count in zip(found, counts, strict=True):
            names = " ".join(name for name, verdict in verdicts.items() if verdict == VERDICTS[0])
            writer.writerow([*point.values(), count, len(verdicts), names])


if __name__ == "__main__":
    main()
