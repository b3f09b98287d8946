"""The race of slow starts: what is drawn and run, the rule of the recommendation, and what is published."""

import csv
import math
from dataclasses import replace
from pathlib import Path as Folder

import pytest

from ackclock.scenarios.catalogue import list_entries
from verification.comparisons.slow_starts import figures, paths, runs, tables
from verification.comparisons.slow_starts.__main__ import PUBLISHED
from verification.comparisons.slow_starts.judged import BASE, FILES, confidence, exits, harms, judged, times
from verification.comparisons.slow_starts.paths import GROUPS, PATHS, Path, drawn, members

ALL = [drawn(number) for number in range(PATHS)]
QUIET = Path(0, "wired", 12.0, 100.0, 1.0, 1.0, "droptail", 0.0, 0, web=False)
CROWDED = Path(1, "wired", 12.0, 100.0, 1.0, 1.0, "droptail", 0.0, 1, web=False)


def test_paths_are_drawn_the_same_each_time_and_meet_everything() -> None:
    assert [drawn(number) for number in range(PATHS)] == ALL
    assert {path.kind for path in ALL} == {"wired", *paths.RADIO}
    for group in GROUPS:
        assert len(members(group, ALL)) >= 10, group
    assert QUIET.pipe_packets == 100
    assert CROWDED.share == 0.5


def test_every_slow_start_raced_is_registered() -> None:
    registered = {entry.name for entry in list_entries("algorithms") if entry.kind == "slow start"}
    raced = {spec.partition("(")[0] for spec in runs.STARTS.values() if spec}
    assert raced <= registered
    assert {"standard", "hystart", "hystart-linux", "search", "rapid-start", "careful-resume"} <= raced


def test_a_run_measures_the_newcomer(tmp_path: Folder) -> None:
    """12 Mbit/s and 100 ms: a pipe of 100 packets, and a buffer of as many.

    Ten packets and doublings (10, 20, 40, 80) fill it after three round trips; standard slow start goes on
    until the buffer overflows. 691 packets of 1500 bytes take at least 0.69 s at the rate.
    """
    starts = [BASE, "byte counting"]
    found = runs.measured(tmp_path, [QUIET], starts)
    again = runs.measured(tmp_path, [QUIET], starts)
    assert {place: each["time_s"] for place, each in again.items()} == {
        place: each["time_s"] for place, each in found.items()
    }
    long = found[0, "byte counting", "long"]
    assert 0.3 < long["filled_s"] < 0.9
    assert long["lost_before"] > 20
    assert found[0, BASE, "long"]["lost_before"] < long["lost_before"]
    assert 0.69 < found[0, BASE, "1 MB"]["time_s"] < 2
    assert 0.2 < found[0, BASE, "10 kB"]["time_s"] < 0.4
    assert math.isnan(found[0, BASE, "1 MB"]["filled_s"])


def row(time: float = 1.0, **changes: float) -> dict[str, float]:
    """The measures of a run."""
    usual = {"time_s": time, "sent": 1000.0, "lost": 10.0, "rival_bit_per_s": 1e6, "rival_sent": 1000.0}
    usual |= {"rival_lost": 10.0, "web_s": math.nan, "filled_s": 1.0, "left_s": 1.0, "lost_before": 0.0}
    return usual | changes


def cells(**starts: list[dict[str, float]]) -> runs.Cells:
    """The same measures for every transfer, by start: a row per path."""
    return {
        (number, name.replace("_", "-"), transfer): found
        for name, rows in starts.items()
        for number, found in enumerate(rows)
        for transfer in runs.TRANSFERS
    }


CROWD = [Path(number, "wired", 12.0, 100.0, 1.0, 1.0, "droptail", 0.0, 1, web=False) for number in range(3)]


def test_the_rule_takes_the_fastest_that_neither_loses_nor_harms_more() -> None:
    found = cells(
        hystart_linux=[row()] * 3,
        losing=[row(0.5, lost=100.0)] * 3,
        harming=[row(0.6, rival_bit_per_s=5e5)] * 3,
        fair=[row(0.7), row(0.71), row(0.69)],
        slow=[row(1.5)] * 3,
    )
    starts = ["hystart-linux", "losing", "harming", "fair", "slow"]
    group = judged("all", found, CROWD, starts)
    assert group.admitted == ("fair", "hystart-linux", "slow")
    assert group.alike == ()
    assert group.fastest == "losing"
    assert harms(found, CROWD, "harming")["goodput"].interval.estimate == pytest.approx(0.5, abs=0.01)
    assert times(found, CROWD, "slow", "1 MB", 0.95).estimate == pytest.approx(1.5, abs=0.01)
    (sentence,) = tables.sentences([group]).splitlines()
    assert "`fair`, 30 % less time than what Linux ships" in sentence
    assert "`losing` is the fastest, 50 % less time" in sentence


def test_those_that_the_paths_do_not_tell_apart_are_named() -> None:
    found = cells(hystart_linux=[row()] * 3, noisy=[row(0.5), row(2.0), row(0.9)])
    group = judged("all", found, CROWD, ["hystart-linux", "noisy"])
    assert {*group.admitted[:1], *group.alike} == {"hystart-linux", "noisy"}


def test_slow_start_ends_too_early_without_a_loss_and_too_late_after_one() -> None:
    found = cells(
        start=[row(left_s=0.5, filled_s=1.0), row(left_s=0.85, filled_s=1.0), row(lost_before=1.0)],
    )
    ended = exits(found, CROWD, "start")
    assert ended["early"].estimate == pytest.approx(1 / 3)
    assert ended["late"].estimate == pytest.approx(1 / 3)


def test_tables_and_figures_have_a_row_per_start() -> None:
    starts = ["hystart-linux", "bbr3"]
    rows = [row(web_s=1.0), row(web_s=1.1), row(web_s=0.9)]
    alone = [Path(number, "wired", 12.0, 100.0, 1.0, 1.0, "droptail", 0.0, 0, web=False) for number in (0, 1)]
    found = cells(hystart_linux=rows, bbr3=rows)
    assert [line[0] for line in tables.speeds(found, alone, starts)] == ["start", "`hystart-linux`", "`bbr3`"]
    web = Path(2, "wired", 12.0, 100.0, 1.0, 1.0, "droptail", 0.0, 0, web=True)
    both = [*CROWD[:2], web, replace(web, number=1)]
    assert len(tables.costs(found, both, starts)) == 3
    sure = confidence(starts)
    quotients = {(start, each): times(found, alone, start, each, sure) for start in starts for each in FILES}
    assert len(figures.by_transfer(quotients, starts).axes) == len(FILES)
    group = judged("all", found, CROWD, starts)
    assert len(figures.by_group([group], starts).axes[0].texts) == 2


def test_what_is_published_is_of_these_paths_and_starts() -> None:
    with (PUBLISHED / "paths.csv").open(encoding="utf-8", newline="") as file:
        found = list(csv.reader(file))
    assert found == tables.drawn_paths(ALL[: len(found) - 1])
    assert len(found) > 40
    for name in ("speeds", "costs"):
        with (PUBLISHED / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            _, *published = csv.reader(file)
        assert [start for start, *_ in published] == [f"`{start}`" for start in runs.STARTS]
    text = (PUBLISHED / "recommendation.md").read_text(encoding="utf-8")
    assert all(f"**{group}**" in text for group in GROUPS)
