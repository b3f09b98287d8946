"""Which algorithm for which path: every end-to-end algorithm on every typical path.

`python -m verification.comparisons.which_algorithm` runs all of them, alone and with a CUBIC flow, and prints
the recommendations; `--publish` renews the maps and tables that the documentation shows. Finished runs are
kept, so that an interrupted command resumes.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from ackclock.provenance import command_line
from ackclock.report.figures import image
from verification.comparisons.publication import ROOT, Rows, folder, made, parser, publish
from verification.comparisons.which_algorithm import runs
from verification.comparisons.which_algorithm.maps import MAPS, draw
from verification.comparisons.which_algorithm.recommendation import Recommendation, recommended, written

NAME = "which-algorithm"
PUBLISHED = folder(NAME)
STORE = ROOT / "results" / "which-algorithm"
SEEDS = 5


def ordered(cells: runs.Cells, paths: Sequence[str], algorithms: Sequence[str]) -> list[str]:
    """The algorithms by their mean share of the greatest goodput, over all paths."""
    greatest = {path: max(cells[path, name].mean("goodput") for name in algorithms) for path in paths}

    def share(name: str) -> float:
        return sum(cells[path, name].mean("goodput") / greatest[path] for path in paths)

    return sorted(algorithms, key=share, reverse=True)


def table(cells: runs.Cells, paths: Sequence[str], algorithms: Sequence[str]) -> Rows:
    """A row per path and algorithm."""
    rows = [["path", "algorithm", *runs.MEASURES.values()]]
    for path in paths:
        for name in algorithms:
            cell = cells[path, name]
            rows.append([path, name, *(written(cell.interval(measure)) for measure in runs.MEASURES)])
    return rows


def counts(found: Sequence[Recommendation], algorithms: Sequence[str]) -> Rows:
    """A row per algorithm that is recommended anywhere, or indistinguishable from one that is."""
    rows = [["algorithm", "first on", "not told from the first on"]]
    for name in algorithms:
        first = [each.path for each in found if each.best and each.best.algorithm == name]
        alike = [each.path for each in found if name in (other.algorithm for other in each.alike)]
        if first or alike:
            rows.append([name, ", ".join(first) or "–", ", ".join(alike) or "–"])
    return rows


def main(arguments: Sequence[str]) -> int:
    """Prints the recommendations, and publishes maps and tables if asked."""
    arguments_of = parser("which_algorithm", __doc__)
    arguments_of.add_argument("--seeds", type=int, default=SEEDS, help="seeds of each run (%(default)s)")
    arguments_of.add_argument("--store", type=Path, default=STORE, help="where finished runs are kept")
    chosen = arguments_of.parse_args(arguments)
    paths, algorithms = runs.paths(), runs.algorithms()
    cells = runs.measured(chosen.store, paths, algorithms, chosen.seeds)
    algorithms = ordered(cells, paths, algorithms)
    found = [recommended(cells, path, algorithms) for path in paths]
    sentences = "\n".join(f"- {each.sentence()}" for each in found) + "\n"
    print(sentences)
    if chosen.publish:
        publish(NAME, {"table": table(cells, paths, algorithms), "counts": counts(found, algorithms)})
        (PUBLISHED / "recommendation.md").write_text(sentences, encoding="utf-8")
        for measure, (title, _, _) in MAPS.items():
            about = {"Title": title, "Description": f"{made()}; {command_line()}"}
            drawn = draw(cells, measure, paths, algorithms)
            (PUBLISHED / f"{measure}.json").write_bytes(image(drawn, "json", about))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
