"""The compiled endpoints of the ACK/NAK transport against their plain-Python twins, over random networks."""

import heapq
import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ackclock._native import AckNakReceiver, AckNakSender
from reference import AVOIDANCES, SLOW_STARTS, Start, Windowed
from reference.transport import acknak
from reference.transport.acknak import Kind, Message, State

TOLERANCE = 1e-9
SECOND = 1_000_000_000
MOST_EVENTS = 2_500

Sent = tuple[str, int, int]


@dataclass(frozen=True)
class Weather:
    """The conditions of the network for an interval."""

    lasts_ns: int
    delay_ns: int
    """One way, without queueing."""
    service_ns: int
    """Between two packets on the link."""
    buffer: int
    """Packets that may wait for the link."""
    losses: dict[Kind, float]
    """Probability by kind."""


@dataclass
class Network:
    """A link with a buffer, and a way back; packets are lost, but never overtake each other."""

    weathers: list[Weather]
    chance: random.Random
    arrivals: list[tuple[int, int, Message]] = field(default_factory=list)
    link_free_ns: int = 0
    last_ns: dict[bool, int] = field(default_factory=lambda: {True: 0, False: 0})
    entered: int = 0

    def weather(self, now_ns: int) -> Weather:
        """The present one; the last is for good."""
        for weather in self.weathers[:-1]:
            if now_ns < weather.lasts_ns:
                return weather
            now_ns -= weather.lasts_ns
        return self.weathers[-1]

    def enter(self, now_ns: int, message: Message) -> None:
        """A message is sent; it may be lost."""
        weather = self.weather(now_ns)
        if self.chance.random() < weather.losses[message.kind]:
            return
        leaves_ns = now_ns
        forward = message.kind in {Kind.SYN, Kind.DATA}
        if forward:
            leaves_ns = max(now_ns, self.link_free_ns) + weather.service_ns
            if leaves_ns - now_ns > weather.buffer * weather.service_ns:
                return
            self.link_free_ns = leaves_ns
        self.last_ns[forward] = max(self.last_ns[forward], leaves_ns + weather.delay_ns)
        self.entered += 1
        heapq.heappush(self.arrivals, (self.last_ns[forward], self.entered, message))


@dataclass
class Pair:
    """Both sources and both receivers, driven by the same events."""

    compiled: AckNakSender
    twin: acknak.Source
    network: Network
    stop_ns: int | None
    compiled_receiver: AckNakReceiver = field(default_factory=AckNakReceiver)
    receiver: acknak.Receiver = field(default_factory=acknak.Receiver)
    now_ns: int = 0
    events: list[tuple[float, object]] = field(default_factory=list)

    def run(self) -> None:
        """From the opening on, until the flow is over or long enough."""
        self.compiled.on_timer(0)
        self.compare("open", self.twin.open(0))
        for _ in range(MOST_EVENTS):
            if self.is_on_an_edge():
                break
            wake_ns = self.wake_ns()
            if self.network.arrivals and (wake_ns is None or self.network.arrivals[0][0] < wake_ns):
                self.now_ns, _, message = heapq.heappop(self.network.arrivals)
                self.arrive(message)
            elif wake_ns is not None:
                self.now_ns = wake_ns
                self.expire()
            else:
                break

    def wake_ns(self) -> int | None:
        """When a timer expires."""
        times = [time for time in (self.twin.deadline_ns, self.stop_ns) if time is not None]
        return min(times, default=None)

    def arrive(self, message: Message) -> None:
        """A message reaches one end."""
        arrived = (message.kind.value, message.number, message.sent_ns)
        if message.kind in {Kind.SYN, Kind.DATA}:
            answer = self.receiver.on_message(message)
            self.compiled_receiver.on_segment(self.now_ns, *arrived)
            found = self.compiled_receiver.poll_transmit(self.now_ns)
            assert found == (answer.kind.value, answer.number, answer.sent_ns), self.history()
            self.network.enter(self.now_ns, answer)
        else:
            self.compiled.on_segment(self.now_ns, *arrived)
            self.compare(arrived, self.twin.on_message(self.now_ns, message))

    def expire(self) -> None:
        """The application stops, or a timer expires, or both."""
        sent: list[Message] = []
        self.compiled.on_timer(self.now_ns)
        if self.now_ns == self.stop_ns:
            self.stop_ns = None
            self.twin.close()
        if self.now_ns == self.twin.deadline_ns:
            sent = self.twin.on_deadline(self.now_ns)
        self.compare("timer", sent)

    def compare(self, event: object, sent: list[Message]) -> None:
        """Both send the same, and are in the same state; what they send enters the network."""
        self.events.append((self.now_ns / 1e9, event))
        polled: list[Sent] = []
        while (found := self.compiled.poll_transmit(self.now_ns)) is not None:
            polled.append(found)
        if self.is_on_an_edge():
            return
        assert polled == [(message.kind.value, message.number, message.sent_ns) for message in sent], (
            self.history()
        )
        if self.twin.state in {State.FINISHED, State.FAILED}:
            self.stop_ns = None
        assert (
            self.compiled.next_wake_ns,
            self.compiled.rto_ns,
            self.compiled.delivered,
            self.compiled.is_over,
            self.compiled.has_failed,
        ) == (
            self.wake_ns(),
            self.twin.rto_ns,
            self.twin.delivered,
            self.twin.state in {State.FINISHED, State.FAILED},
            self.twin.state is State.FAILED,
        ), self.history()
        windows = (self.compiled.cwnd, self.compiled.ssthresh)
        expected = (self.twin.controller.cwnd, self.twin.controller.window.ssthresh)
        for window, other in zip(windows, expected, strict=True):
            assert math.isclose(window, other, rel_tol=TOLERANCE), (
                f"{windows}, the reference has {expected}; {self.history()}"
            )
        for message in sent:
            self.network.enter(self.now_ns, message)

    def is_on_an_edge(self) -> bool:
        """True if windows that agree lie on two sides of a whole packet or of ssthresh by rounding alone.

        What is sent next, or the phase, then hangs on a last bit, and so would all that follows.
        """
        windows = (self.compiled.cwnd, self.twin.controller.cwnd)
        thresholds = (self.compiled.ssthresh, self.twin.controller.window.ssthresh)
        sides = {
            (math.floor(window), window < ssthresh)
            for window, ssthresh in zip(windows, thresholds, strict=True)
        }
        return len(sides) > 1 and all(
            math.isclose(*pair, rel_tol=TOLERANCE) for pair in (windows, thresholds)
        )

    def history(self) -> str:
        """The last events."""
        return "after\n" + "\n".join(f"{time:.9f} {event}" for time, event in self.events[-20:])


# Odd nanoseconds, so that no span lies on a threshold by construction.
delays = st.integers(500_003, 150_000_017)
poor = st.sampled_from([0.0, 0.003, 0.02, 0.2])
good = st.sampled_from([0.0, 0.0, 0.003])
# Most flows end late, or not at all.
endings = st.sampled_from([None, None, 2_000])
handshake = st.sampled_from([0.0, 0.0, 0.0, 0.5])


@st.composite
def weathers(draw: st.DrawFn, *, wide: bool) -> list[Weather]:
    """A few in a row, outages among them but not for good.

    Wide ones carry hundreds of packets per round trip and lose few of them otherwise than by a full buffer.
    """
    drawn = []
    for remaining in reversed(range(draw(st.integers(1, 4)))):
        delay_ns = draw(delays)
        capacity = draw(st.integers(100, 300) if wide else st.integers(2, 60))
        shares = good if wide else poor
        outage = remaining > 0 and draw(st.sampled_from([False, False, True]))
        returning = draw(shares)
        drawn.append(
            Weather(
                lasts_ns=draw(st.integers(SECOND // 10, 8 * SECOND)),
                delay_ns=delay_ns,
                service_ns=2 * delay_ns // capacity + 1,
                buffer=draw(st.integers(40, 200) if wide else st.integers(1, 40)),
                losses={
                    Kind.SYN: 1.0 if outage else draw(handshake),
                    Kind.SYN_ACK: draw(handshake),
                    Kind.DATA: 1.0 if outage else draw(shares),
                    Kind.ACK: returning,
                    Kind.NAK: draw(st.sampled_from([returning] * 4 + [1.0])),
                },
            )
        )
    return drawn


def agree(slow_start: str, avoidance: str, data: st.DataObject) -> Pair:
    """Drives both over a random network."""
    window = data.draw(st.sampled_from([1.0, 2.0, 2.0, 60.0]), "initial window")
    ssthresh = data.draw(st.just(math.inf) | st.floats(2.0, 200.0), "initial ssthresh")
    path = data.draw(weathers(wide=data.draw(st.booleans(), "wide")), "network")
    base_ns = 2 * min(weather.delay_ns for weather in path)
    round_trip_ns = data.draw(st.sampled_from([base_ns, base_ns, base_ns // 7]), "round trip")
    packets = data.draw(endings | st.integers(0, 3_000), "packets")
    stop_ns = data.draw(st.none() | st.integers(1, 60 * SECOND), "stop")
    compiled = AckNakSender(
        f"{slow_start}+{avoidance}",
        round_trip_ns=round_trip_ns,
        initial_window=window,
        initial_ssthresh=ssthresh,
        packets=packets,
        stop_ns=stop_ns,
    )
    controller = Windowed(
        SLOW_STARTS[slow_start](),
        AVOIDANCES[avoidance](),
        Start(initial_window=window, initial_ssthresh=ssthresh, restart_window=window),
    )
    twin = acknak.Source(controller, round_trip_ns, math.inf if packets is None else packets)
    chance = random.Random(data.draw(st.integers(0, 2**32), "chance"))  # noqa: S311
    pair = Pair(compiled, twin, Network(path, chance), stop_ns)
    pair.run()
    return pair


# All that the chapter has, and one with another clock of round trips.
@pytest.mark.parametrize(
    "avoidance", ["reno", "bic", "compound", "fast", "hstcp", "htcp", "scalable", "vegas"]
)
@given(data=st.data())
@settings(max_examples=100)
def test_both_ends_agree(avoidance: str, data: st.DataObject) -> None:
    agree("limited-mesonet", avoidance, data)


@given(avoidance=st.sampled_from(["reno", "hetcp", "cubic", "westwood"]), data=st.data())
@settings(max_examples=100)
def test_both_ends_agree_under_standard_slow_start(avoidance: str, data: st.DataObject) -> None:
    agree("standard", avoidance, data)


def flow(losses: Callable[[int, Message], bool], packets: int | None = None) -> Pair:
    """A pair over a path with scripted loss."""

    class ScriptedLoss(Network):
        def enter(self, now_ns: int, message: Message) -> None:
            if not losses(now_ns, message):
                super().enter(now_ns, message)

    clear = Weather(SECOND, 50_000_003, 1_000_003, 1_000, dict.fromkeys(Kind, 0.0))
    twin = acknak.Source(
        Windowed(
            SLOW_STARTS["standard"](),
            AVOIDANCES["reno"](),
            Start(initial_window=2.0, initial_ssthresh=40.0, restart_window=2.0),
        ),
        100_000_006,
        math.inf if packets is None else packets,
    )
    compiled = AckNakSender(
        "standard+reno", round_trip_ns=100_000_006, initial_ssthresh=40.0, packets=packets
    )
    return Pair(compiled, twin, ScriptedLoss([clear], random.Random(0)), None)  # noqa: S311


def test_a_handshake_gives_up_after_21_seconds() -> None:
    pair = flow(lambda _, message: message.kind is Kind.SYN)
    pair.run()
    assert pair.events == [(0.0, "open"), *((at, "timer") for at in (3.0, 9.0, 21.0))]
    assert pair.compiled.has_failed


def test_a_window_with_many_losses_is_halved_once() -> None:
    pair = flow(lambda _, message: message.kind is Kind.DATA and message.number in range(150, 180, 3), 200)
    pair.run()
    assert pair.compiled.is_over
    assert 20.0 < pair.compiled.ssthresh < 30.0


def test_the_timeout_doubles_to_32_round_trips() -> None:
    pair = flow(lambda now_ns, message: message.kind is Kind.DATA and now_ns > SECOND)
    pair.run()
    assert pair.compiled.rto_ns == 32 * 100_000_006


def test_an_unknown_kind_of_segment_is_refused() -> None:
    with pytest.raises(ValueError, match='"fin" is no kind of segment'):
        AckNakReceiver().on_segment(0, "fin", 1, 0)


def test_a_wrong_source_is_refused() -> None:
    arguments: dict[str, Any] = {"round_trip_ns": 100_000_000}
    with pytest.raises(ValueError, match='did you mean "vegas"'):
        AckNakSender("vegsa", **arguments)
    with pytest.raises(ValueError, match="at least 1 packet"):
        AckNakSender("vegas", initial_window=math.nan, **arguments)
