"""Competitors on one bottleneck in one run: shares, the scenario that they share, files, errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

import ackclock
from ackclock.cli import app
from ackclock.errors import InputError
from ackclock.scenarios.together import together

RENO = "rack+reno"
LINK = {"rate": "10 Mbit/s", "delay": "18 ms", "buffer": "200% bdp"}
ACCESS = {"rate": "100 Mbit/s", "delay": "1 ms"}


def scenario(**keys: Any) -> dict[str, Any]:
    """Two flows through one link."""
    return {
        "name": "shared",
        "duration": "40 s",
        "warm_up": "10 s",
        "topology": {"dumbbell": {"pairs": 2, "bottleneck": LINK, "access": ACCESS}},
        "flow": [{"name": "long", "count": 2, "start_jitter": "1 s"}],
        **keys,
    }


def shared(table: dict[str, Any], *algorithms: str) -> dict[str, Any]:
    """The tree of the scenario that the algorithms share."""
    made = together(ackclock.load_scenario(table), dict(zip(algorithms, algorithms, strict=True)))
    tree: dict[str, Any] = json.loads(made.scenario.to_json())
    return tree


@pytest.fixture(scope="module")
def found() -> ackclock.Comparison:
    return ackclock.compare([RENO, "vegas"], scenario(), seeds=3, together=True)


def test_shares_of_every_seed_sum_to_one(found: ackclock.Comparison) -> None:
    sums = found.competition.group_by("seed").agg(pl.col("share").sum())
    assert sorted(sums["seed"].to_list()) == list(found.seeds)
    assert sums["share"].to_list() == pytest.approx([1, 1, 1])


def test_vegas_starves_beside_reno_and_not_in_its_own_world(found: ackclock.Comparison) -> None:
    rows = {
        row["label"]: row for row in found.competition_summary.filter(metric="share").iter_rows(named=True)
    }
    assert rows["vegas"]["high"] < 0.3
    assert rows[RENO]["low"] > 0.7
    own = found.summary.filter(label="vegas", metric="goodput_bit_per_s")["mean"].item()
    assert own > 9e6


def test_the_goodputs_are_those_of_the_flows(found: ackclock.Comparison) -> None:
    """Both of a competitor's flows run until the end, so that its goodput is their sum."""
    flows = found.result("together").flows
    row = found.competition.filter(label=RENO).row(0, named=True)
    mine = flows.filter(pl.col("name").str.starts_with(f"{RENO}-"))
    assert mine.height == 2
    assert row["goodput_bit_per_s"] == pytest.approx(mine["goodput_bit_per_s"].sum(), rel=1e-6)
    assert row["loss_share"] == sum(mine["packets_lost"].to_list()) / sum(mine["packets_sent"].to_list())
    assert row["retransmissions"] == mine["retransmissions"].sum()
    values = found.competition.filter(seed=found.seeds[0])["goodput_bit_per_s"].to_list()
    assert row["fairness"] == pytest.approx(sum(values) ** 2 / (2 * sum(value**2 for value in values)))


def test_runs_in_worlds_of_their_own_are_as_without(found: ackclock.Comparison) -> None:
    alone = ackclock.compare([RENO, "vegas"], scenario(), seeds=3)
    assert found.labels == (RENO, "vegas", "together")
    assert found.result("vegas").flows.equals(alone.result("vegas").flows)
    assert list(found.recoveries) == [RENO, "vegas"]


def test_each_group_is_there_once_per_competitor_and_pairs_grow() -> None:
    kept = {"name": "kept", "algorithm": "sack"}
    tree = shared(scenario(flow=[{"name": "long", "count": 2}, kept]), "cubic", RENO, "vegas")
    names = [(group["name"], group["algorithm"], group.get("count", 1)) for group in tree["flow"]]
    assert names == [
        ("cubic-long", "cubic", 2),
        (f"{RENO}-long", RENO, 2),
        ("vegas-long", "vegas", 2),
        ("kept", "sack", 1),
    ]
    # Three flows on two pairs: seven flows take 14/3.
    assert tree["topology"]["dumbbell"]["pairs"] == 5


def test_every_flow_keeps_a_pair_of_its_own() -> None:
    assert shared(scenario(), "cubic", RENO)["topology"]["dumbbell"]["pairs"] == 4


def test_a_label_that_begins_another_takes_no_flows_of_it() -> None:
    both = ackclock.compare({"a": "cubic", "a-long": RENO}, scenario(duration="20 s"), seeds=1, together=True)
    assert both.competition["share"].sum() == pytest.approx(1)
    assert min(both.competition["share"].to_list()) > 0.1


class Timid:
    """Two packets per round trip."""

    cwnd = 2.0

    def __init__(self, start: Any) -> None:
        """Begins with its own window."""

    def on_ack(self, ack: Any) -> None:
        """Takes no notice."""

    def on_congestion(self, event: Any) -> None:
        """Takes no notice."""


def test_a_python_class_competes() -> None:
    both = ackclock.compare([Timid, "cubic"], scenario(duration="20 s"), together=True)
    assert both.competition.filter(label="timid")["share"].item() < 0.3


def test_the_command_prints_and_writes_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    command = ["compare", RENO, "cubic", "--together", "--seeds", "2", "-o", "out", "--figure-format", "svg"]
    printed = CliRunner().invoke(app, command)
    assert printed.exit_code == 0, printed.output
    assert "Without the" in printed.output, "the heading may take two lines"
    names = {file.name for file in (tmp_path / "out" / "figures").iterdir()}
    assert {"competition.svg", "competition-over-time.svg"} <= names
    assert ackclock.run(tmp_path / "out" / "scenarios" / "together.toml").conserved
    assert [path.stem for path in (tmp_path / "out" / "tables").glob("competition.*")]
    again = CliRunner().invoke(app, [*command, "--no-report", "--json"])
    document = json.loads(again.stdout)
    assert sum(each["share"]["mean"] for each in document["together"].values()) == pytest.approx(1)
    assert ackclock.load_plan(tmp_path / "out" / "plan.toml").algorithms.keys() == {RENO, "cubic"}


@pytest.mark.parametrize(
    ("algorithms", "table", "message"),
    [
        (["cubic"], scenario(), "at least two algorithms"),
        (
            ["cubic", RENO],
            scenario(flow=[{"algorithm": "sack"}]),
            'scenario "shared": every group of flows names its algorithm',
        ),
        (
            ["cubic", RENO],
            {**scenario(udp=[{"rate": "1 Mbit/s", "packet": "500 bytes"}]), "flow": []},
            "no TCP flows",
        ),
        (
            ["cubic", RENO],
            scenario(topology={"parking_lot": {"hops": 2, "link": LINK, "access": ACCESS}}),
            "competitors would take other paths through [topology.parking_lot]",
        ),
        ({"together": "cubic", "other": RENO}, scenario(), "choose another"),
    ],
)
def test_scenarios_in_which_it_makes_no_sense_are_refused(
    algorithms: Any, table: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError) as error:
        ackclock.compare(algorithms, table, together=True)
    assert message in str(error.value)
