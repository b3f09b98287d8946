"""TFRC's compiled endpoints against their plain-Python twin, over the same random events."""

import math
from dataclasses import dataclass, field
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ackclock._native import TfrcReceiver, TfrcSender
from reference.transport import tfrc

TOLERANCE = 1e-9
# No round numbers: of an arrival exactly a round-trip time after another the last bit would decide.
RTT_NS = 49_999_711
GAP_NS = 3_000_017


@st.composite
def specifications(draw: st.DrawFn) -> tuple[str, tfrc.Parameters]:
    """A specification, and what it means."""
    parameters = tfrc.Parameters(
        intervals=draw(st.integers(1, 12)),
        discounting=draw(st.booleans()),
        discount_floor=draw(st.sampled_from([0.25, 0.5, 0.9])),
        reordering=draw(st.integers(1, 5)),
        oscillation_reduction=draw(st.booleans()),
        rtt_weight=draw(st.sampled_from([0.0, 0.5, 0.9])),
        min_rto=draw(st.sampled_from([0.0, 1.0])),
        estimated_rto=draw(st.booleans()),
        max_backoff=draw(st.sampled_from([64.0, 2.0])),
    )
    named = {
        key: getattr(parameters, key)
        for key in (
            "intervals",
            "discounting",
            "discount_floor",
            "reordering",
            "oscillation_reduction",
            "rtt_weight",
            "min_rto",
            "estimated_rto",
            "max_backoff",
        )
    }
    return f"tfrc({','.join(f'{key}={float(value)!r}' for key, value in named.items())})", parameters


def agree(compiled: float, twin: float) -> bool:
    return math.isclose(compiled, twin, rel_tol=TOLERANCE)


@dataclass
class Receivers:
    """Both receivers, driven by the same packets."""

    compiled: TfrcReceiver
    twin: tfrc.Receiver
    now_ns: int = 0
    next: int = 0
    rtt_ns: int = 0
    late: list[int] = field(default_factory=list)
    reports: int = 0

    def advance(self, until_ns: int) -> None:
        """The feedback timer expires before, if it runs."""
        wake = self.compiled.next_wake_ns
        timer = self.twin.timer
        assert (wake is None) == (timer is None)
        if wake is not None and timer is not None:
            assert agree(wake / 1e9, timer)
            if wake < until_ns:
                self.now_ns = wake
                self.compiled.on_timer(wake)
                self.twin.on_timer(max(wake / 1e9, timer))
                self.report()
        self.now_ns = until_ns

    def arrive(self, number: int, *, marked: bool) -> None:
        self.compiled.on_segment(
            now_ns=self.now_ns,
            sequence=number,
            timestamp_ns=self.now_ns,
            rtt_ns=self.rtt_ns,
            marked=marked,
        )
        self.twin.on_packet(self.now_ns / 1e9, number, self.now_ns / 1e9, self.rtt_ns / 1e9, marked=marked)
        assert agree(self.compiled.loss_event_rate, self.twin.p), f"after {number}"
        self.report()

    def report(self) -> None:
        compiled = self.compiled.poll_transmit(self.now_ns)
        twin = self.twin.feedback(self.now_ns / 1e9)
        assert (compiled is None) == (twin is None), f"{compiled} and {twin}"
        if compiled is not None and twin is not None:
            self.reports += 1
            timestamp, delay, rate, p = twin
            assert agree(compiled[0] / 1e9, timestamp)
            assert math.isclose(compiled[1] / 1e9, delay, abs_tol=1e-8)
            assert agree(compiled[2], rate)
            assert agree(compiled[3], p)


packet_fates = st.one_of(
    st.tuples(st.just("arrives"), st.integers(1, 60)),
    st.tuples(st.just("lost"), st.integers(1, 25)),
    st.tuples(st.just("late"), st.just(1)),
    st.tuples(st.just("catches up"), st.just(1)),
    st.tuples(st.just("marked"), st.just(1)),
    st.tuples(st.just("pause"), st.integers(1, 40)),
    st.tuples(st.just("quiet"), st.integers(100, 300)),
)


@given(specifications(), st.integers(0, 3), st.lists(packet_fates, min_size=5, max_size=25))
@settings(max_examples=150, deadline=None)
def test_both_receivers_find_the_same_losses(
    specification: tuple[str, tfrc.Parameters], without_rtt: int, fates: list[tuple[str, int]]
) -> None:
    spec, parameters = specification
    pair = Receivers(TfrcReceiver(spec), tfrc.Receiver(parameters))
    for step, (fate, count) in enumerate([("arrives", 1 + without_rtt), *fates]):
        for _ in range(count):
            pair.advance(pair.now_ns + GAP_NS)
            number = pair.next
            if fate in {"arrives", "marked", "quiet"}:
                pair.next += 1
                pair.arrive(number, marked=fate == "marked")
            elif fate in {"lost", "late"}:
                pair.next += 1
                if fate == "late":
                    pair.late.append(number)
            elif fate == "catches up" and pair.late:
                pair.arrive(pair.late.pop(0), marked=False)
        if step >= without_rtt:
            pair.rtt_ns = RTT_NS + 1_000_003 * (step % 5)
    assert pair.reports > 0


def at_a_bound(sender: tfrc.Sender) -> bool:
    """True where the rounding of a nanosecond decides what the nofeedback timer does (section 4.4)."""
    if not sender.rtt:
        return False
    recover_rate = sender.w_init / sender.rtt
    received = max((rate for _, rate in sender.x_recv_set), default=math.inf)
    return agree(sender.x, 2 * recover_rate) or agree(received, recover_rate)


sender_events = st.one_of(
    st.tuples(
        st.just("feedback"),
        st.integers(0, 40_000),
        st.integers(0, 100_000),
        st.floats(100.0, 1e6),
        st.sampled_from([0.0, 0.0, 1e-4, 0.01, 0.05, 0.5]),
    ),
    st.tuples(st.just("silence"), st.integers(1, 5)),
)


@given(specifications(), st.lists(sender_events, min_size=3, max_size=40))
@settings(max_examples=200, deadline=None)
def test_both_senders_come_to_the_same_rate(
    specification: tuple[str, tfrc.Parameters], events: list[tuple[Any, ...]]
) -> None:
    spec, parameters = specification
    compiled, twin = TfrcSender(spec), tfrc.Sender(parameters)
    now, timer = 0, 2_000_000_000
    sent, reported = [0], -1
    assert compiled.poll_transmit(0) is not None
    twin.on_packet_sent()

    def run(until: int) -> None:
        """Sends what the schedule lets go."""
        nonlocal now
        while (wake := compiled.next_wake_ns) is not None and wake < min(until, timer):
            now = wake
            if compiled.poll_transmit(now) is not None:
                sent.append(now)
                twin.on_packet_sent()
        now = until

    lossy = 0.0
    for name, *values in events:
        if name == "feedback":
            queueing, delay, rate, p = values
            # Odd microseconds, so that no report is exactly a round-trip time after another.
            sample, timestamp = RTT_NS + 1000 * queueing, sent[-1]
            at = max(now, timestamp + sample) + 1000 * delay + 337
            if at >= timer or timestamp == reported:
                continue
            run(at)
            # A rate of loss events never returns to zero.
            lossy, reported = p if p > 0 else lossy, timestamp
            compiled.on_segment(
                now_ns=at,
                timestamp_ns=timestamp,
                delay_ns=at - timestamp - sample,
                receive_rate=rate,
                loss_event_rate=lossy,
            )
            twin.on_feedback(at / 1e9, sample / 1e9, rate, lossy)
        else:
            for _ in range(int(values[0])):
                run(timer)
                if at_a_bound(twin):
                    return
                compiled.on_timer(timer)
                twin.on_nofeedback_timer(timer / 1e9)
                timer += round(twin.timeout() * 1e9)
                assert agree(compiled.rate, twin.x), "after silence"
        timer = now + round(twin.timeout() * 1e9)
        assert agree(compiled.rate, twin.x), f"{name} {values}"
        assert agree(compiled.instant_rate, twin.x_inst), f"{name} {values}"
