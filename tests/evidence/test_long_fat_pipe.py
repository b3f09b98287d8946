"""The long fat pipe: every algorithm is on it, and choices follow from their rule."""

import csv
import re

import polars as pl
import pytest

import ackclock
from ackclock.sweeps.plan import load_plan
from verification.comparisons.long_fat_pipe.__main__ import (
    MAPS,
    PLANS,
    REPOSITORY,
    choices,
    judged,
    ranked,
    recoveries,
    weights,
)
from verification.comparisons.publication import folder

PAGE = (REPOSITORY / "docs" / "comparisons" / "long-fat-pipe.md").read_text(encoding="utf-8")
NOT_ON_THE_PATH = {
    *("dctcp", "prague", "subpacket", "vegas", "copa"),
    *("bic-linux", "cubic-linux", "htcp-linux", "scalable-linux", "vegas-linux"),
    *("illinois-linux", "lp-linux", "veno-linux"),
    *("lp", "ledbat", "ledbat-plus-plus", "veno", "hybla", "illinois", "yeah"),
    *("adaptive", "gallop-vegas", "smooth", "sctp", "xcp", "cdg", "c4", "vivace", "allegro"),
    "vivace-linux",
}
"""Algorithms that need marks, small windows or few packets queued, Linux readings, those of low priority, and
those that came after the runs: the page says so."""


def runs(**use_and_fairness: tuple[list[float], list[float]]) -> pl.DataFrame:
    """One cell of four flows, a seed per value."""
    return judged(
        pl.DataFrame(
            [
                {
                    "flows and buffer": "4 flows, 25 %",
                    "loss rate": "1e-05",
                    "label": label,
                    "seed": seed,
                    "utilisation": use,
                    "fairness": fairness,
                }
                for label, values in use_and_fairness.items()
                for seed, (use, fairness) in enumerate(zip(*values, strict=True))
            ]
        )
    )


def test_every_algorithm_of_the_registry_is_on_the_path_or_said_not_to_be() -> None:
    here = set(load_plan(PLANS / "plan.toml").algorithms)
    known = {entry.name for entry in ackclock.list_algorithms() if entry.kind in ("avoidance", "controller")}
    assert here == known - NOT_ON_THE_PATH
    assert set(load_plan(PLANS / "recoveries.toml").algorithms) == here
    left_out = next(part for part in PAGE.split("\n\n") if part.startswith("These algorithms are not part"))
    assert set(re.findall(r"`([\w-]+)`", left_out)) == NOT_ON_THE_PATH


def test_all_plans_have_the_same_path_and_seeds() -> None:
    plans = [load_plan(PLANS / f"{name}.toml") for name in MAPS]
    assert {plan.seeds for plan in plans} == {plans[0].seeds}
    whole = {(tuple(point.values.values()), point.scenario.to_toml()) for point in plans[0].points}
    again = {(tuple(point.values.values()), point.scenario.to_toml()) for point in plans[2].points}
    assert again < whole


def test_a_link_full_of_one_flow_is_worth_its_part_of_the_flows() -> None:
    """One of four has everything: an index of 1/4. So half the link shared equally is worth more."""
    cell = runs(greedy=([1.0] * 5, [0.25] * 5), fair=([0.5] * 5, [1.0] * 5))
    heading, row = choices(cell, shared=True)
    said = dict(zip(heading, row, strict=True))
    assert said["best"] == "`fair`"
    assert said["use × fairness, %"] == "50.0 ± 0.0"
    assert said["not told apart from it"] == "–"
    assert said["loss rate"] == "1e-5"
    assert weights(cell)[1] == ["25 %", "1e-5", "`greedy`", "`greedy`, `fair`", "`fair`", "`fair`"]


def test_what_differs_by_chance_is_not_told_apart() -> None:
    """Of three with lower means: one differs by chance, one by a little in each seed, one by much in each."""
    cell = runs(
        best=([0.90, 0.92, 0.94, 0.91, 0.93], [1.0] * 5),
        chance=([0.99, 0.70, 0.99, 0.75, 0.99], [1.0] * 5),
        nearly=([0.895, 0.915, 0.935, 0.905, 0.925], [1.0] * 5),
        worse=([0.87, 0.89, 0.91, 0.88, 0.90], [1.0] * 5),
        equal=([0.93, 0.91, 0.94, 0.92, 0.899], [1.0] * 5),
    )
    found = ranked(cell, "utilisation")
    assert found.best == ["best", "equal"]
    assert found.alike == ["chance", "nearly"]


def test_what_rack_adds_is_counted_seed_by_seed() -> None:
    """Seeds scatter by 20 %, the difference is 5 % in each: its interval has no width."""
    heading, row = recoveries(
        runs(bic=([0.6, 0.8, 0.7], [0.5] * 3)), runs(bic=([0.65, 0.85, 0.75], [0.6, 0.5, 0.4]))
    )
    said = dict(zip(heading, row, strict=True))
    assert said["use, %, gained"] == "+5.0 ± 0.0"
    assert said["Jain's index, gained"] == "+0.00 ± 0.25"


@pytest.mark.parametrize("file", ["choice-one.csv", "choice-four.csv", "weights.csv"])
def test_tables_on_the_page_have_every_cell(file: str) -> None:
    with (folder("long-fat-pipe") / file).open(encoding="utf-8", newline="") as opened:
        rows = list(csv.DictReader(opened))
    cells = [(row["buffer"], row["loss rate"]) for row in rows]
    assert len(set(cells)) == len(cells) == 12
    assert f"long-fat-pipe/{file}" in PAGE
