"""Algorithms over paths: what is run, the rule of the recommendation, and what is published."""

import csv
from pathlib import Path

import pytest

from verification.comparisons.which_algorithm import runs
from verification.comparisons.which_algorithm.__main__ import PUBLISHED, counts, ordered, table
from verification.comparisons.which_algorithm.maps import MAPS, draw
from verification.comparisons.which_algorithm.recommendation import recommended
from verification.comparisons.which_algorithm.runs import Measured


def row(
    name: str, goodput: float, delay: float, beside: float, cubic: float, spread: float = 0.01
) -> Measured:
    values = {"goodput": goodput, "delay": delay, "beside": beside, "cubic": cubic}
    return Measured(
        "path",
        name,
        {key: (value, value * (1 + spread), value * (1 - spread)) for key, value in values.items()},
    )


def cells(*rows: Measured) -> runs.Cells:
    return {("path", each.algorithm): each for each in rows}


CUBIC = row("cubic", 10, 100, 5, 5)


def test_the_rule_takes_the_least_delay_of_those_with_enough() -> None:
    starving, greedy, slow = (
        row("starving", 10, 1, 1, 9),
        row("greedy", 10, 1, 8, 2),
        row("slow", 8.9, 1, 5, 5),
    )
    good = row("good", 9.1, 20, 4, 6)
    found = cells(CUBIC, starving, greedy, slow, good)
    chosen = recommended(found, "path", [name for _, name in found])
    assert chosen.best is good
    assert chosen.alike == ()
    assert "`good`" in chosen.sentence()
    assert "9.10 ± 0.23 Mbit/s alone" in chosen.sentence()


def test_without_any_that_meets_it_the_rule_says_none() -> None:
    greedy = row("greedy", 20, 1, 8, 2)
    chosen = recommended(cells(CUBIC, greedy), "path", ["cubic", "greedy"])
    assert chosen.best is None
    assert "none" in chosen.sentence()


def test_those_whose_delay_the_seeds_do_not_tell_apart_are_named() -> None:
    first = row("first", 10, 20, 5, 5)
    noisy = Measured("path", "noisy", {**first.values, "delay": (10.0, 40.0, 11.0)})
    chosen = recommended(cells(CUBIC, first, noisy), "path", ["cubic", "first", "noisy"])
    assert chosen.best is not None
    assert [each.algorithm for each in chosen.alike] == ["noisy"]
    assert counts([chosen], ["first", "noisy"]) == [
        ["algorithm", "first on", "not told from the first on"],
        ["first", "path", "–"],
        ["noisy", "–", "path"],
    ]


def test_every_path_runs_alone_and_beside_cubic(tmp_path: Path) -> None:
    assert len(runs.paths()) >= 9
    assert {"cubic", "bbr3", "tahoe", "tfrc", "copa"} <= set(runs.algorithms())
    paths, names = ["dsl", runs.DATA_CENTRE], ["cubic", "vegas"]
    found = runs.measured(tmp_path, paths, names, 2)
    again = runs.measured(tmp_path, paths, names, 2)
    assert found == again
    dsl = found["dsl", "vegas"]
    assert dsl.mean("goodput") == pytest.approx(15.6, abs=0.5)
    assert dsl.mean("delay") < found["dsl", "cubic"].mean("delay") / 4
    assert found["dsl", "cubic"].share == pytest.approx(0.5, abs=0.1)
    assert found[runs.DATA_CENTRE, "cubic"].mean("goodput") > 8000
    assert set(ordered(found, paths, names)) == set(names)
    assert len(table(found, paths, names)) == 5
    for measure in MAPS:
        texts = [text.get_text() for text in draw(found, measure, paths, names).axes[0].texts]
        assert len(texts) == 4


def test_what_is_published_is_of_these_paths_and_algorithms() -> None:
    with (PUBLISHED / "table.csv").open(encoding="utf-8", newline="") as file:
        _, *rows = csv.reader(file)
    assert {path for path, *_ in rows} == set(runs.paths())
    assert {name for _, name, *_ in rows} == set(runs.algorithms())
    text = (PUBLISHED / "recommendation.md").read_text(encoding="utf-8")
    assert all(f"**{path}**" in text for path in runs.paths())
