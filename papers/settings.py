"""Searches the settings that a paper leaves open: its statements under each point of plans/settings*.toml.

    python -m papers.settings sub-packet
    python -m papers.settings burst-tcp settings-survey

Each point is a quick run of the paper, kept in results/settings/<key>/, so that a repeated command goes on.
The table, published/papers/<key>/settings.csv, has a row for each point: its levels, and how many statements
of the paper are reproduced there. The plan holds the rule that chooses one; `ackclock.papers.searched`
applies it. A fraction of all combinations is preceded by the point of the first levels. A paper of which some
parts leave other settings open than others has a plan and a table for each, `settings-<name>`; the second
command above runs one of them.

A paper that can be searched has `SEARCHED`, the parts to run (of several plans, by their names), and
`use(points, settings)`, which sets points, by the levels of their factors and by the settings of the plan,
and returns the endings of the claims that each of them has: one point at a time, or `AT_ONCE` of them.
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ackclock import load_plan, papers
from ackclock.papers import VERDICTS, Context, Paper, judge, load_measure, searched, statements

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Point:
    """A combination of levels, and what they change in a scenario."""

    levels: Mapping[str, str]
    settings: Mapping[str, object]


def main() -> None:
    """Searches the paper named on the command line, by all of its plans or by those that are named."""
    paper = papers.load_paper(sys.argv[1])
    for plan in sys.argv[2:] or plans(paper):
        _search(paper, plan)


def plans(paper: Paper) -> list[str]:
    """The names of its plans of settings."""
    return sorted(file.stem for file in (paper.folder / "plans").glob("settings*.toml"))


def _search(paper: Paper, plan: str) -> None:
    at_once = getattr(load_measure(paper.folder), "AT_ONCE", 1)
    found: list[tuple[Point, Mapping[str, str]]] = []
    every = points(paper, plan)
    for begin in range(0, len(every), at_once):
        together = every[begin : begin + at_once]
        found += zip(together, _kept(paper, plan, together), strict=True)
    file = ROOT / "published" / "papers" / paper.key / f"{plan}.csv"
    _write(file, found)
    print(f"{plan} chosen: {', '.join(searched.read(file).chosen.levels.values())}")


def points(paper: Paper, name: str = "settings") -> list[Point]:
    """The points of a plan; before a fraction that lacks it, the point of the first levels."""
    plan = load_plan(paper.folder / "plans" / f"{name}.toml")
    levels = {axis.name: {str(value): given for value, given in axis.values} for axis in plan.axes}
    first = {name: next(iter(values)) for name, values in levels.items()}
    wanted = [{name: str(value) for name, value in point.values.items()} for point in plan.points]
    if first not in wanted:
        wanted.insert(0, first)
    return [Point(point, _joined(levels[name][level] for name, level in point.items())) for point in wanted]


def _joined(settings: Iterable[Mapping[str, object]]) -> dict[str, object]:
    return {path: value for given in settings for path, value in given.items()}


def _kept(paper: Paper, plan: str, together: Sequence[Point]) -> list[Mapping[str, str]]:
    """The verdict on each statement, by point: of an earlier run, or of one now."""
    name = "; ".join(", ".join(point.levels.values()) for point in together).replace("/", " per ")
    file = ROOT / "results" / "settings" / paper.key / f"{name}.json"
    if not file.is_file():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(_run(paper, plan, together), indent=1), encoding="utf-8")
    found: list[Mapping[str, str]] = json.loads(file.read_text(encoding="utf-8"))
    return found


def _run(paper: Paper, plan: str, together: Sequence[Point]) -> list[dict[str, str]]:
    """A quick run under some points."""
    module = load_measure(paper.folder)
    endings = module.use([point.levels for point in together], [point.settings for point in together])
    parts = module.SEARCHED[plan] if isinstance(module.SEARCHED, Mapping) else module.SEARCHED
    measured = module.measure(Context(paper, quick=True, workers=1, parts=parts))
    found = []
    for ending in endings:
        verdicts = [
            judge(claim, measured[claim.id])
            for claim in paper.claims
            if claim.id in measured and claim.id.endswith(ending)
        ]
        found.append({one.id: one.verdict for one in statements(verdicts) if one.counts})
    return found


def _write(file: Path, found: Sequence[tuple[Point, Mapping[str, str]]]) -> None:
    with file.open("w", encoding="utf-8", newline="") as opened:
        writer = csv.writer(opened, lineterminator="\n")
        writer.writerow([*found[0][0].levels, *searched.COLUMNS])
        for point, verdicts in found:
            names = [name for name, verdict in verdicts.items() if verdict == VERDICTS[0]]
            writer.writerow([*point.levels.values(), len(names), len(verdicts), " ".join(names)])


if __name__ == "__main__":
    main()
