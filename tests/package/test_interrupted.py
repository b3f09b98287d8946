"""Interrupted comparisons: what is kept can be compared, and the same command finishes it."""

import json
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import ackclock
from ackclock.runs import compare
from ackclock.runs import simulate as simulate_module
from tests.package import test_cli
from tests.package.test_cli import Command

program = test_cli.ackclock

MINE = """
class Mine:
    def __init__(self, setup):
        self.cwnd = 10
    def on_ack(self, ack):
        self.cwnd += 1 / self.cwnd
    def on_congestion(self, event):
        self.cwnd /= 2
"""

TWO = {"duration": "1 s", "warm_up": "0 s"}


@contextmanager
def only(monkeypatch: pytest.MonkeyPatch, *finish: tuple[str, int]) -> Iterator[list[tuple[str, int]]]:
    """Lets these runs finish, and ends with Ctrl-C when another one begins. Yields those that began."""
    simulate = simulate_module.simulate
    began: list[tuple[str, int]] = []

    def counted(scenario: Any, label: str, *arguments: Any, **keywords: Any) -> Any:
        began.append((label, scenario.seed))
        if finish and began[-1] not in finish:
            raise KeyboardInterrupt
        return simulate(scenario, label, *arguments, **keywords)

    with monkeypatch.context() as patched:
        patched.setattr(compare, "simulate", counted)
        yield began


def test_only_seeds_that_all_have_finished_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    first = [("reno", 1), ("sack", 1), ("reno", 2), ("sack", 2), ("reno", 3)]
    with only(monkeypatch, *first), pytest.raises(ackclock.Interrupted) as caught:
        ackclock.compare(["reno", "sack"], "single-flow", seeds=4, settings=TWO, workers=1)
    partial = caught.value.partial
    assert (partial.labels, partial.seeds) == (("reno", "sack"), (1, 2))
    assert set(partial.summary["n"]) == {2}
    with only(monkeypatch) as began:
        whole = ackclock.compare(["reno", "sack"], "single-flow", seeds=4, settings=TWO, known=partial)
    assert sorted(began) == [("reno", 3), ("reno", 4), ("sack", 3), ("sack", 4)]
    assert whole.seeds == (1, 2, 3, 4)
    with only(monkeypatch) as began:
        ackclock.compare(["reno"], "single-flow", seeds=1, settings={**TWO, "warm_up": "0.5 s"}, known=whole)
    assert began == [("reno", 1)], "another scenario"


def test_the_same_command_finishes_a_comparison_of_which_one_label_was_finished(
    program: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    command = ["compare", "mine.py:Mine", "reno", "-s", "small.toml", "--seeds", "2", "--no-report"]
    command += ["--workers", "1"]
    with only(monkeypatch, ("mine", 1)):
        done = program(*command)
    place = tmp_path / "results" / "small-compare"
    assert done.code == 130
    assert "1 of 4 runs were finished" in done.err
    assert "the same command goes on from there" in done.err
    assert json.loads((place / "provenance.json").read_text())["result"]["what"] == "comparison"
    plan = tomllib.loads((place / "plan.toml").read_text())
    assert plan["seeds"] == [1, 2]
    assert plan["algorithms"] == {"mine": "algorithms/mine/mine.py:Mine", "reno": "reno"}

    with only(monkeypatch) as began:
        assert program(*command).code == 0
    assert sorted(began) == [("mine", 2), ("reno", 1), ("reno", 2)]
    assert program(*command, "-o", "straight").code == 0
    for file in [*(tmp_path / "straight" / "tables").iterdir(), tmp_path / "straight" / "plan.toml"]:
        assert file.read_bytes() == (place / file.relative_to(tmp_path / "straight")).read_bytes(), file


def test_a_class_that_was_edited_is_run_anew(
    program: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    command = ["compare", "mine.py:Mine", "reno", "-s", "small.toml", "--no-report", "--workers", "1"]
    with only(monkeypatch, ("mine", 1)):
        program(*command)
    (tmp_path / "mine.py").write_text(MINE.replace("/= 2", "/= 3"))
    with only(monkeypatch) as began:
        program(*command)
    assert sorted(began) == [("mine", 1), ("reno", 1)]
