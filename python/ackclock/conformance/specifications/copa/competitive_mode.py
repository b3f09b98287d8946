"""With a flow that fills the buffer the flow becomes competitive."""

from collections.abc import Iterator
from copy import deepcopy

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.copa.alone import ALONE, DELTA
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The delta and the goodput next to a standard flow."""
    delta = trace.gauge(DELTA)[trace.time_s > 20]
    yield Verdict.within("share of the time with a delta below 0.5", float((delta < 0.5).mean()), 0.7, 1.0)
    yield from outside(trace)


def outside(trace: Trace) -> Iterator[Verdict]:
    """The goodput next to a standard flow."""
    rate = trace.goodput_of_link(20.0, 60.0)
    yield Verdict.within("goodput with a standard flow in rates of the link", rate, 0.15, 0.85)


SCENARIO = deepcopy(ALONE)
SCENARIO["duration"] = "60 s"
SCENARIO["topology"]["dumbbell"]["pairs"] = 2
SCENARIO["topology"]["dumbbell"]["bottleneck"]["buffer"] = "100 packets"
SCENARIO["flow"].append({"name": "standard", "start": "5 s", "algorithm": "rack+reno"})
SCENARIO["trace"]["interval"] = "5 ms"

CASE = Case(
    number=3,
    section="the paper, 2.2",
    title="With a flow that fills the buffer the flow becomes competitive",
    statement=(
        "If the queue does not empty for five round trips, delta falls as a window of AIMD would grow, so "
        "that the flow keeps a share."
    ),
    scenario=SCENARIO,
    rule=(
        "From 20 s to 60 s delta is below 0.5 for 70 % of the time or more, and the goodput is 15 to 85 % "
        "of the link."
    ),
    why=(
        "The standard flow empties the queue at some of its reductions, where the default mode returns "
        "for a while."
    ),
    observe=observe,
    outside=outside,
    shown=(DELTA, "cwnd_packets", "rtt_s"),
)
