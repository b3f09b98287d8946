"""The comparison of random scenes with ns-2: what is drawn, what is a difference, and what is published."""

import csv
import shutil

import pytest

from verification.comparisons import random_scenes
from verification.comparisons.random_scenes import (
    AGENTS,
    PUBLISHED,
    SCENES,
    SMALL,
    Compared,
    compared,
    drawn,
    here,
    main,
    reason,
    without,
)
from verification.peers.harness import NotInstalledError

ALL = [drawn(number) for number in range(SCENES)]


def test_scenes_are_drawn_the_same_each_time_and_meet_everything() -> None:
    assert [drawn(number) for number in range(SCENES)] == ALL
    assert {flow.agent for scene in ALL for flow in scene.flows} == set(AGENTS)
    assert {len(scene.hops) for scene in ALL} == {1, 2, 3}
    for feature in ("RED", "datagrams", "delayed ACKs"):
        having = sum(feature in scene.features for scene in ALL)
        assert 5 < having < 35, feature
    assert ALL[0].starts(1) != ALL[0].starts(2)


def row(measure: str, there: tuple[float, ...], ours: tuple[float, ...]) -> Compared:
    return Compared(ALL[0], measure, there, ours)


def test_a_difference_is_more_than_the_spread_and_more_than_a_little() -> None:
    assert not row("Jain", (0.9, 0.8, 0.7), (0.7, 0.8, 0.95)).differs
    assert row("Jain", (0.9, 0.901, 0.899), (0.8, 0.801, 0.799)).differs
    assert not row("Jain", (0.9, 0.9001, 0.8999), (0.901, 0.9011, 0.9009)).differs, "less than a hundredth"
    assert row("timeouts", (1.0, 1.0), (2.0, 2.0)).differs, "no spread at all"
    assert not row("goodput, Mbit/s", (8.0, 8.001, 7.999), (8.05, 8.051, 8.049)).differs, "less than 1 %"


def test_a_reason_is_the_feature_without_which_nothing_differs() -> None:
    far, near = row("Jain", (0.9, 0.9), (0.8, 0.8)), row("Jain", (0.9, 0.9), (0.9, 0.9))
    assert reason(far, {"RED": [near], "the agent": [far]}) == "RED"
    assert reason(far, {"RED": [far]}) == "open"
    mixed = next(scene for scene in ALL if {"RED", "delayed ACKs", "Vegas"} <= set(scene.features))
    fewer = without(mixed)
    assert set(fewer) == {"the agent", "RED", "delayed ACKs"}
    assert "RED" not in fewer["RED"].features
    assert "Vegas" not in fewer["the agent"].features


def test_a_scene_runs_here() -> None:
    found = here(ALL[0], 1)
    assert set(found) == set(SMALL)
    assert found["goodput, Mbit/s"] > 0
    assert 0 < found["Jain"] <= 1


@pytest.mark.skipif(shutil.which("ns") is None, reason="ns-2 is not installed")
def test_a_scene_runs_in_both() -> None:
    rows = compared(ALL[3])
    assert [one.measure for one in rows] == list(SMALL)
    assert rows[0].difference == pytest.approx(0, abs=0.2)


def test_without_ns2_it_says_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def missing(_script: str) -> list[str]:
        raise NotInstalledError("ns-2 is not installed")

    monkeypatch.setattr(random_scenes, "ns2_command", missing)
    assert main([]) == 0
    assert "left out: ns-2 is not installed" in capsys.readouterr().out


def test_what_is_published_is_of_these_scenes() -> None:
    with (PUBLISHED / "table.csv").open(encoding="utf-8", newline="") as file:
        _, *rows = csv.reader(file)
    assert [(int(number), features) for number, _, features, *_ in rows] == [
        (scene.number, ", ".join(scene.features)) for scene in ALL
    ]
    with (PUBLISHED / "differences.csv").open(encoding="utf-8", newline="") as file:
        _, *differing = csv.reader(file)
    assert all(cells[-1] for cells in differing), "each with its reason, or open"
