"""Each case but those of BBR can fail: an algorithm with a fault fails it, and one without does not."""

from collections.abc import Callable

import pytest

from ackclock.conformance.judge import conform
from ackclock.conformance.specifications import specifications
from ackclock.measures.verdict import Outcome
from reference import AVOIDANCES, SLOW_STARTS, Ack, Congestion, Start, Windowed

Made = Callable[[Start], object]


def altered(avoidance: str = "reno", **changed: object) -> Made:
    """A second reading in which something answers otherwise, as attributes of its window."""

    class Altered(Windowed):
        def __init__(self, start: Start) -> None:
            super().__init__(SLOW_STARTS["standard"](), AVOIDANCES[avoidance](), start)
            self.window.cwnd = float(changed.get("initial", self.window.cwnd))  # type: ignore[arg-type]

        def on_ack(self, ack: Ack) -> None:
            super().on_ack(ack)
            if changed.get("unlimited"):
                self.window.cwnd += ack.delivered
            if changed.get("trims"):
                self.window.cwnd = min(self.window.cwnd, 2 * (ack.in_flight + ack.delivered))

        def on_congestion(self, event: Congestion) -> None:
            before = self.window.ssthresh
            super().on_congestion(event)
            if event.restart:
                self.window.cwnd = float(changed.get("restart", self.window.cwnd))  # type: ignore[arg-type]
                if event.repeated and changed.get("again"):
                    self.window.ssthresh = max(before / 2, 2.0)

    return Altered


FAULTS: dict[tuple[str, str], str | Made] = {
    ("reno", "initial-window"): altered(initial=20.0),
    ("reno", "slow-start"): "rack+limited(max_ssthresh=12)+reno",
    ("reno", "slow-start-delayed"): "rack+standard(limit=2)+reno",
    ("reno", "threshold"): "rack+hybla",
    ("reno", "halving"): "rack+cubic",
    ("reno", "once"): "reno",
    ("reno", "timeout"): altered(restart=10.0),
    ("reno", "repeated-timeout"): altered(again=True),
    ("reno", "idle"): "bbr3",
    ("cubic", "reduction"): "cubic(beta=0.5)",
    ("cubic", "plateau"): "cubic(c=1)",
    ("cubic", "concave"): "rack+reno",
    ("cubic", "convex"): "rack+htcp",
    ("cubic", "short-round-trip"): "rack+scalable",
    ("cubic", "fast-convergence"): "cubic(fast_convergence=0)",
    ("cubic", "reno-friendly"): "rack+reno",
    ("cubic", "timeout"): "cubic(beta=0.5)",
    ("hystart", "delay-ends-it"): "hystart(min_rtt_thresh=60,max_rtt_thresh=200,min_rtt_divisor=1)+reno",
    ("hystart", "conservative-growth"): "hystart(css_growth_divisor=1)+reno",
    ("hystart", "five-rounds"): "hystart(css_rounds=1)+reno",
    ("hystart", "empty-path"): "rack+limited(max_ssthresh=20)+reno",
    ("hystart", "spurious"): "hystart(css_rounds=1)+reno",
    ("copa", "equilibrium"): "rack+reno",
    ("copa", "default-mode"): "copa(delta=0.2)",
    ("copa", "competitive-mode"): "copa(competitive=0)",
    ("prr", "proportional"): "sack+reno",
    ("dctcp", "first-mark"): "dctcp(alpha=0)",
    ("dctcp", "decay"): "dctcp(g=0.5)",
    ("dctcp", "queue"): "rack+reno",
    ("dctcp", "loss"): "rack+cubic",
    ("ledbat", "target"): "ledbat(target=40)",
    ("ledbat", "growth"): "ledbat(gain=0.1)",
    ("ledbat", "loss"): "rack+cubic",
    ("ledbat", "yields"): "rack+reno",
    ("rate-limited", "slow-start"): altered(unlimited=True),
    ("rate-limited", "avoidance"): altered(unlimited=True),
    ("rate-limited", "no-decrease"): altered(trims=True),
    ("rate-limited", "in-full-use"): "rack+limited(max_ssthresh=12)+reno",
}
"""An algorithm that fails a case, by the specification and the case."""

RIGHT = {
    "reno": "rack+reno",
    "copa": "copa",
    "cubic": "cubic",
    "dctcp": "dctcp",
    "hystart": "hystart+reno",
    "ledbat": "ledbat",
    "prr": "prr+cubic",
    "rate-limited": "cubic",
}
"""The algorithm that meets the cases of a specification."""

ELSEWHERE = {"bbr"}
"""The specifications whose mutants have a file of their own; BBR has one for six of its cases."""


@pytest.mark.parametrize(("spec", "case"), FAULTS, ids=lambda part: part)
def test_a_fault_fails_its_case(spec: str, case: str) -> None:
    assert conform(FAULTS[spec, case], spec, only=[case], seeds=1).verdict(case).outcome is Outcome.FAILS


@pytest.mark.parametrize("spec", RIGHT)
def test_without_a_fault_every_case_holds(spec: str) -> None:
    done = conform(RIGHT[spec], spec, seeds=2)
    assert [verdict.what for verdict in done.verdicts if verdict.outcome is not Outcome.HOLDS] == []


def test_every_case_has_a_fault() -> None:
    known = {(spec, case.key) for spec, each in specifications().items() for case in each.cases}
    assert {(spec, case) for spec, case in known if spec not in ELSEWHERE} == set(FAULTS)
