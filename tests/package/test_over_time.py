"""Flows that begin late and end early have series only while they live; readers of series keep time."""

import json
from typing import Any

import numpy as np
import polars as pl
import pytest

import ackclock
from ackclock.formats import flent, iperf3
from ackclock.measures import over_time, short_term_fairness
from ackclock.report.time_figures import time_figures
from ackclock.runs.result import Comparison, Result

# A flow from within the first interval on, a file that takes less than a second, and one at the very end.
SCENARIO: dict[str, Any] = {
    "name": "lives",
    "duration": "6 s",
    "topology": {
        "dumbbell": {
            "pairs": 1,
            "access": {"rate": "100 Mbit/s", "delay": "1 ms"},
            "bottleneck": {"rate": "10 Mbit/s", "delay": "8 ms", "buffer": "40 packets"},
        }
    },
    "flow": [
        {"name": "long", "start": "100 ms"},
        {"name": "file", "packets": 50, "start": "2 s"},
        {"name": "late", "packets": 5, "start": "5900 ms"},
    ],
    "trace": {"interval": "200 ms"},
}


@pytest.fixture(scope="module")
def race() -> Comparison:
    return ackclock.compare(["reno", "cubic"], SCENARIO)


@pytest.fixture(scope="module")
def result(race: Comparison) -> Result:
    return race.result("reno", 1)


def test_every_sample_has_a_value(result: Result) -> None:
    finish = result.flows["finish_s"][1]
    assert 2.1 < finish < 4
    rows = result.flow_series.filter(pl.col("flow") == 1)
    assert (rows["time_s"][0], rows["time_s"][-1]) == pytest.approx((2.0, np.ceil(finish / 0.2) * 0.2))
    series = over_time.of_flow(result, 1)
    assert series["time_s"] == pytest.approx(np.arange(31) * 0.2)
    lives = (series["time_s"] > 1.9) & (series["time_s"] < finish + 0.2)
    assert (np.isfinite(series["cwnd_packets"]) == lives).all()
    assert (series["goodput_bit_per_s"][~lives] == 0).all()
    assert series["goodput_bit_per_s"].sum() * 0.2 == pytest.approx(50 * 1460 * 8)
    again = series["retransmissions"]
    assert again[0] == 0
    assert again[-1] == result.flows["retransmissions"][1]
    assert (np.diff(again) >= 0).all()


def test_slices_count_flows_that_do_not_live(result: Result) -> None:
    table = short_term_fairness.goodputs(result, 2.0)
    assert table["flow"].to_list() == [0, 1, 2] * 3
    file = table.filter(pl.col("flow") == 1)["goodput_bit_per_s"].to_list()
    assert file == pytest.approx([0, 50 * 1460 * 8 / 2, 0]), "all of it arrives from 2 to 4 s"
    assert short_term_fairness.summary(result, 2.0)["silent_share"].to_list() == pytest.approx(
        [2 / 3, 1 / 3, 1 / 3]
    )


def test_exports_have_a_step_for_all_flows(result: Result) -> None:
    (document,) = [json.loads(iperf3.written(result))]
    ends = [interval["sum"]["end"] for interval in document["intervals"]]
    assert ends == pytest.approx([1, 2, 3, 4, 5, 6])
    sent = sum(interval["streams"][1]["bytes"] for interval in document["intervals"])
    assert sent == pytest.approx(50 * 1460, abs=3)
    assert "snd_cwnd" not in document["intervals"][0]["streams"][1], "a flow that does not live has no window"
    read = flent.read(flent.written(result))
    first = read.series.filter((pl.col("flow") == "TCP upload::2") & pl.col("cwnd_packets").is_not_null())
    assert first["time_s"][0] == pytest.approx(2.0), "raw values are those of its life"


def test_figures_of_a_comparison_add_up_at_each_time(race: Comparison) -> None:
    figures = {figure.quantity.key: figure for figure in time_figures(race)}
    goodput = figures["goodput-over-time"].panels[0].curves[0]
    network = race.result("reno", 1).network_series
    inside = network.filter((pl.col("time_s") > 0) & (pl.col("time_s") <= goodput.time[-1] + 0.2))
    shown = float(np.mean(goodput.value)) / figures["goodput-over-time"].quantity.factor
    assert shown == pytest.approx(inside["goodput_bit_per_s"].mean(), rel=0.02)


def test_the_figures_of_throughput_and_of_goodput_have_their_own_names() -> None:
    """The curves of goodput were drawn as "throughput", which has headers: that is the metric's dots."""
    settings = {"duration": "2 s", "warm_up": "0 s"}
    comparison = ackclock.compare(["rack+reno"], "two-megabit", series=True, settings=settings)
    assert comparison.plot("goodput-over-time").axes[0].get_ylabel().startswith("goodput")
    [axes] = comparison.plot("throughput").axes
    shown = " ".join([axes.get_xlabel(), axes.get_ylabel(), axes.get_title()])
    assert "throughput" in shown.lower(), shown
