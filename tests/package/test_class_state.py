"""State that the objects of a class share: no run sees what another left in it, or the class is refused."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any, ClassVar

import pytest

import ackclock
from ackclock import cli

SHORT = {"duration": "3 s", "warm_up": "0 s"}

RULE = """
    def __init__(self, start):
        self.cwnd = start.initial_window
    def on_congestion(self, event):
        self.cwnd = 2.0
"""
SHARED = {
    # Each acknowledgment makes the window depend on how many have come before it, in this run or another.
    "a class attribute": f"""
class Own:
    count = 0
{RULE}
    def on_ack(self, ack):
        Own.count += 1
        self.cwnd = 1.0 + Own.count % 1000 / 10
""",
    "a list in the class": f"""
class Own:
    seen = []
{RULE}
    def on_ack(self, ack):
        self.seen.append(ack.now)
        self.cwnd = 1.0 + len(self.seen) % 1000 / 10
""",
    "a base class": f"""
class Base:
    count = 0
class Own(Base):
{RULE}
    def on_ack(self, ack):
        Base.count += 1
        self.cwnd = 1.0 + Base.count % 1000 / 10
""",
    "a global": f"""
count = 0
class Own:
{RULE}
    def on_ack(self, ack):
        global count
        count += 1
        self.cwnd = 1.0 + count % 1000 / 10
""",
    "a default": f"""
class Own:
{RULE}
    def on_ack(self, ack, seen=[]):
        seen.append(ack.now)
        self.cwnd = 1.0 + len(seen) % 1000 / 10
""",
    "a module beside it": f"""
import beside
class Own:
{RULE}
    def on_ack(self, ack):
        beside.seen.append(ack.now)
        self.cwnd = 1.0 + len(beside.seen) % 1000 / 10
""",
    "a counter": f"""
import itertools
class Own:
    counter = itertools.count(1)
{RULE}
    def on_ack(self, ack):
        self.cwnd = 1.0 + next(self.counter) % 1000 / 10
""",
}


@pytest.fixture
def own(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    (tmp_path / "beside.py").write_text("seen = []\n")
    (tmp_path / "own.py").write_text(SHARED[request.param])
    return tmp_path / "own.py"


def goodputs(race: ackclock.Comparison) -> list[float]:
    return race.runs["goodput_bit_per_s"].to_list()


@pytest.mark.parametrize("own", SHARED, indirect=True)
def test_a_class_in_a_file_is_fresh_in_every_run(own: Path) -> None:
    def raced(workers: int, seeds: list[int]) -> list[float]:
        return goodputs(
            ackclock.compare([f"{own}:Own"], "single-flow", seeds=seeds, settings=SHORT, workers=workers)
        )

    alone = [raced(1, [seed])[0] for seed in (1, 2, 3)]
    assert raced(1, [1, 2, 3]) == alone
    assert raced(3, [1, 2, 3]) == alone
    assert raced(2, [3, 1, 2])[1] == alone[0]
    plan = {"scenario": "single-flow", "algorithms": [f"{own}:Own"], "settings": SHORT, "seeds": 3}
    assert ackclock.sweep(plan, own.parent / "store").runs["goodput_bit_per_s"].to_list() == alone


@pytest.mark.parametrize("own", sorted(set(SHARED) - {"a module beside it"}), indirect=True)
def test_a_class_of_the_program_that_shares_state_is_refused(own: Path) -> None:
    spec = importlib.util.spec_from_file_location("own_state", own)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with pytest.raises(ackclock.InputError) as error:
        ackclock.compare([module.Own], "single-flow", seeds=2, settings=SHORT)
    assert "was changed in a run" in str(error.value)
    assert "own.py: Own: " in str(error.value)
    assert "attribute of self" in str(error.value)


class Recorder:
    """Has a record that one run fills, as a test or a lesson reads it."""

    woken: ClassVar[list[float]] = []

    def __init__(self, start: ackclock.Start) -> None:
        self.cwnd = start.initial_window

    def on_ack(self, ack: ackclock.Ack) -> None:
        self.woken.append(ack.now)

    def on_congestion(self, _event: ackclock.Congestion) -> None:
        self.cwnd = 2.0


def test_a_single_run_may_record_in_its_class() -> None:
    Recorder.woken.clear()
    ackclock.run("single-flow", algorithm=Recorder, settings=SHORT)
    assert len(Recorder.woken) > 10
    with pytest.raises(ackclock.InputError, match=r"Recorder\.woken was changed in a run"):
        ackclock.compare([Recorder], "single-flow", settings=SHORT)


def test_flows_of_one_run_may_share_state(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(SHARED["a class attribute"])
    two: dict[str, Any] = {"flow": [{"count": 2}], "topology.dumbbell.pairs": 2, **SHORT}
    first, second = (
        ackclock.run("single-flow", algorithm=f"{tmp_path}/own.py:Own", settings=two) for _ in range(2)
    )
    assert first.flows.equals(second.flows)


def test_the_program_says_the_same_whatever_the_workers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "own.py").write_text(SHARED["a class attribute"])
    monkeypatch.chdir(tmp_path)
    said = []
    for workers in ("1", "2"):
        words = ["compare", "own.py:Own", "-s", "single-flow", "--seeds", "4", "--no-report", "--json"]
        more = ["--duration", "3 s", "--set", "warm_up=0 s", "--workers", workers]
        monkeypatch.setattr(sys, "argv", ["ackclock", *words, *more])
        with pytest.raises(SystemExit) as end:
            cli.main()
        assert not end.value.code
        said.append(json.loads(capsys.readouterr().out)["runs"])
    assert said[0] == said[1]


def test_an_edit_while_runs_go_on_is_said(tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    file.write_text(SHARED["a class attribute"])

    def edit(_done: float, _total: float) -> None:
        file.write_text(SHARED["a global"])

    with pytest.raises(ackclock.InputError, match=r"own\.py: this file, or one that it imports, was edited"):
        ackclock.compare([f"{file}:Own"], "single-flow", seeds=40, settings=SHORT, workers=1, progress=edit)
