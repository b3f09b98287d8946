"""RFC 8867, 5.4, 5.5 and 5.8: calls that share a path with other calls."""

from __future__ import annotations

from collections.abc import Mapping

from ackclock.evaluation.criterion import Cell, Measure
from ackclock.evaluation.rmcat.capacity import QUEUE, RATIO
from ackclock.evaluation.rmcat.case import Case, Expectation
from ackclock.evaluation.rmcat.networks import AUDIO, HIGHEST, jittery, scenario
from ackclock.evaluation.rmcat.quantities import COMMON, LOST, Calls, Span, common
from ackclock.measures.record import RunRecord

__all__ = ["COMPETING", "PAUSE", "ROUND_TRIPS"]

USED = Measure("used", "part of the link that all calls use", "%", 100, 0, "higher", 0.01)
ROOM = Measure("used_by_two", "part of the link that two calls use", "%", 100, 0, "lower", 0.01)

TWO: Span = (30, 40)
THREE: Span = (90, 119)
FIVE: Span = (200, 299)


def _used(calls: Calls, span: Span, capacity: float, streams: int) -> float:
    """The part of a link that the calls and their streams of audio use."""
    return (calls.total(span) + streams * AUDIO) / capacity


def _competing_cells(quick: bool) -> tuple[Cell, ...]:  # noqa: ARG001 - one setting, in either run
    return (Cell("three calls, 20 s apart", jittery(scenario("rmcat-competing-calls")), ()),)


def _competing(result: RunRecord) -> Mapping[str, float]:
    calls = Calls(result)
    return {
        **common(calls, [(THREE, 3.5e6)]),
        ROOM.key: _used(calls, TWO, 3.5e6, 2),
        USED.key: _used(calls, THREE, 3.5e6, 3),
        RATIO.key: calls.ratio(THREE),
        QUEUE.key: calls.queue_95_s([THREE]),
    }


COMPETING = Case(
    key="competing-calls",
    section="5.4",
    title="Competing media flows with the same congestion control algorithm",
    force="",
    question="Do calls make room for another call?",
    experiment="Three calls begin at 0, 20 and 40 s over 3.5 Mbit/s.",
    measures=(*COMMON, ROOM, USED, RATIO, QUEUE),
    cells=_competing_cells,
    measure=_competing,
    expectations=(
        Expectation(
            "RFC 8867, 5.4",
            "When the second flow appears, there should still be room to accommodate "
            "another flow on the bottleneck link",
            ROOM.key,
            high=0.95,
        ),
        Expectation(
            "RFC 8867, 5.4",
            "when the third flow appears, the bottleneck link should be saturated",
            USED.key,
            low=0.85,
        ),
        Expectation(
            "RFC 8868, 3",
            "the relative ratio between congestion-controlled RTP flows with the same "
            "priority level and similar path RTT should be bounded between 0.333 and 3",
            RATIO.key,
            high=3,
            stated=True,
        ),
        Expectation("RFC 8867, 5.4", "minimum possible latency", QUEUE.key, high=0.1),
        Expectation("RFC 8867, 5.4", "minimum possible latency and loss", LOST.key, high=0.01),
    ),
    settled={"two calls": TWO, "three calls": THREE},
)

LATECOMER = Measure("settling_s", "time until the last call has its rate", "s", 1, 0, "lower", 1)


def _round_trip_cells(quick: bool) -> tuple[Cell, ...]:  # noqa: ARG001 - one setting, in either run
    return (Cell("10 to 150 ms one way", jittery(scenario("rmcat-round-trip-fairness")), ()),)


def _settling_s(calls: Calls, place: int) -> float:
    """The time from a call's start until the mean of 5 s is within a quarter of its rate at the end."""
    start, wanted = calls.starts[place], calls.rate(place, FIVE)
    means = calls.windows(place, (start, FIVE[1]), 5.0)
    for number, mean in enumerate(means, start=1):
        if abs(mean - wanted) <= 0.25 * wanted:
            return 5.0 * number
    return FIVE[1] - start


def _round_trips(result: RunRecord) -> Mapping[str, float]:
    calls = Calls(result)
    return {
        **common(calls, [(FIVE, 4e6)]),
        USED.key: _used(calls, FIVE, 4e6, 5),
        RATIO.key: calls.ratio(FIVE),
        LATECOMER.key: _settling_s(calls, len(calls.rows) - 1),
        QUEUE.key: calls.queue_95_s([FIVE]),
    }


ROUND_TRIPS = Case(
    key="round-trip-fairness",
    section="5.5",
    title="Round trip time fairness",
    force="",
    question="Does a call over a long path get as much as a call over a short one?",
    experiment="Five calls of 10, 25, 50, 100 and 150 ms one way begin 10 s apart over 4 Mbit/s.",
    measures=(*COMMON, USED, RATIO, LATECOMER, QUEUE),
    cells=_round_trip_cells,
    measure=_round_trips,
    expectations=(
        Expectation(
            "RFC 8867, 5.5", "converge to bit rates to accommodate all the flows", USED.key, low=0.85
        ),
        Expectation(
            "RFC 8867, 5.5",
            "how fast and fairly the competing flows converge to their steady states "
            "irrespective of the RTT observed",
            RATIO.key,
            high=3,
        ),
        Expectation("RFC 8867, 5.5", "how fast", LATECOMER.key, high=60),
        Expectation("RFC 8867, 5.5", "minimum possible latency", QUEUE.key, high=0.1),
        Expectation("RFC 8867, 5.5", "minimum possible latency and loss", LOST.key, high=0.01),
    ),
    settled={"all calls": FIVE},
)

BEFORE: Span = (25, 40)
DURING: Span = (52, 60)
AFTER: Span = (100, 119)

TAKEN = Measure(
    "rate_in_pause", "least rate of another in the pause over the maximum", "", 1, 2, "higher", 0.01
)
LEAST_BACK = Measure("least_back", "least rate after the pause over before", "", 1, 2, "higher", 0.01)
MOST_BACK = Measure("most_back", "highest rate after the pause over before", "", 1, 2, "lower", 0.01)


def _pause_cells(quick: bool) -> tuple[Cell, ...]:  # noqa: ARG001 - one setting, in either run
    return (Cell("a call pauses from 40 to 60 s", jittery(scenario("rmcat-pause")), ()),)


def _pause(result: RunRecord) -> Mapping[str, float]:
    calls = Calls(result)
    others = [place for place, name in enumerate(calls.names) if name != "pausing"]
    before, after = calls.all_rates(BEFORE), calls.all_rates(AFTER)
    quotients = [late / max(early, 1.0) for early, late in zip(before, after, strict=True)]
    return {
        **common(calls, [(BEFORE, 3.5e6), (AFTER, 3.5e6)]),
        TAKEN.key: min(calls.rate(place, DURING) for place in others) / HIGHEST,
        LEAST_BACK.key: min(quotients),
        MOST_BACK.key: max(quotients),
        RATIO.key: calls.ratio(AFTER),
    }


PAUSE = Case(
    key="pause",
    section="5.8",
    title="Media pause and resume",
    force="",
    question="Do the others take the room of a call that pauses, and give it back?",
    experiment="Three calls over 3.5 Mbit/s; one pauses from 40 to 60 s.",
    measures=(*COMMON, TAKEN, LEAST_BACK, MOST_BACK, RATIO),
    cells=_pause_cells,
    measure=_pause,
    expectations=(
        Expectation(
            "RFC 8867, 5.8",
            "the two remaining flows are expected to increase their rates and reach the "
            "maximum media bit rate",
            TAKEN.key,
            low=0.9,
        ),
        Expectation(
            "RFC 8867, 5.8",
            "all three flows are expected to converge to the same original fair share of "
            "rates prior to the media pause/resume event",
            LEAST_BACK.key,
            low=0.75,
        ),
        Expectation("RFC 8867, 5.8", "the same original fair share of rates", MOST_BACK.key, high=1.33),
    ),
    settled={"before the pause": BEFORE, "in the pause": DURING, "after it": AFTER},
)
