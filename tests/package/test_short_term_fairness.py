"""Short-term fairness and epochs: by hand, and from runs."""

import math
from typing import Any

import polars as pl
import pytest

import ackclock
from ackclock.measures import epochs, short_term_fairness
from ackclock.runs.result import Result

# Twenty flows share 1 Mbit/s over a round trip of 200 ms, each of which could send 500 bytes in 8 ms.
SCENARIO: dict[str, Any] = {
    "name": "too-many",
    "duration": "85 s",
    "warm_up": "20 s",
    "topology": {
        "dumbbell": {
            "pairs": 4,
            "access": {"rate": "100 Mbit/s", "delay": "1 ms", "buffer": "500 packets"},
            "bottleneck": {"rate": "250 kbit/s", "delay": "98 ms", "buffer": "12 packets"},
        }
    },
    "tcp": {"algorithm": "sack", "mss": "460 bytes", "segments_per_ack": 1},
    "flow": [
        {"count": 20, "start_jitter": "1 s", "send_overhead": {"uniform": {"from": "0 ms", "to": "5 ms"}}}
    ],
    "udp": [{"rate": "1 kbit/s", "packet": "100 bytes"}],
    "trace": {"interval": "10 s", "epoch": "own rtt", "links": False},
}


@pytest.fixture(scope="module")
def result() -> Result:
    return ackclock.run(SCENARIO)


def test_shares_of_flows_by_hand() -> None:
    got = [0, 0, 1, 2, 7]
    assert short_term_fairness.silent_share(got) == 0.4
    assert short_term_fairness.top_share(got, 0.4) == pytest.approx(0.9)
    assert short_term_fairness.top_share(got, 0.3) == pytest.approx(0.8), (
        "the first flow and half of the second"
    )
    assert short_term_fairness.top_share(got, 1) == 1
    assert math.isnan(short_term_fairness.top_share([0, 0]))
    with pytest.raises(ValueError, match="at least one"):
        short_term_fairness.silent_share([])


def test_slices_hold_what_was_delivered(result: Result) -> None:
    table = short_term_fairness.goodputs(result, 20)
    assert table["start_s"].unique().sort().to_list() == [20, 40, 60], "the last 5 s make no slice"
    assert table.height == 3 * 20
    series = result.flow_series.filter(
        (pl.col("time_s") > 20) & (pl.col("time_s") <= 80) & (pl.col("flow") == 3)
    )
    mine = table.filter(pl.col("flow") == 3)
    bits = (mine["goodput_bit_per_s"] * 20).sum()
    assert bits == pytest.approx((series["goodput_bit_per_s"] * 10).sum())
    every = short_term_fairness.summary(result, 20)
    assert every.height == 3
    assert max(every["goodput_bit_per_s"].to_list()) <= 250e3
    assert min(every["top_share"].to_list()) > 0.4, "the top gets more than its part"


def test_slices_need_series_that_fit(result: Result) -> None:
    with pytest.raises(ackclock.InputError, match="no multiple"):
        short_term_fairness.goodputs(result, 15)
    bare = ackclock.run(SCENARIO, settings={"trace": {}, "duration": "21 s"})
    with pytest.raises(ackclock.InputError, match=r"trace\.interval"):
        short_term_fairness.goodputs(bare, 20)
    with pytest.raises(ackclock.InputError, match=r"trace\.epoch"):
        epochs.shares(bare)


def test_shares_of_epochs_are_all_there_is(result: Result) -> None:
    every = epochs.shares(result, most=max(result.epochs["packets_sent"].to_list()))
    sums = every.group_by("flow").agg(pl.col("share").sum())["share"].to_list()
    assert sums == pytest.approx([1.0] * len(sums))
    table = epochs.summary(result, most=2)
    assert table["packets_sent"].to_list() == [0, 1, 2]
    for row in table.iter_rows(named=True):
        assert 0 <= row["low"] <= row["high"] <= 1
        assert 0 < row["share"] < 1


def test_flows_are_silent_in_epochs_without_packets(result: Result) -> None:
    flow = result.epochs.filter(pl.col("flow") == 0)
    idle = flow.filter(pl.col("packets_sent") == 0)["epochs"].sum() * flow["epoch_s"][0]
    silent = result.silences.filter(pl.col("flow") == 0)["length_s"].sum()
    # A silence covers the epochs that lie in it, and parts of two more.
    assert idle <= silent + flow["epoch_s"][0]


def test_timeouts_in_a_row_are_all_timeouts(result: Result) -> None:
    table = epochs.timeouts_in_a_row(result)
    assert table["timeouts"].sum() == result.flows["timeouts"].sum() > 0
    repeated = table.filter(pl.col("in_a_row") > 1)["timeouts"].sum()
    assert repeated == result.flows["repeated_timeouts"].sum() > 0
    assert table["timeouts"].is_sorted(descending=True), "no second one without a first"
