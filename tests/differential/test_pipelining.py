"""Persistent connections in the simulator against their plain-Python reading: pages, and waits for data."""

from typing import Any

import pytest

import ackclock
from reference.transport.pipelining import Path, blocked, flights_of_pages, in_streams, one_by_one, waits

PATH = Path(packet_s=0.01, delay_s=0.05)
PACKETS = 30
STALL_S = 0.03
"""Above the gap that a lost packet leaves."""


def run(pool: str, objects: int, size: int, link: dict[str, Any], **keys: Any) -> ackclock.Result:
    """A user with one connection, whose packets of 1250 bytes take 10 ms."""
    how: dict[str, Any] = dict.fromkeys(pool.split(), True)
    way = {"rate": "1 Mbit/s", "delay": "50 ms", "buffer": "9999 packets"}
    return ackclock.run(
        {
            "name": "pipelining",
            "duration": "60 s",
            "topology": {"graph": {"link": [{"from": "a", "to": "b", **way, **link}]}},
            "tcp": {
                "algorithm": "sack",
                "mss": "1210 bytes",
                "initial_window": f"{PACKETS} packets",
                "segments_per_ack": 1,
                "limited_growth": "window",
                **keys.pop("tcp", {}),
            },
            "flow": [
                {
                    "from": "a",
                    "to": "b",
                    "size": {"constant": f"{size} packets"},
                    "pool": {
                        "connections": 1,
                        "objects": {"constant": f"{objects} objects"},
                        "stall_after": f"{STALL_S} s",
                        **how,
                    },
                    **keys,
                }
            ],
        }
    )


def lose(packet: int) -> dict[str, Any]:
    """Scripts number packets of data from 1."""
    return {"loss": {"scripted": {"flow": 0, "packets": [packet + 1]}}}


@pytest.mark.parametrize("objects", [1, 3, 10])
@pytest.mark.parametrize("lost", [None, 0, 1, 7, 14, 26])
@pytest.mark.parametrize("streams", [False, True])
def test_a_loss_blocks_what_the_reading_says(objects: int, lost: int | None, streams: bool) -> None:
    size = PACKETS // objects
    pool = "persistent pipelining streams" if streams else "persistent pipelining"
    result = run(pool, objects, size, {} if lost is None else lose(lost))
    page = result.pages.row(0, named=True)
    arrivals = PATH.arrivals(PACKETS, lost)
    complete = (in_streams if streams else blocked)(arrivals, [size] * objects)
    assert page["finish_s"] - page["start_s"] == pytest.approx(max(complete), abs=0.003)
    gaps = [gap for gap in waits(arrivals, ordered=not streams) if gap > STALL_S]
    assert page["stalls"] == len(gaps)
    assert page["stall_s"] == pytest.approx(sum(gaps), abs=0.003)
    assert page["longest_stall_s"] == pytest.approx(max(gaps), abs=0.003)


def test_a_loss_in_the_first_object_by_hand() -> None:
    """Ten objects of three packets; the second packet of the first is lost.

    Without the loss the objects are there at 180, 210 .. 450 ms: a round trip of 100 ms, 10 ms for a
    packet, and 50 ms on the way. The duplicates are back at 250 ms, and the retransmission leaves behind
    all others at 400 ms: it is there at 460 ms.
    """
    arrivals = PATH.arrivals(PACKETS, 1)
    sizes = [3] * 10
    assert in_streams(arrivals, sizes) == pytest.approx(
        [0.46, 0.21, 0.24, 0.27, 0.3, 0.33, 0.36, 0.39, 0.42, 0.45]
    )
    assert blocked(arrivals, sizes) == pytest.approx([0.46] * 10)
    assert max(waits(arrivals, ordered=True)) == pytest.approx(0.3)
    assert max(waits(arrivals, ordered=False)) == pytest.approx(0.16)


@pytest.mark.parametrize(("objects", "size"), [(1, 30), (3, 10), (10, 3), (30, 1)])
def test_without_pipelining_each_object_waits_for_the_one_before(objects: int, size: int) -> None:
    page = run("persistent", objects, size, {}).pages.row(0, named=True)
    expected = one_by_one(PATH, [size] * objects)[-1]
    # An acknowledgment takes 0.32 ms on the link.
    assert page["finish_s"] - page["start_s"] == pytest.approx(expected, abs=0.001 + 0.0004 * objects)


@pytest.mark.parametrize(("think_s", "restarts"), [(0.5, False), (3, True)])
def test_an_idle_connection_restarts_from_its_initial_window(think_s: float, restarts: bool) -> None:
    """Pages of 28 packets from a window of 4: 4, 8 and 16 packets, then 16 and 12, or 4, 8 and 16 again."""
    result = run(
        "persistent pipelining",
        7,
        4,
        {"rate": "10 Gbit/s"},
        think={"constant": f"{think_s} s"},
        think_first=False,
        tcp={"initial_window": "4 packets"},
    )
    pages = result.pages.sort("start_s")["start_s", "finish_s"].rows()[:2]
    (_, finish), (start, _) = pages
    # The thinking begins when the last acknowledgment is back.
    assert start - finish == pytest.approx(think_s + 0.05, abs=0.001)
    expected = flights_of_pages([28, 28], 4, restarts)
    assert expected == ([3, 3] if restarts else [3, 2])
    handshake = [1, 0]
    found = [finish - start for start, finish in pages]
    times = [0.1 * (flights - 0.5 + opening) for flights, opening in zip(expected, handshake, strict=True)]
    assert found == pytest.approx(times, abs=0.001)
