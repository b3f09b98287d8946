"""The queue of TCP Fast Start's routers, in the simulator and in plain Python."""

import pytest

import ackclock
from reference.queue.drop_priority import DropPriority
from reference.queue.priority import Priority
from tests.differential.gateway import RATE, Packet, driven, rows

BUFFER = 12
FAST = 8
"""Files with Fast Start; the others follow."""
INITIAL_WINDOW = 1
FIRST_FLIGHT_NS = 20_000_000
"""Longer than a burst takes to arrive, and less than a round trip."""


def simulated(queue: str) -> ackclock.Result:
    """Files with and without Fast Start, over one link with that queue."""
    gateway = {
        "from": "gateway",
        "to": "sink",
        "rate": f"{RATE} bit/s",
        "delay": "10 ms",
        "buffer": f"{BUFFER} packets",
        "queue": queue,
        "reverse": {"queue": "droptail", "buffer": "1000 packets"},
    }
    near = {"to": "sources", "rate": "89 Mbit/s", "buffer": "10000 packets"}
    links = [
        {"from": "sources", "to": "gateway", "rate": "97 Mbit/s", "delay": "5 ms", "buffer": "10000 packets"},
        gateway,
        {"from": "fast", **near, "delay": "3.1 ms"},
        {"from": "usual", **near, "delay": "9.7 ms"},
    ]
    files = [
        {
            "from": "fast",
            "to": "sink",
            "packets": 60,
            "start": f"{3.0 * i:g} s",
            "tcp": {"sharing": "fast-start"},
        }
        for i in range(FAST)
    ]
    files += [
        {"from": "usual", "to": "sink", "packets": 40, "start": f"{0.173 + 0.61 * i:g} s"} for i in range(40)
    ]
    return ackclock.run(
        {
            "name": "drop-priority",
            "duration": "30 s",
            "topology": {"graph": {"link": links}},
            "tcp": {
                "algorithm": "sack",
                "initial_window": f"{INITIAL_WINDOW} packets",
                "segments_per_ack": 1,
            },
            "flow": files,
            "trace": {"packets": ["sources->gateway", "gateway->sink"]},
        }
    )


def marked(packets: list[Packet]) -> set[int]:
    """The places of packets that belong to a window taken over, which leaves as one burst.

    A window is on trial if it is larger than that of a connection which takes nothing over.
    """
    found: set[int] = set()
    for flow in range(FAST):
        mine = [(place, p) for place, p in enumerate(packets) if p.flow == flow and p.payload > 0]
        flight = [place for place, p in mine if p.time < mine[0][1].time + FIRST_FLIGHT_NS]
        assert len(flight) != INITIAL_WINDOW or flow == 0, "it may be on trial or not"
        if len(flight) > INITIAL_WINDOW:
            found.update(flight)
    return found


@pytest.mark.parametrize("queue", ["drop-priority", "priority"])
def test_marked_packets_are_dropped_first(queue: str) -> None:
    result = simulated(queue)
    packets = rows(result, "sources->gateway")
    low = {id(packets[place]) for place in marked(packets)}
    assert len(low) > 50
    twin: DropPriority | Priority
    if queue == "drop-priority":
        twin = fifo = DropPriority(BUFFER)
        sent = driven(packets, lambda waiting, p: fifo.enqueue(waiting, id(p) in low), fifo.dequeue)
    else:
        twin = classes = Priority(BUFFER)
        sent = driven(
            packets, lambda waiting, p: classes.enqueue(waiting, -int(id(p) in low)), classes.dequeue
        )
    expected = [packet.name for packet in rows(result, "gateway->sink")]
    assert [packet.name for packet in sent[: len(expected)]] == expected
    assert len(twin.dropped) == int(result.links["dropped_queue"].sum()) > 50
    assert any(id(waiting.name) in low for waiting in twin.dropped)
