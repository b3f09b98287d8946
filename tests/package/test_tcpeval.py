"""The Common TCP Evaluation Suite: the draft's numbers in the scenarios, and a report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import ackclock
from ackclock.cli import app
from ackclock.errors import InputError
from ackclock.evaluation.criterion import Cell
from ackclock.evaluation.evaluate import evaluate, scenario_of
from ackclock.evaluation.suites import SUITES
from ackclock.measures.record import RunRecord

SUITE = SUITES["tcpeval"]
CRITERIA = {criterion.key: criterion for criterion in SUITE.criteria}


def ran(cell: Cell, algorithm: str = "rack+reno") -> RunRecord:
    return ackclock.run(scenario_of(cell, algorithm, algorithm)[0])


def test_every_scenario_of_the_quick_and_of_the_full_run_is_valid() -> None:
    for criterion in SUITE.criteria:
        for quick in (True, False):
            cells = criterion.cells(quick)
            assert len({cell.name for cell in cells}) == len(cells)
            for cell in cells:
                scenario_of(cell, "cubic", "cubic")


def test_sections_stand_in_the_order_of_the_draft() -> None:
    sections = [[int(part) for part in c.section.split(",")[0].split(".")] for c in SUITE.criteria]
    assert sections == sorted(sections)


def test_the_nine_paths_have_the_round_trips_of_table_1() -> None:
    """The draft's table 1, and twice the 2 ms of the access link's central link."""
    table_1_ms = {4, 74, 150, 28, 98, 174, 54, 124, 200}
    result = ran(CRITERIA["access-link"].cells(True)[0])
    flows = result.columns("flows")
    least: dict[tuple[str, str], float] = {}
    for source, sink, rtt in zip(flows["source"], flows["destination"], flows["min_rtt_s"], strict=True):
        if rtt == rtt:
            pair = (str(source), str(sink))
            least[pair] = min(least.get(pair, 1.0), float(rtt))
    # A packet and its acknowledgment are transmitted three times each: less than a millisecond.
    found = {
        round(1e3 * seconds - 4) for (source, _), seconds in least.items() if source in ("n1", "n2", "n3")
    }
    assert found == table_1_ms


@pytest.mark.parametrize(("load", "expected"), [(0.85, 0.85), (1.1, 1.0)])
def test_the_offered_load_is_the_drafts(load: float, expected: float) -> None:
    """Sizes are drawn: over eight seeds of 1000 s the sum of some 5000 files has a standard error of 6 %."""
    cell = next(each for each in CRITERIA["dial-up"].cells(True) if each.name == f"load {load:.0%}")
    values = []
    for seed in range(1, 9):
        scenario = scenario_of(cell, "rack+reno", "rack+reno")[0].with_value("seed", str(seed))
        values.append(CRITERIA["dial-up"].measure(ackclock.run(scenario))["utilisation"])
    assert sum(values) / 8 == pytest.approx(expected, rel=0.25)


def test_a_flow_that_came_first_makes_room_and_the_time_grows_with_the_bytes() -> None:
    cells = {cell.name: cell for cell in CRITERIA["ramp-up"].cells(True)}
    times = [
        CRITERIA["ramp-up"].measure(ran(cells[f"10 Mbit/s, round trips of 80 and 80 ms, {size} bytes"]))
        for size in ("150,000", "1,500,000")
    ]
    # A hundred packets at 10 Mbit/s take 0.12 s; from ten packets on, a packet per round trip, it is more.
    assert 0.5 < times[0]["ramp_up_s"] < times[1]["ramp_up_s"] < 100


def test_reno_takes_released_capacity_by_a_packet_per_round_trip() -> None:
    """A tenth of the BDP, 833 packets, takes 83 round trips of 100 ms."""
    (cell,) = CRITERIA["release"].cells(True)
    found = CRITERIA["release"].measure(ran(cell))
    assert 0 <= found["to_60"] < found["to_80"] < found["to_90"]
    assert found["to_90"] - found["to_80"] == pytest.approx(8.33, rel=0.05)


@pytest.mark.parametrize("key", ["intra-protocol", "inter-rtt"])
def test_reno_is_fair_at_equal_round_trips_and_not_at_unequal_ones(key: str) -> None:
    criterion = CRITERIA[key]
    values = {cell.name: criterion.measure(ran(cell))["ratio"] for cell in criterion.cells(True)}
    for name, ratio in values.items():
        if key == "intra-protocol":
            assert ratio > 0.5, name
        elif "160 and 20 ms" in name:
            assert ratio < 0.4, name


def test_the_command_writes_a_report_of_the_suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    command = [
        "evaluate",
        "vegas",
        "--suite",
        "tcpeval",
        "--quick",
        "--only",
        "dial-up",
        "--seeds",
        "2",
        "--json",
    ]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    assert (document["suite"], document["not_evaluated"]) == ("tcpeval", [])
    folder = tmp_path / "results" / "vegas-tcpeval"
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "draft-irtf-iccrg-tcpeval-01" in page
    assert "Tmix traces are replaced" in page
    assert "RFC 9743" not in page
    assert "Tmix traces are replaced" in (folder / "evaluation.md").read_text(encoding="utf-8")


def test_a_suite_that_there_is_not_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match='did you mean "tcpeval"'):
        evaluate("cubic", tmp_path / "store", suite="tcpevl")
    with pytest.raises(InputError, match="bufferbloat"):
        evaluate("cubic", tmp_path / "store", suite="tcpeval", only=["bufferbloat"])
