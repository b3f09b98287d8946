"""XCP's router in the simulator and in plain Python: the same feedback for every packet.

Two senders, the second readings of XCP's, share a router. The facts of each acknowledgment say when each
packet left and what its header stated, so that the second reading of the router can be given the same ones.
"""

import math
from dataclasses import dataclass

import pytest

import ackclock
from reference import Ack, Start
from reference.controllers.xcp import Xcp
from reference.queue.xcp import SECOND, Router

SIZE = 1500
MSS = SIZE - 40
RATE = 10_000_000
DELAYS_MS = (13, 61)
"""One way, beyond the router."""


@dataclass(frozen=True)
class Sent:
    """A packet as it left."""

    at: int
    flow: int
    number: int
    rtt: float
    x: float


class Recorded(Xcp):
    """A sender that notes what it sends, and the feedback that comes back."""

    def __init__(self, start: Start) -> None:
        self.begin(start)
        self.sent: list[tuple[int, float, float]] = []
        self.feedback: list[float] = []
        everyone.append(self)

    def on_ack(self, ack: Ack) -> None:
        now = round(ack.now * SECOND)
        if not self.sent:
            # The initial window left a round trip ago, when the SYN had been answered.
            flight = int(ack.in_flight + ack.delivered)
            self.sent = [(now - round(ack.min_rtt * SECOND), 0.0, 0.0)] * flight
        super().on_ack(ack)
        assert ack.feedback is not None
        self.feedback.append(ack.feedback * SIZE)
        room = max(0, int(self.cwnd) - int(ack.in_flight))
        self.sent += [(now, ack.srtt, ack.srtt / self.cwnd)] * room


everyone: list[Recorded] = []


def simulated(rate: int, buffer: int) -> list[Recorded]:
    everyone.clear()
    links = [{"from": "a", "to": "b", "rate": f"{rate} bit/s", "delay": "5 ms", "queue": "xcp"}]
    links[0]["buffer"] = f"{buffer} packets"
    links += [
        {"from": "b", "to": f"c{flow}", "rate": "100 Gbit/s", "delay": f"{delay} ms"}
        for flow, delay in enumerate(DELAYS_MS)
    ]
    flows = [
        {"name": f"f{flow}", "from": "a", "to": f"c{flow}", "algorithm": "sack+twin", "start": start}
        for flow, start in enumerate(("0 s", "1.3 s"))
    ]
    ackclock.run(
        {
            "name": "xcp",
            "duration": "6 s",
            "tcp": {
                "handshake": False,
                "initial_window": "10 packets",
                "segments_per_ack": 1,
                "header": "40 bytes",
            },
            "topology": {"graph": {"link": links}},
            "flow": flows,
        },
        algorithms={"twin": Recorded},
    )
    return list(everyone)


def replayed(senders: list[Recorded], rate: int) -> list[list[float]]:
    """The feedback that the second reading gives to the packets of each flow."""
    packets = [
        Sent(at, flow, number, rtt, x)
        for flow, sender in enumerate(senders)
        for number, (at, rtt, x) in enumerate(sender.sent)
    ]
    packets.sort(key=lambda packet: (packet.at, packet.flow, packet.number))
    router = Router(rate / 8)
    service = SIZE * 8 * SECOND // rate
    waiting: list[Sent] = []
    granted: list[list[float]] = [[] for _ in senders]
    free = 0

    def serve(at: int) -> None:
        nonlocal free
        packet = waiting.pop(0)
        router.until(at)
        granted[packet.flow].append(router.depart(SIZE, packet.rtt, packet.x, math.inf))
        free = at + service

    for packet in packets:
        while waiting and free <= packet.at:
            serve(free)
        router.until(packet.at)
        router.arrive(SIZE, packet.rtt, packet.x)
        waiting.append(packet)
        if free <= packet.at:
            serve(packet.at)
    return granted


@pytest.mark.parametrize("rate", [RATE, 2_000_000])
def test_every_packet_has_the_same_feedback(rate: int) -> None:
    senders = simulated(rate, 1000)
    granted = replayed(senders, rate)
    for sender, expected in zip(senders, granted, strict=True):
        found = sender.feedback
        assert len(found) > 250
        assert found == pytest.approx(expected[: len(found)], rel=1e-4, abs=0.5)
    # It is no flow of nothing: both directions, and a share that the second flow takes from the first.
    assert min(senders[0].feedback) < -100
    assert max(senders[1].feedback) > 100
