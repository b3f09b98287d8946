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
from ackclock.runs.result import Comparison, Result
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
    found = users.measured(result)
    assert (found["pages"], found["page_s"], found["longest_stall_s"], found["stall_share"]) == (4, 7, 5, 0.3)
    assert math.isnan(found["page_median_s"]), "not known without a row for every page"
    assert users.longest_stalls(result).to_list() == [2, 5, 8], "who never waited is left out"
    assert users.stalled_share(result, 5) == pytest.approx(2 / 3)


def with_pages(result: Result, start_s: list[float], finish_s: list[float], failed: list[int]) -> Result:
    """The run with these pages instead of its own."""
    columns = [
        ("start_s", "f8", np.array(start_s, dtype="<f8").tobytes()),
        ("finish_s", "f8", np.array(finish_s, dtype="<f8").tobytes()),
        ("failed_objects", "u8", np.array(failed, dtype="<u8").tobytes()),
    ]
    return replace(result, tables=Tables({"users": result.tables._columns["users"], "pages": columns}))


def test_unfinished_pages_count_and_pages_of_the_warm_up_do_not(race: Comparison) -> None:
    """The first page begins in the warm-up. Of the others three take 4, 4 and 6 s, and one more than 53 s."""
    start_s, finish_s = [3.0, 6.0, 8.0, 10.0, 7.0], [9.0, 10.0, 12.0, 16.0, math.nan]
    found = users.measured(with_pages(race.results[0], start_s, finish_s, [0] * 5))
    assert (found["pages"], found["finished_share"]) == (3, 0.75)
    assert found["page_s"] == pytest.approx(14 / 3)
    assert found["page_median_s"] == 5


def test_a_page_without_one_of_its_objects_is_none(race: Comparison) -> None:
    found = users.measured(with_pages(race.results[0], [10.0, 10.0], [14.0, 12.0], [0, 1]))
    assert (found["pages"], found["page_s"]) == (1, 4)


def test_a_network_that_finishes_less_does_not_look_faster(race: Comparison) -> None:
    """A serves ten pages in 1 to 10 s, B the three fastest alone: the mean of the finished prefers B."""
    start = [10.0] * 10
    a = with_pages(race.results[0], start, [10.0 + second for second in range(1, 11)], [0] * 10)
    b = with_pages(race.results[0], start, [11.0, 12.0, 13.0, *[math.nan] * 7], [0] * 10)
    served, starved = users.measured(a), users.measured(b)
    assert starved["page_s"] < served["page_s"]
    assert served["page_median_s"] == 5.5
    assert starved["page_median_s"] == 50, "until the end of the run"
    assert (served["pages"], starved["pages"]) == (10, 3)


def test_a_comparison_without_rows_for_pages_has_what_is_left() -> None:
    race = ackclock.compare(["newreno"], {**SCENARIO, "trace": {"transfers": False}}, seeds=1)
    present = race.summary["metric"].to_list()
    assert {"pages", "page_s", "longest_stall_s"} <= set(present)
    assert "page_median_s" not in present


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
    assert {"page_median_s", "pages", "page_s", "longest_stall_s"} <= set(present)
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
