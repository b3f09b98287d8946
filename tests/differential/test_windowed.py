"""Every compiled controller against its plain-Python twin, over the same random events."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from ackclock._native import Controller
from reference import AVOIDANCES, SLOW_STARTS, Ack, Congestion, Signal, Start, Windowed
from tests.differential.pair import BASE_RTT_NS, DifferentialPair, parameters_agree, registered

STEADY_GAP_NS = 51_000_127


@dataclass
class Pair(DifferentialPair):
    """A compiled composition and its twin."""

    compared = "cwnd, ssthresh"
    suspended: int | None = None

    def outcomes(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        return (self.compiled.cwnd, self.compiled.ssthresh), (self.twin.cwnd, self.twin.window.ssthresh)

    def ack(
        self,
        delivered: float,
        queueing_ns: int | None,
        *,
        limited: bool,
        found_loss: bool = False,
        lost: float = 1.0,
        marked: float = 0.0,
        in_flight: float = 10.0,
    ) -> None:
        """An acknowledgment that measured the round-trip time, unless ``queueing_ns`` is None."""
        rtt_ns = None if queueing_ns is None else BASE_RTT_NS + queueing_ns
        if rtt_ns is not None:
            self.measure(rtt_ns)
        if self.suspended is not None and self.round > self.suspended:
            self.suspended = None
        if delivered > 0:
            self.timed_out = False
        self.acknowledge(
            Ack(
                now=self.now_ns / 1e9,
                delivered=delivered,
                lost=lost if found_loss else 0.0,
                ce_marked=marked,
                in_flight=in_flight,
                rtt=None if rtt_ns is None else rtt_ns / 1e9,
                srtt=self.srtt_ns / 1e9,
                min_rtt=self.min_rtt_ns / 1e9,
                round=self.round,
                suspended=self.suspended is not None or found_loss,
                advanced=delivered > 0,
                window_limited=limited,
            )
        )

    def round_trip(self, queueing_ns: int, segments_per_ack: int, limited: bool) -> None:
        """A whole window of acknowledgments, behind a queue that each finds a little longer."""
        self.now_ns += BASE_RTT_NS + queueing_ns
        self.round += 1
        packets = min(int(self.twin.window.cwnd), 100)
        for first in range(0, packets, segments_per_ack):
            delivered = min(segments_per_ack, packets - first)
            self.ack(float(delivered), queueing_ns + 1_009 * first, limited=limited)

    def marked_round(self, share: float) -> None:
        """A round trip with an empty queue, the last ``share`` of whose packets are marked."""
        self.now_ns += BASE_RTT_NS
        self.round += 1
        packets = min(int(self.twin.window.cwnd), 100)
        for number in range(packets):
            self.ack(1.0, 1_009, limited=True, marked=float(number >= packets * (1.0 - share)))

    def path(self, capacity: float, rounds: int) -> None:
        """Round trips over a path that carries ``capacity`` packets in each and queues the others."""
        for _ in range(rounds):
            queued = max(self.twin.window.cwnd - capacity, 0.0)
            # At most a minute: growth by elapsed time over a queue without end would feed itself.
            queueing = min(int(BASE_RTT_NS * queued / capacity), 60_000_000_000)
            self.round_trip(queueing, segments_per_ack=1, limited=True)

    def clocked(self, capacity: float, rounds: int, used: float) -> None:
        """Round trips whose acknowledgments come evenly, with a part of the window in flight.

        The path carries ``capacity`` packets in each and queues the others.
        """
        for _ in range(rounds):
            self.round += 1
            flight = max(used * self.twin.window.cwnd, 1.0)
            packets = max(min(int(flight), int(capacity) + 1, 100), 1)
            queueing = min(int(BASE_RTT_NS * max(flight - capacity, 0.0) / capacity), 1_000_000_000)
            for number in range(packets):
                self.now_ns += BASE_RTT_NS // packets
                in_flight = max(used * self.twin.window.cwnd, 1.0)
                self.ack(1.0, queueing + 1_009 * number, limited=used == 1.0, in_flight=in_flight)

    def repaired(self, marked: bool, acks: int, delivered: float, lost: float) -> None:
        """A loss or mark, and the acknowledgments of its recovery, each of which tells of more losses."""
        self.signal(marked, restart=False, flight=1.0)
        for _ in range(acks):
            self.now_ns += BASE_RTT_NS // acks
            self.ack(delivered, None, limited=True, found_loss=True, lost=lost, in_flight=30.0)
        self.round += 1

    def steady(self, rate: float, acks: int, queueing_ns: int) -> None:
        """Acknowledgments at a steady rate in packets per second, about one in a round trip."""
        for number in range(acks):
            self.now_ns += STEADY_GAP_NS
            self.round += 1
            self.ack(rate * STEADY_GAP_NS / 1e9, queueing_ns + 1_009 * number, limited=True)

    def single(
        self, delivered: float, gap_ns: int, queueing_ns: int | None, opens_round: bool, limited: bool
    ) -> None:
        """One acknowledgment."""
        self.now_ns += gap_ns
        self.round += opens_round
        self.ack(delivered, queueing_ns, limited=limited)

    def signal(self, marked: bool, restart: bool, flight: float) -> None:
        """A loss or a mark, at most once per round trip; ``flight`` in windows."""
        if self.suspended is not None:
            return
        self.suspended = self.round
        packets = flight * self.twin.window.cwnd
        self.congestion(Signal.ECN if marked else Signal.LOSS, packets, restart=restart)
        self.ack(1.0, None, limited=True, found_loss=True)

    def timeout(self, flight: float) -> None:
        """The retransmission timer expires; ``flight`` in windows."""
        self.suspended = None
        self.expire(flight * self.twin.window.cwnd)


flights = st.one_of(st.floats(0.0, 2.0), st.just(math.inf))
queueing = st.integers(0, 30_000_000)
events = st.one_of(
    st.tuples(st.just("round_trip"), queueing, st.integers(1, 2), st.booleans() | st.just(value=True)),
    st.tuples(st.just("marked_round"), st.floats(0.0, 1.0)),
    st.tuples(st.just("path"), st.floats(0.5, 40.0), st.integers(1, 30)),
    st.tuples(
        st.just("single"),
        st.floats(0.0, 8.0),
        st.integers(0, 50_000_000),
        st.none() | queueing,
        st.booleans(),
        st.booleans(),
    ),
    st.tuples(st.just("signal"), st.booleans(), st.booleans(), flights),
    st.tuples(st.just("timeout"), flights),
    st.tuples(st.just("spurious")),
    st.tuples(st.just("idle"), st.floats(0.5, 20.0)),
)
anything = st.lists(events, min_size=10, max_size=60)

# A sender fills its window or a part of it, over a path that carries more or fewer packets than before,
# and loses some.
filled = st.tuples(
    st.just("clocked"), st.floats(2.0, 90.0), st.integers(1, 15), st.just(1.0) | st.floats(0.1, 1.0)
)
repairs = st.tuples(
    st.just("repaired"), st.booleans(), st.integers(1, 40), st.floats(0.0, 3.0), st.floats(0.0, 4.0)
)
undisturbed = st.tuples(st.just("clocked"), st.floats(5.0, 60.0), st.integers(2, 12), st.just(1.0))
beginnings = st.tuples(
    undisturbed, st.lists(st.one_of(undisturbed, filled, repairs, events), min_size=2, max_size=8)
).map(lambda parts: [parts[0], *parts[1]])

# Up to 3 s at one rate, then at another of the same order, behind a queue that rarely more than doubles the
# round-trip time: what a loss leaves may depend on what passed since the last one.
steady = st.tuples(
    st.just("steady"), st.floats(500.0, 1500.0), st.integers(1, 60), st.integers(0, 45_000_000)
)
turns = st.sampled_from(
    [
        *[("signal", False, False, math.inf)] * 4,
        ("timeout", math.inf),
        ("steady", 1000.0, 1, 0),
        ("steady", 1000.0, 1, 120_000_000),
    ]
)
losses_between_steady_rates = st.lists(st.tuples(steady, turns), min_size=3, max_size=12).map(
    lambda pairs: [event for pair in pairs for event in pair]
)


def largest(parameter: dict[str, Any]) -> float:
    """The most that is tried: a window or as many seconds as occur here, or four times the default."""
    occurring = {
        "low_window": 60.0,
        "tuning_period": 4.0,
        "window": 4.0,
        "bins": 12.0,
        "extra_bins": 20.0,
        "saved_cwnd": 300.0,
        "saved_rtt": 90.0,
    }
    most: float = min(parameter["max"], 4.0 * parameter["default"] + 1.0)
    return occurring.get(parameter["name"], most)


@st.composite
def part(
    draw: st.DrawFn, name: str, parameters: Iterable[dict[str, Any]], fixed: Mapping[str, float]
) -> tuple[str, dict[str, float]]:
    """An algorithm as a specification writes it, with values for some of its parameters."""

    def value(parameter: dict[str, Any]) -> float:
        if parameter["unit"] == "0 or 1":
            return float(draw(st.booleans()))
        least, most = max(parameter["min"], 0.01), largest(parameter)
        if parameter["unit"] == "count":
            return float(draw(st.integers(math.ceil(least), math.floor(most))))
        return draw(st.floats(least, most))

    values = {
        parameter["name"]: value(parameter)
        for parameter in parameters
        if parameter["name"] not in fixed and draw(st.booleans())
    } | dict(fixed)
    arguments = ",".join(f"{key}={value!r}" for key, value in values.items())
    return f"{name}({arguments})", values


def agree(
    slow_start: str,
    avoidance: str,
    data: st.DataObject,
    sequences: st.SearchStrategy[list[tuple[Any, ...]]] = anything,
    *,
    known: Mapping[str, float] | None = None,
    **fixed: float,
) -> None:
    """Tells a composition and its twin the same random events.

    ``known`` are parameters of the slow start, ``fixed`` those of the avoidance.
    """
    first, first_values = data.draw(part(slow_start, registered("slow start")[slow_start], known or {}))
    second, second_values = data.draw(part(avoidance, registered("avoidance")[avoidance], fixed))
    window = data.draw(st.floats(1.0, 40.0), "initial window")
    ssthresh = data.draw(st.just(math.inf) | st.floats(1.0, 60.0), "initial ssthresh")
    try:
        compiled = Controller(f"{first}+{second}", window, ssthresh)
    except ValueError:
        reject()  # two parameters that exclude each other
    twin = Windowed(
        SLOW_STARTS[slow_start](**first_values),
        AVOIDANCES[avoidance](**second_values),
        Start(initial_window=window, initial_ssthresh=ssthresh),
    )
    pair = Pair(compiled, twin)
    for name, *arguments in data.draw(sequences, "events"):
        getattr(pair, name)(*arguments)


@pytest.mark.parametrize("avoidance", registered("avoidance"))
@given(data=st.data())
@settings(max_examples=100)
def test_compiled_and_reference_avoidances_agree(avoidance: str, data: st.DataObject) -> None:
    agree("standard", avoidance, data)


@pytest.mark.parametrize("avoidance", registered("avoidance"))
def test_compiled_and_reference_windows_agree_on_what_is_not_validated(avoidance: str) -> None:
    """RFC 7661, 4.4.3 in congestion avoidance, and then 4.4.1: a window above the bound, and one below it."""
    pair = Pair(
        Controller(f"standard+{avoidance}", 20.0, 10.0),
        Windowed(
            SLOW_STARTS["standard"](),
            AVOIDANCES[avoidance](),
            Start(initial_window=20.0, initial_ssthresh=10.0),
        ),
    )
    pair.round_trip(3_000_017, 2, limited=True)
    pair.not_validated(10.0, 15.0)
    assert pair.twin.cwnd == 10.0
    pair.round_trip(3_000_017, 2, limited=True)
    pair.signal(marked=False, restart=False, flight=1.0)
    pair.not_validated(1000.0, 4.0)
    pair.not_validated(0.5, 0.5)
    assert (pair.twin.cwnd, pair.twin.ssthresh) == (1.0, 1.0)
    pair.round_trip(3_000_017, 2, limited=True)


@pytest.mark.parametrize("avoidance", registered("avoidance"))
@given(data=st.data())
@settings(max_examples=100)
def test_avoidances_agree_where_losses_end_steady_rates(avoidance: str, data: st.DataObject) -> None:
    agree("standard", avoidance, data, losses_between_steady_rates)


@given(data=st.data())
@settings(max_examples=100)
def test_fast_agrees_while_it_tunes_alpha(data: st.DataObject) -> None:
    rates = {"m1m0": 600.0, "m0m1": 800.0, "m2m1": 1000.0, "m1m2": 1200.0}
    agree(
        "standard",
        "fast",
        data,
        losses_between_steady_rates,
        tuning=1.0,
        tuning_period=0.4,
        known=None,
        **rates,
        alpha=40.0,
        high=40.0,
    )


@pytest.mark.parametrize("slow_start", registered("slow start"))
@given(data=st.data())
@settings(max_examples=100)
def test_compiled_and_reference_slow_starts_agree(slow_start: str, data: st.DataObject) -> None:
    agree(slow_start, "reno", data)


@pytest.mark.parametrize("slow_start", registered("slow start"))
@given(data=st.data())
@settings(max_examples=40)
def test_slow_starts_agree_while_they_fill_a_path(slow_start: str, data: st.DataObject) -> None:
    agree(slow_start, "reno", data, beginnings)


@given(data=st.data())
@settings(max_examples=60)
def test_search_agrees_where_the_path_is_full(data: st.DataObject) -> None:
    fill = st.tuples(st.just("clocked"), st.floats(3.0, 25.0), st.integers(8, 14), st.just(1.0))
    after = st.lists(st.one_of(fill, filled), min_size=1, max_size=3)
    sequences = st.tuples(fill, after).map(lambda parts: [parts[0], *parts[1]])
    agree("search", "reno", data, sequences, known={"window": 3.5, "bins": 10.0})


@given(saved=st.floats(30.0, 300.0), rounds=st.integers(1, 3), data=st.data())
@settings(max_examples=60)
def test_careful_resume_agrees_where_losses_follow_the_jump(
    saved: float, rounds: int, data: st.DataObject
) -> None:
    jump = st.just(("clocked", 80.0, rounds, 1.0))
    after = st.lists(st.one_of(repairs, filled, st.tuples(st.just("spurious"))), min_size=2, max_size=6)
    sequences = st.tuples(jump, after).map(lambda parts: [parts[0], *parts[1]])
    agree("careful-resume", "reno", data, sequences, known={"saved_cwnd": saved, "saved_rtt": 45.0})


@given(
    slow_start=st.sampled_from(list(registered("slow start"))),
    avoidance=st.sampled_from(list(registered("avoidance"))),
    data=st.data(),
)
@settings(max_examples=200)
def test_any_composition_agrees(slow_start: str, avoidance: str, data: st.DataObject) -> None:
    agree(slow_start, avoidance, data)


@pytest.mark.parametrize(("kind", "twins"), [("slow start", SLOW_STARTS), ("avoidance", AVOIDANCES)])
def test_every_algorithm_has_a_twin_with_its_parameters(kind: str, twins: dict[str, Any]) -> None:
    missing = sorted(registered(kind).keys() - twins.keys())
    assert not missing, f"no class in reference/ has the decorator of {missing}"
    assert parameters_agree(kind, twins), (
        f"parameters of a {kind} differ from those of its class in reference/"
    )


def test_a_call_out_of_order_is_refused() -> None:
    controller = Controller("vegas")
    timeout = Congestion(now=0.0, signal=Signal.TIMEOUT, flight=10.0, restart=False, repeated=False)
    with pytest.raises(ValueError, match="restart"):
        controller.on_congestion(timeout)
    with pytest.raises(ValueError, match="lost"):
        controller.on_congestion(replace(timeout, signal=cast("Signal", "lost")))
    assert controller.cwnd == 10.0


def test_a_wrong_specification_names_the_right_one() -> None:
    with pytest.raises(ValueError, match='did you mean "vegas"'):
        Controller("vegsa")
    with pytest.raises(ValueError, match="at least 1 packet"):
        Controller("vegas", initial_window=math.nan)


def test_a_copy_answers_for_itself() -> None:
    controller = Controller("standard+vegas(beta=5)", initial_window=40.0)
    copy = controller.copy()
    copy.on_congestion(Congestion(now=0.0, signal=Signal.LOSS, flight=40.0, restart=False, repeated=False))
    assert (copy.cwnd, controller.cwnd) == (30.0, 40.0)
    assert controller.spec == "standard+vegas(beta=5)"
    assert controller.pacing_rate is None
    assert list(controller.observe()) == ["vegas_diff_packets"]
