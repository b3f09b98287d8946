"""RFC 8867, 5.1 to 5.3: paths whose capacity changes."""

from __future__ import annotations

from collections.abc import Mapping

from ackclock.evaluation.criterion import Cell, Measure
from ackclock.evaluation.rmcat.case import Case, Expectation
from ackclock.evaluation.rmcat.networks import HIGHEST, forwards, jittery, scenario
from ackclock.evaluation.rmcat.quantities import COMMON, SHARE, Calls, Span, available, common
from ackclock.measures.record import RunRecord

__all__ = ["CONGESTED_FEEDBACK", "SHARED", "VARIABLE"]

Phases = tuple[tuple[Span, float], ...]
"""The second half of each phase, and its capacity in bit/s."""

LEAST = Measure("least_share", "lowest share of a phase's rate", "", 1, 2, "higher", 0.01)
MOST = Measure("most_share", "highest share of a phase's rate", "", 1, 2, "lower", 0.01)
QUEUE = Measure("queue_95_s", "queue, 95th percentile", "ms", 1e3, 0, "lower", 0.005)
SWING = Measure("swing", "oscillation below the capacity", "%", 100, 0, "lower", 0.01)

ALONE: Phases = (((20, 40), 1e6), ((50, 60), 2.5e6), ((70, 80), 0.6e6), ((90, 99), 1e6))
TOGETHER: Phases = (
    ((12.5, 25), 4e6),
    ((37.5, 50), 2e6),
    ((62.5, 75), 3.5e6),
    ((87.5, 100), 1e6),
    ((112.5, 124), 2e6),
)
THERE: Phases = (((10, 20), 2e6), ((30, 40), 1e6), ((50, 60), 0.5e6), ((80, 99), 2e6))
BESIDE: Span = (35, 70)
"""The span in s in which the way back has 0.8 Mbit/s."""


def _names(phases: Phases) -> dict[str, Span]:
    return {f"{capacity / 1e6:g} Mbit/s at {span[0]:g} s": span for span, capacity in phases}


def _phases(calls: Calls, phases: Phases) -> dict[str, float]:
    count = len(calls.rows)
    shares = [calls.total(span) / available(capacity, count, calls.audio) for span, capacity in phases]
    return {
        LEAST.key: min(shares),
        MOST.key: max(shares),
        QUEUE.key: calls.queue_95_s([span for span, _ in phases]),
    }


def _variable_cells(quick: bool) -> tuple[Cell, ...]:
    cells = []
    for delay in (50,) if quick else (50, 100):
        table = jittery(scenario("rmcat-variable-capacity"))
        forwards(table)["delay"] = f"{delay - 2} ms"
        cells.append(Cell(f"{delay} ms one way", table, ()))
    return tuple(cells)


def _variable(result: RunRecord) -> Mapping[str, float]:
    calls = Calls(result)
    return {**common(calls, ALONE), **_phases(calls, ALONE)}


VARIABLE = Case(
    key="variable-capacity",
    section="5.1",
    title="Variable available capacity with a single flow",
    force="",
    question="Does the rate follow the capacity of the path?",
    experiment="A call over 1 Mbit/s, from 40 s on 2.5, from 60 s on 0.6 and from 80 s on 1 Mbit/s.",
    measures=(*COMMON, LEAST, MOST, QUEUE),
    cells=_variable_cells,
    measure=_variable,
    expectations=(
        Expectation(
            "RFC 8867, 5.1",
            "detect the path capacity constraint, converge to the bottleneck link's capacity",
            LEAST.key,
            low=0.7,
        ),
        Expectation(
            "RFC 8867, 5.1",
            "stabilize the sending bit rate close to the available bottleneck capacity",
            MOST.key,
            high=1.05,
        ),
        Expectation(
            "RFC 8867, 5.1",
            "avoid unwanted media rate oscillation when the sending bit rate is "
            "approaching the bottleneck link's capacity",
            "call_oscillation",
            high=0.2,
        ),
        Expectation("RFC 8867, 5.1", "provide lower end-to-end latency", QUEUE.key, high=0.1),
    ),
    settled=_names(ALONE),
)

AROUND = Measure("around_maximum", "rate at 4 Mbit/s over the maximum", "", 1, 2, "higher", 0.01)
RISE = Measure("least_rise", "rise when the capacity rises", "times", 1, 2, "higher", 0.01)
RATIO = Measure("call_ratio", "highest rate over the lowest", "", 1, 2, "lower", 0.01)


def _shared_cells(quick: bool) -> tuple[Cell, ...]:  # noqa: ARG001 - one setting, in either run
    return (Cell("50 ms one way", jittery(scenario("rmcat-variable-capacity-shared")), ()),)


def _shared(result: RunRecord) -> Mapping[str, float]:
    calls = Calls(result)
    totals = [max(calls.total(span), 1.0) for span, _ in TOGETHER]
    return {
        **common(calls, TOGETHER),
        **_phases(calls, TOGETHER),
        AROUND.key: min(calls.all_rates(TOGETHER[0][0])) / HIGHEST,
        RISE.key: min(totals[2] / totals[1], totals[4] / totals[3]),
        RATIO.key: max(calls.ratio(span) for span, _ in TOGETHER),
    }


SHARED = Case(
    key="variable-capacity-shared",
    section="5.2",
    title="Variable available capacity with multiple flows",
    force="",
    question="Do two calls follow the capacity of the path together?",
    experiment="Two calls over 4 Mbit/s, from 25 s on 2, from 50 s on 3.5, from 75 s on 1 and from 100 s "
    "on 2 "
    "Mbit/s.",
    measures=(*COMMON, LEAST, MOST, QUEUE, AROUND, RISE, RATIO),
    cells=_shared_cells,
    measure=_shared,
    expectations=(
        Expectation(
            "RFC 8867, 5.2",
            "The flows stabilize around their maximum bit rate as the maximum link capacity is large enough",
            AROUND.key,
            low=0.85,
        ),
        Expectation(
            "RFC 8867, 5.2",
            "When the available capacity drops, the flows adapt by decreasing their sending bit rate",
            MOST.key,
            high=1.05,
        ),
        Expectation(
            "RFC 8867, 5.2",
            "when congestion disappears, the flows are again expected to ramp up",
            RISE.key,
            low=1.2,
        ),
        Expectation(
            "RFC 8868, 3",
            "the relative ratio between congestion-controlled RTP flows with the same "
            "priority level and similar path RTT should be bounded between 0.333 and 3",
            RATIO.key,
            high=3,
            stated=True,
        ),
    ),
    settled=_names(TOGETHER),
)

FORWARD = Measure("forward_rate", "rate there, 35 to 70 s", "Mbit/s", 1e-6, 2, "higher", 1e4)
FORWARD_DELAY = Measure(
    "forward_delay_s", "packet delay there, 95th percentile", "ms", 1e3, 0, "lower", 0.005
)
IMPAIRED, REFERENCE = "congested way back", "way back of 10 Mbit/s"


def _feedback_cells(quick: bool) -> tuple[Cell, ...]:  # noqa: ARG001 - both are needed, in either run
    table = jittery(scenario("rmcat-congested-feedback"))
    free = jittery(scenario("rmcat-congested-feedback"))
    forwards(free)["reverse"] = {**forwards(free)["reverse"], "rate": "10 Mbit/s"}
    return Cell(IMPAIRED, table, ()), Cell(REFERENCE, free, ())


def _feedback(result: RunRecord) -> Mapping[str, float]:
    calls = Calls(result)
    there = calls.names.index("there")
    shares = [calls.rate(there, span) / available(capacity, 1, 1) for span, capacity in THERE]
    return {
        **common(calls, THERE),
        SHARE.key: sum(shares) / len(shares),
        FORWARD.key: calls.rate(there, BESIDE),
        FORWARD_DELAY.key: float(calls.table["delay_p95_s"][there]),
    }


CONGESTED_FEEDBACK = Case(
    key="congested-feedback",
    section="5.3",
    title="Congested feedback link with bi-directional media flows",
    force="",
    question="What if the reports of a call are delayed and lost?",
    experiment="A call each way. There 2 Mbit/s, from 20 s on 1, from 40 s on 0.5 and from 60 s on 2 "
    "Mbit/s; back "
    "2 Mbit/s, from 35 s on 0.8 and from 70 s on 2 Mbit/s, or 10 Mbit/s for comparison.",
    measures=(*COMMON, FORWARD, FORWARD_DELAY),
    cells=_feedback_cells,
    measure=_feedback,
    expectations=(
        Expectation(
            "RFC 8867, 5.3",
            "able to cope with the lack of feedback information and to adapt to "
            "minimize the performance degradation of media flows in the forward channel",
            FORWARD.key,
            low=0.7,
            cells=(IMPAIRED,),
            relative_to=REFERENCE,
        ),
        Expectation(
            "RFC 8867, 5.3",
            "logs are compared with the reference case, i.e., when the backward channel has no impairments",
            FORWARD_DELAY.key,
            high=1.5,
            cells=(IMPAIRED,),
            relative_to=REFERENCE,
        ),
    ),
    settled=_names(THERE),
)
