"""Users of pools of connections: by hand from small tables, in comparisons, figures and reports."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

import ackclock
from ackclock.measures import users
from ackclock.report import charts, figures, transfer_figures
from ackclock.runs.result import Comparison
from ackclock.runs.tables import Tables

SCENARIO: dict[str, Any] = {
    "name": "pages",
    "duration": "60 s",
    "warm_up": "5 s",
    "topology": {
        "dumbbell": {
            "pairs": 4,
            "access": {"rate": "100 Mbit/s", "delay": "1 ms", "buffer": "500 packets"},
            "bottleneck": {"rate": "1 Mbit/s", "delay": "48 ms", "buffer": "10 packets"},
        }
    },
    "flow": [
        {
            "name": "user",
            "count": 12,
            "size": {"exponential": {"mean": "10 packets"}},
            "think": {"exponential": {"mean": "2 s"}},
            "start_jitter": "5 s",
            "pool": {"connections": 3, "objects": {"constant": "6 objects"}},
        }
    ],
}


@pytest.fixture(scope="module")
def race() -> Comparison:
    return ackclock.compare(["newreno", "sack+cubic"], SCENARIO, seeds=2)


def test_users_by_hand(race: Comparison) -> None:
    result = race.results[0]
    columns = {
        "waited_s": [10.0, 30.0, 20.0, 0.0],
        "longest_stall_s": [2.0, 8.0, 5.0, 0.0],
        "stall_s": [2.0, 10.0, 6.0, 0.0],
        "pages": [1, 3, 0, 0],
        "mean_page_s": [4.0, 8.0, math.nan, math.nan],
    }
    table = [(name, "f8", np.array(values, dtype="<f8").tobytes()) for name, values in columns.items()]
    result = replace(result, tables=Tables({"users": table}))
    assert users.measured(result) == {"pages": 4, "page_s": 7, "longest_stall_s": 5, "stall_share": 0.3}
    assert users.longest_stalls(result).to_list() == [2, 5, 8], "who never waited is left out"
    assert users.stalled_share(result, 5) == pytest.approx(2 / 3)


def test_unfinished_pages_are_in_the_share_and_pages_of_the_warm_up_are_not(race: Comparison) -> None:
    columns = {"start_s": [3.0, 6.0, 7.0, 8.0, 50.0], "finish_s": [9.0, 10.0, math.nan, 12.0, math.nan]}
    table = [(name, "f8", np.array(values, dtype="<f8").tobytes()) for name, values in columns.items()]
    result = replace(race.results[0], tables=Tables({"pages": table}))
    assert users.finished_share(result) == 2 / 4


def test_users_and_pages_agree(race: Comparison) -> None:
    for result in race.results:
        pages, table = users.records(result), result.users
        done = pages.filter(pl.col("finish_s").is_finite())
        assert table["pages"].sum() == done.height > 20
        assert users.measured(result)["page_s"] == pytest.approx(done["time_s"].mean())
        assert (pages["longest_stall_s"] <= pages["time_s"].fill_nan(math.inf)).all()
        assert (table["stall_s"] <= table["waited_s"]).all()


def test_a_comparison_shows_what_users_see(race: Comparison) -> None:
    present = race.summary["metric"].unique().to_list()
    assert {"page_s", "longest_stall_s"} <= set(present)
    table = users.summary(race.results)
    assert table["label"].to_list() == list(race.labels)
    assert table["runs"].to_list() == [2, 2]
    assert (table["page_s_low"] < table["page_s"]).all()


def test_figures_of_users(race: Comparison) -> None:
    drawn = transfer_figures.user_figure(race)
    assert drawn is not None
    assert [panel.axis for panel in drawn.panels] == ["longest stall [s]", "page load time [s]"]
    stalls = drawn.panels[0].curves[0]
    assert stalls.share[-1] == 1
    assert (stalls.time_s[1:] >= stalls.time_s[:-1]).all()
    assert "users" in figures.draw_all(race)
    assert "users" in [group.key for group in charts.charts(race)]


def test_no_users_no_columns() -> None:
    flow = [{"packets": 10}]
    race = ackclock.compare(["newreno"], SCENARIO | {"flow": flow, "warm_up": "0 s"}, seeds=1)
    assert "page_s" not in race.summary["metric"].to_list()
    assert transfer_figures.user_figure(race) is None
    assert math.isnan(users.measured(race.results[0])["longest_stall_s"])
