"""The compiled PCC Allegro and both of PCC Vivace against their readings, on a line that has room for them.

Random events, as `test_models.py` tells them, seldom let an interval end: here packets follow the rate,
queue, and are lost, so that every state is reached.
"""

import heapq
import math
import random
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ackclock._native import Controller
from reference import CONTROLLERS, Ack, RateSample, Signal, Start
from tests.differential.pair import BASE_RTT_NS, DifferentialPair

SECOND = 1_000_000_000
DUPLICATES = 3


@dataclass
class Line(DifferentialPair):
    """A line, and a sender of packets one after the other, at the rate of the reading."""

    compared = "cwnd, pacing rate"
    chance: random.Random = field(default_factory=random.Random)
    capacity: float = 1000.0
    room: int = 20
    loss: float = 0.0
    limited: float = 0.0
    next_packet: int = 0
    next_ns: int = 0
    free_ns: int = 0
    arriving: list[tuple[int, int, int]] = field(default_factory=list)
    """Times of acknowledgments, packets and their times of sending."""
    dropped: list[int] = field(default_factory=list)
    round_from: int = 0
    grows_from: int = 0
    """The first round in which the window may grow."""

    def outcomes(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        compiled = (self.compiled.cwnd, self.compiled.pacing_rate or math.inf)
        return compiled, (self.twin.cwnd, self.twin.pacing_rate)

    def send(self) -> None:
        """A packet, which queues unless it is lost."""
        packet, self.next_packet = self.next_packet, self.next_packet + 1
        start = max(self.now_ns, self.free_ns)
        service = round(SECOND / self.capacity)
        if start - self.now_ns > self.room * service or self.chance.random() < self.loss:
            self.dropped.append(packet)
        else:
            self.free_ns = start + service
            heapq.heappush(self.arriving, (self.free_ns + BASE_RTT_NS, packet, self.now_ns))
        rate = self.twin.pacing_rate
        # And a little more, or intervals of ten packets would end with an acknowledgment.
        self.next_ns = (
            self.now_ns + (0 if math.isinf(rate) else round(SECOND / rate)) + self.chance.randrange(1000)
        )

    def receive(self) -> None:
        """The next acknowledgment, with the losses that it tells."""
        self.now_ns, packet, sent_ns = heapq.heappop(self.arriving)
        lost = sum(number <= packet - DUPLICATES for number in self.dropped)
        self.dropped = [number for number in self.dropped if number > packet - DUPLICATES]
        self.measure(self.now_ns - sent_ns)
        if packet >= self.round_from:
            self.round += 1
            self.round_from = self.next_packet
        if lost and self.round >= self.grows_from:
            self.grows_from = self.round + 1
            self.congestion(Signal.LOSS, float(len(self.arriving)), restart=False)
        self.timed_out = False
        self.acknowledge(
            Ack(
                now=self.now_ns / 1e9,
                delivered=1.0,
                lost=float(lost),
                in_flight=float(len(self.arriving) + len(self.dropped)),
                rtt=(self.now_ns - sent_ns) / 1e9,
                srtt=self.srtt_ns / 1e9,
                min_rtt=self.min_rtt_ns / 1e9,
                round=self.round,
                suspended=self.round < self.grows_from,
                rate=RateSample(rate=self.capacity, app_limited=self.chance.random() < self.limited),
            )
        )

    def carry(self, packets: int, capacity: float, room: int, loss: float, limited: float) -> None:
        """Sends this many packets, over a line with this capacity, this much room and these losses."""
        self.capacity, self.room, self.loss, self.limited = capacity, room, loss, limited
        for _ in range(packets):
            while len(self.arriving) + len(self.dropped) >= self.twin.cwnd:
                if self.arriving:
                    self.receive()
                else:
                    self.dropped.clear()
                    self.expire(self.twin.cwnd)
            while self.arriving and self.arriving[0][0] <= self.next_ns:
                self.receive()
            self.now_ns = max(self.now_ns, self.next_ns)
            self.send()

    def pause(self, restart_window: float) -> None:
        """Nothing is sent until all has arrived, and for a second more."""
        while self.arriving:
            self.receive()
        self.dropped.clear()
        self.next_ns = self.now_ns = self.now_ns + SECOND
        self.idle(restart_window)


carries = st.tuples(
    st.just("carry"),
    st.integers(50, 800),
    st.floats(50.0, 5000.0),
    st.integers(2, 200),
    st.sampled_from([0.0, 0.0, 0.01, 0.04, 0.08]),
    st.sampled_from([0.0, 0.0, 0.0, 0.01]),
)
pauses = st.tuples(st.just("pause"), st.floats(1.0, 10.0))
lives = st.lists(st.one_of(carries, carries, carries, pauses), min_size=2, max_size=6)


@pytest.mark.parametrize("name", ["allegro", "vivace", "vivace-linux"])
@given(seed=st.integers(0, 1000), life=lives)
@settings(max_examples=40, deadline=None)
def test_compiled_and_reference_agree_on_a_line(name: str, seed: int, life: list[tuple[Any, ...]]) -> None:
    twin = CONTROLLERS[name](seed=float(seed))
    twin.begin(Start())
    chance = random.Random(seed)  # noqa: S311 - no secret
    line = Line(Controller(f"{name}(seed={seed})", 10.0), twin, chance=chance)
    for event, *rest in life:
        getattr(line, event)(*rest)
