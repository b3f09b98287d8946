"""Summaries by group of flows and by link."""

import math
from typing import Any

import numpy as np
import polars as pl
import pytest

import ackclock
from ackclock.errors import InputError
from ackclock.measures.groups import groups_of
from ackclock.report import tables
from ackclock.runs.result import Comparison

MIXED: dict[str, Any] = {
    "name": "mixed",
    "duration": "20 s",
    "topology": {
        "dumbbell": {
            "pairs": 1,
            "bottleneck": {"rate": "5 Mbit/s", "delay": "20 ms", "buffer": "50 packets"},
            "access": {"rate": "100 Mbit/s", "delay": "1 ms"},
        }
    },
    "flow": [
        {"name": "long", "count": 2, "start_jitter": "1 s"},
        {"name": "file", "count": 30, "packets": 20, "start_jitter": "15 s"},
    ],
    "udp": [{"name": "voice", "rate": "64 kbit/s", "packet": "200 bytes"}],
}


@pytest.fixture(scope="module")
def race() -> Comparison:
    return ackclock.compare(["cubic", "vegas"], MIXED, seeds=3)


def value(table: pl.DataFrame, label: str, group: str, metric: str) -> float:
    row = table.filter((pl.col("label") == label) & (pl.col("group") == group) & (pl.col("metric") == metric))
    return float(row["mean"].item())


def test_groups_have_their_own_means_and_percentiles(race: Comparison) -> None:
    table = race.groups()
    assert table["group"].unique(maintain_order=True).to_list() == ["long", "file", "voice"]
    expected: dict[str, list[float]] = {"p50": [], "p95": [], "p99": [], "goodput": []}
    for seed in race.seeds:
        result = race.result("cubic", seed)
        long = result.flows.filter(pl.col("name").str.starts_with("long"))
        expected["goodput"].append(float(np.mean(long["goodput_bit_per_s"].to_numpy())))
        files = result.transfers
        times = sorted((files["finish_s"] - files["start_s"]).to_list())
        assert len(times) == 30
        # Of 30 files 15 are half, 29 are 95 % or more, and all 30 are 99 % or more.
        for key, place in (("p50", 14), ("p95", 28), ("p99", 29)):
            expected[key].append(times[place])
    assert value(table, "cubic", "long", "goodput_bit_per_s") == pytest.approx(np.mean(expected["goodput"]))
    for key in ("p50", "p95", "p99"):
        assert value(table, "cubic", "file", f"completion_{key}_s") == pytest.approx(np.mean(expected[key]))
    assert value(table, "vegas", "long", "flows") == 2
    assert table.filter((pl.col("group") == "voice") & (pl.col("metric") == "completion_s")).is_empty()


def test_a_percentile_of_files_that_do_not_end_is_missing() -> None:
    race = ackclock.replicate(MIXED, settings={"flow.1.packets": 2000, "duration": "16 s"})
    table = race.groups()
    mine = table.filter((pl.col("group") == "file") & (pl.col("metric") == "completion_p99_s"))
    assert mine.is_empty() or math.isnan(mine["mean"].item())


def test_links_are_added_by_name(race: Comparison) -> None:
    table = race.groups(links=["left->right"])
    row = race.summary.filter((pl.col("label") == "vegas") & (pl.col("metric") == "utilisation"))
    assert value(table, "vegas", "left->right", "utilisation") == pytest.approx(row["mean"].item())
    with pytest.raises(InputError, match='no link direction is named "left"'):
        race.groups(links=["left"])
    view = tables.group_view(race, ["left->right"])
    assert [row[0].text for row in view.rows if "left->right" in row[0].text] == [
        "cubic, left->right",
        "vegas, left->right",
    ]
    assert {"50 % within", "95 % within", "99 % within"} <= {heading for heading, _ in view.columns}


def test_flows_belong_to_the_longest_name_that_fits() -> None:
    assert groups_of(["tcp1", "tcp12", "tcp", "web-1", "other"], ["tcp", "web"]) == [
        "tcp", "tcp", "tcp", "web", "other",
    ]  # fmt: skip
