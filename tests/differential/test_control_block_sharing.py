"""Temporal and ensemble sharing in the simulator against their plain-Python reading."""

from math import inf
from typing import Any

import polars as pl
import pytest

from reference.transport.control_block_sharing import (
    Sender,
    retransmission_timeout_s,
    temporal_thresholds,
    welcome,
)
from tests.differential.idle_path import INITIAL, RTT_S, flights, run


def beginning(threshold: float) -> dict[str, Any]:
    """What gives a connection a threshold of its own."""
    return {} if threshold == inf else {"tcp": {"initial_ssthresh": f"{threshold:.0f} packets"}}


@pytest.mark.parametrize("alone", [(inf, 8.0, inf), (8.0, inf, 16.0), (16.0, 4.0, inf), (inf, inf)])
def test_a_connection_begins_with_the_threshold_of_the_latest(alone: tuple[float, ...]) -> None:
    expected = [Sender(INITIAL, threshold).flights(6) for threshold in temporal_thresholds(alone)]
    flows = [
        {"packets": sum(sent), "start": f"{10 * number} s", **beginning(threshold)}
        for number, (threshold, sent) in enumerate(zip(alone, expected, strict=True))
    ]
    result = run("temporal", flows)
    assert [flights(result, flow) for flow in range(len(flows))] == expected


@pytest.mark.parametrize("round_trips", [2, 4, 7, 10])
@pytest.mark.parametrize(
    "thresholds", [(40.0,), (12.0, 40.0), (5.0, 20.0, 60.0), (2.0,), (inf,), (inf, 8.0), (inf, 5.0, 9.0)]
)
def test_a_connection_takes_its_share_of_those_open(thresholds: tuple[float, ...], round_trips: int) -> None:
    """The new connection opens between two flights of the others, which begin together."""
    open_ones = [Sender(INITIAL, threshold) for threshold in thresholds]
    in_network = [one.flights(round_trips)[-1] for one in open_ones]
    expected = welcome(open_ones, INITIAL).flights(5)
    for one, packets in zip(open_ones, in_network, strict=True):
        one.acknowledge(packets)
    flows: list[dict[str, Any]] = [{"packets": 10_000, **beginning(one)} for one in thresholds]
    opens_s = RTT_S * (round_trips + 0.48)
    flows.append({"packets": sum(expected), "start": f"{opens_s:.4f} s"})
    result = run("ensemble", flows)
    assert flights(result, len(open_ones)) == expected
    next_flights = [flights(result, flow)[round_trips] for flow in range(len(open_ones))]
    assert next_flights == [int(one.window) for one in open_ones]


@pytest.mark.parametrize("sharing", ["temporal", "ensemble", "spand"])
@pytest.mark.parametrize("packets", [1, 2])
@pytest.mark.parametrize(("margin_s", "syns"), [(-3e-3, 1), (3e-3, 2)])
def test_the_first_timeout_is_that_of_the_latest(
    sharing: str, packets: int, margin_s: float, syns: int
) -> None:
    """The SYN waits for an outage's end: it is repeated where its answer is later than the timeout."""
    timeout_s = retransmission_timeout_s(RTT_S, samples=1 + packets)
    end_s = 10 + timeout_s - RTT_S + margin_s
    flows: list[dict[str, Any]] = [{"packets": packets}, {"packets": 2, "start": "10 s"}]
    link = {"outage": {"spans": [["9.9 s", f"{end_s:.6f} s"]]}}
    result = run(sharing, flows, link, rto_min="10 ms")
    assert result.packets.filter((pl.col("flow") == 1) & (pl.col("sequence") == 0)).height == syns


def test_shares_by_hand() -> None:
    """Three windows make an equal fourth; the others keep three quarters of theirs."""
    open_ones = [Sender(8.0, 4.0), Sender(12.0, 8.0), Sender(20.0, 12.0)]
    assert welcome(open_ones, INITIAL) == Sender(10.0, 8.0)
    assert [one.window for one in open_ones] == [6.0, 9.0, 15.0]
    assert welcome([Sender(2.0, 2.0)], INITIAL) == Sender(INITIAL, 2.0)
    assert welcome([Sender(8.0, 4.0), Sender(12.0)], INITIAL).threshold == inf
