"""TCP Fast Start in the simulator against its plain-Python reading: what leaves when, and what is marked."""

from collections import Counter
from typing import Any

import polars as pl
import pytest

import ackclock
from reference.transport.fast_start import flights

RTT_S = 0.1
START_S = 10.0
FIRST = 30
"""Packets of the first file: 2, 4, 8 and 16 leave, and grow the window no further."""
CACHED, INITIAL = 16, 2


def files(packets: int) -> list[dict[str, Any]]:
    """A file, and one of this many packets that takes over its window."""
    ends = {"from": "a", "to": "b"}
    return [{**ends, "packets": FIRST}, {**ends, "packets": packets, "start": f"{START_S} s"}]


def run(flows: list[dict[str, Any]], link: dict[str, Any]) -> ackclock.Result:
    """Flows with Fast Start over a path of one link."""
    path = {"from": "a", "to": "b", "rate": "10 Gbit/s", "delay": f"{RTT_S / 2} s", "buffer": "1000 packets"}
    return ackclock.run(
        {
            "name": "fast-start",
            "duration": "20 s",
            "topology": {"graph": {"link": [{**path, **link}]}},
            "tcp": {
                "algorithm": "newreno",
                "mss": "1000 bytes",
                "initial_window": f"{INITIAL} packets",
                "segments_per_ack": 1,
                "limited_transmit": False,
                "sharing": "fast-start",
                "limited_growth": "window",  # the rule of its time
            },
            "trace": {"packets": ["a->b"]},
            "flow": flows,
        }
    )


def sent(packets: int, lost: tuple[int, ...]) -> list[list[int]]:
    """The packets that leave in each round trip once the second connection is established."""
    counted = [number + 1 for number in lost]
    loss = {"scripted": {"flow": 1, "packets": counted}} if lost else {"bernoulli": 0.0}
    result = run(files(packets), {"loss": loss, "reverse": {"loss": {"bernoulli": 0.0}}})
    mine = result.packets.filter((pl.col("flow") == 1) & (pl.col("payload_bytes") > 0))
    rounds: dict[int, list[int]] = {}
    for time_s, sequence in mine.select("time_s", "sequence").iter_rows():
        rounds.setdefault(int((time_s - START_S) / RTT_S - 0.5), []).append((sequence - 1) // 1000)
    return [rounds[number] for number in sorted(rounds)]


@pytest.mark.parametrize("packets", [10, 16, 45, 100])
@pytest.mark.parametrize("lost", [(), (0,), (4,), (3, 6)])
def test_packets_leave_as_in_the_reading(packets: int, lost: tuple[int, ...]) -> None:
    expected = flights(packets, CACHED, INITIAL, lost)
    assert sent(packets, lost) == [[departure.number for departure in flight] for flight in expected]


def test_a_window_kept_through_an_idle_time_leaves_as_in_the_reading() -> None:
    """The second object of a connection that stays open begins with the window of the first."""
    user = {
        "from": "a",
        "to": "b",
        "size": {"constant": f"{FIRST} packets"},
        "think": {"constant": "5 s"},
        "pool": {"connections": 1, "persistent": True},
    }
    result = run([user], {})
    data = result.packets.filter(pl.col("payload_bytes") > 0)
    second = data.filter((pl.col("sequence") > 1000 * FIRST) & (pl.col("sequence") < 2000 * FIRST))
    times_s = second["time_s"].to_list()
    counts = Counter(round((time_s - times_s[0]) / RTT_S) for time_s in times_s)
    expected = [len(flight) for flight in flights(FIRST, CACHED, INITIAL)]
    assert [counts[number] for number in sorted(counts)] == expected


def test_flights_by_hand() -> None:
    """All 16 of the window; after the loss of the fifth, the initial window from it on."""
    assert [len(flight) for flight in flights(100, CACHED, INITIAL)] == [16, 32, 52]
    second = flights(45, CACHED, INITIAL, (4,))[1]
    assert [one.number for one in second] == [*range(16, 24), 4, 5]


@pytest.mark.parametrize(("flight", "marked"), [(0, True), (1, False)])
def test_packets_that_are_dropped_first_are_those_of_the_reading(flight: int, marked: bool) -> None:
    """Eight packets of another connection meet a full queue of ten: what is marked makes room for them."""
    assert {one.low_priority for one in flights(45, CACHED, INITIAL)[flight]} == {marked}
    slow = {"rate": "10 Mbit/s", "buffer": "10 packets", "queue": "drop-priority"}
    arrival_s = START_S + RTT_S * (1 + flight) + 1e-3
    other = {
        "from": "a",
        "to": "b",
        "packets": 8,
        "start": f"{arrival_s - RTT_S:.4f} s",
        "tcp": {"sharing": "temporal", "initial_window": "8 packets"},
    }
    transfers = run([*files(45), other], slow).transfers.sort("flow")
    assert (transfers["packets_lost"][2] == 0) == marked
