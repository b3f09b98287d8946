"""Every compiled model against its plain-Python twin, over the same random events."""

import math
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ackclock._native import Controller
from reference import CONTROLLERS, Ack, LossSample, RateSample, Signal, Start
from tests.differential.pair import BASE_RTT_NS, DifferentialPair, parameters_agree, registered

# Parameters that count something.
WHOLE = {
    "phase": st.sampled_from([0, 2, 3, 7]),
    "bw_window": st.integers(1, 12),
    "classic_fallback": st.integers(0, 1),
    "competitive": st.integers(0, 1),
    "filter_after_probe_rtt": st.integers(0, 1),
    "save_once": st.integers(0, 1),
    "ecn": st.integers(0, 1),
    "window": st.sampled_from([1, 2, 8, 32]),
    "hystart_detect": st.integers(0, 3),
    "use_ineff": st.integers(0, 6),
    "use_shadow": st.integers(0, 1),
    "use_tolerance": st.integers(0, 1),
    "seed": st.integers(0, 10**9),
}
# Times short enough for a random life to outlast them.
SHORT = {"probe_rtt_window": 2.0, "min_rtt_window": 4.0, "probe_rtt_duration": 0.3}


@dataclass
class Pair(DifferentialPair):
    """A compiled model and its twin."""

    compared = "cwnd, pacing rate"
    delivered: float = 0.0
    lost: float = 0.0
    delivered_before_round: float = 0.0
    lost_before_round: float = 0.0
    recovering: bool = False
    grows_from: int = 0
    """The first round in which the window may grow."""

    def outcomes(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        compiled = (self.compiled.cwnd, self.compiled.pacing_rate or math.inf)
        return compiled, (self.twin.cwnd, self.twin.pacing_rate)

    def ack(
        self,
        delivered: int,
        in_flight: int,
        queueing_ns: int,
        rate: float | None,
        *,
        app_limited: bool = False,
        lost: int = 0,
        marked: int = 0,
    ) -> None:
        """An acknowledgment that measured the round-trip time, and the rate unless that is None."""
        rtt_ns = BASE_RTT_NS + queueing_ns
        self.measure(rtt_ns)
        self.delivered += delivered
        self.lost += lost
        self.timed_out &= delivered == 0
        sample = loss = None
        if rate is not None:
            sample = RateSample(
                rate=rate,
                app_limited=app_limited,
                interval=rtt_ns / 1e9,
                delivered=self.delivered - self.delivered_before_round,
                prior_delivered=self.delivered_before_round,
                lost=self.lost - self.lost_before_round,
                tx_in_flight=float(in_flight + delivered),
            )
        if lost:
            loss = LossSample(
                tx_in_flight=float(in_flight + lost),
                lost=self.lost - self.lost_before_round,
                app_limited=app_limited,
            )
        self.acknowledge(
            Ack(
                now=self.now_ns / 1e9,
                delivered=float(delivered),
                lost=float(lost),
                ce_marked=float(marked),
                in_flight=float(in_flight),
                rtt=rtt_ns / 1e9,
                srtt=self.srtt_ns / 1e9,
                min_rtt=self.min_rtt_ns / 1e9,
                round=self.round,
                suspended=self.round < self.grows_from,
                advanced=delivered > 0,
                window_limited=not app_limited,
                recovering=self.recovering,
                rate=sample,
                loss=loss,
                feedback=None if rate is None else (rate - 500.0) / 10,
            )
        )

    def begin_round(self, gap_ns: int) -> None:
        self.now_ns += gap_ns
        self.round += 1
        self.delivered_before_round = self.delivered
        self.lost_before_round = self.lost

    def rounds(
        self, count: int, packets: int, queueing_ns: int, rate: float, growth: float, app_limited: bool
    ) -> None:
        """Round trips whose acknowledgments come evenly, at a rate that grows from one to the next."""
        for _ in range(count):
            self.begin_round(1)
            self.recovering = False
            for _ in range(packets):
                self.now_ns += (BASE_RTT_NS + queueing_ns) // packets
                self.ack(1, packets, queueing_ns, rate, app_limited=app_limited)
            rate *= growth

    def filled(self, count: int, pipe: float) -> None:
        """Round trips that use the window on a path that carries ``pipe`` packets in each."""
        for _ in range(count):
            self.begin_round(1)
            packets = max(1, min(int(self.twin.cwnd), 60))
            queueing_ns = int(BASE_RTT_NS * max(packets - pipe, 0.0) / pipe)
            rtt_s = (BASE_RTT_NS + queueing_ns) / 1e9
            for _ in range(packets):
                self.now_ns += (BASE_RTT_NS + queueing_ns) // packets
                self.ack(1, packets - 1, queueing_ns, packets / rtt_s)

    def single(
        self, delivered: int, in_flight: int, gap_ns: int, rate: float | None, lost: int, opens_round: bool
    ) -> None:
        """One acknowledgment, of anything."""
        if opens_round:
            self.begin_round(0)
        self.now_ns += gap_ns
        self.ack(delivered, in_flight, gap_ns % 1_000_003, rate, lost=lost)

    def loss(self, lost: int, in_flight: int, marked: bool, restart: bool) -> None:
        """A recovery begins, or a mark arrives."""
        self.begin_round(1)
        self.grows_from = self.round + 1
        self.congestion(Signal.ECN if marked else Signal.LOSS, self.twin.cwnd, restart=restart)
        self.recovering = not marked
        self.ack(1, in_flight, 0, 500.0, lost=0 if marked else lost, marked=int(marked))

    def recovered(self) -> None:
        """Lost packets have been retransmitted."""
        self.recovering = False

    def timeout(self) -> None:
        """The retransmission timer expires."""
        self.expire(self.twin.cwnd)
        self.recovering = True


rates = st.floats(10.0, 5000.0)
queueing = st.integers(0, 30_000_000)
events = st.one_of(
    st.tuples(
        st.just("rounds"),
        st.integers(1, 12),
        st.integers(1, 20),
        queueing,
        rates,
        st.sampled_from([1.0, 1.0, 1.1, 1.4, 0.9]),
        st.booleans(),
    ),
    st.tuples(st.just("filled"), st.integers(1, 30), st.floats(2.0, 40.0)),
    st.tuples(
        st.just("single"),
        st.integers(0, 8),
        st.integers(0, 60),
        st.integers(0, 900_000_000),
        st.none() | rates,
        st.integers(0, 3),
        st.booleans(),
    ),
    st.tuples(
        st.just("loss"),
        st.integers(1, 5),
        st.integers(1, 60),
        st.booleans(),
        st.sampled_from([False, False, True]),
    ),
    st.tuples(st.just("recovered")),
    st.tuples(st.just("timeout")),
    st.tuples(st.just("spurious")),
    st.tuples(st.just("idle"), st.floats(0.5, 20.0)),
)


@st.composite
def settings_of(draw: st.DrawFn, parameters: list[dict[str, Any]]) -> dict[str, float]:
    """Values for some of a model's parameters."""

    def value(parameter: dict[str, Any]) -> float:
        name = parameter["name"]
        if name in WHOLE:
            return float(draw(WHOLE[name]))
        least = max(parameter["min"], 0.01)
        return draw(
            st.floats(least, min(parameter["max"], SHORT.get(name, 2.0 * parameter["default"] + 1.0)))
        )

    return {parameter["name"]: value(parameter) for parameter in parameters if draw(st.booleans())}


@pytest.mark.parametrize("name", registered("controller"))
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_compiled_and_reference_agree(name: str, data: st.DataObject) -> None:
    values = data.draw(settings_of(registered("controller")[name]), "parameters")
    window = data.draw(st.floats(1.0, 40.0), "initial window")
    arguments = ",".join(f"{key}={value!r}" for key, value in values.items())
    twin = CONTROLLERS[name](**values)
    twin.begin(Start(initial_window=window))
    pair = Pair(Controller(f"{name}({arguments})", window), twin)
    for event, *rest in data.draw(st.lists(events, min_size=5, max_size=40), "events"):
        getattr(pair, event)(*rest)


def test_every_model_has_a_twin_with_its_parameters() -> None:
    assert parameters_agree("controller", CONTROLLERS)


def test_prague_and_its_twin_fall_back_alike() -> None:
    """A window that swings around the pipe, with a mark at each peak: the delay shows a classic queue."""
    twin = CONTROLLERS["prague"](classic_fallback=1.0)
    twin.begin(Start(initial_window=20.0))
    pair = Pair(Controller("prague(classic_fallback=1)", 20.0), twin)
    scores = []
    for cycle in range(120):
        pair.filled(6, 12.0 if cycle < 60 else 1000.0)
        pair.loss(1, 10, marked=True, restart=False)
        scores.append(twin.classic_ecn)
    assert max(scores) == 17.0
    assert scores[-1] < 8.0
