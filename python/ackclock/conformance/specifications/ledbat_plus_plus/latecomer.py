"""A flow that comes later takes no more than its part."""

from collections.abc import Iterator
from copy import deepcopy

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.ledbat_plus_plus.slowdowns import ALONE
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The goodput next to a flow of LEDBAT++ that began earlier and later."""
    rate = trace.goodput_of_link(60.0, 120.0)
    yield Verdict.within("goodput of the first flow in rates of the link", rate, 0.25, 0.75)


SCENARIO = deepcopy(ALONE)
SCENARIO["duration"] = "120 s"
SCENARIO["topology"]["dumbbell"]["pairs"] = 2
SCENARIO["trace"]["interval"] = "20 ms"
SCENARIO["flow"].append({"name": "later", "start": "20 s"})

CASE = Case(
    number=16,
    section="the draft, abstract and periodic slowdowns",
    title="A flow that comes later takes no more than its part",
    statement=(
        "Slowdowns drain the queue, so that a flow that begins on a full queue learns the path's own round "
        "trip, and does not take the queue of the first flow for a part of it."
    ),
    scenario=SCENARIO,
    rule=(
        "From 60 s to 120 s the first flow, which another of its kind joined at 20 s, has 25 to 75 % of the "
        "link."
    ),
    why=(
        "The cycles of the two differ, so that shares move; LEDBAT's first flow is left with next to nothing."
    ),
    observe=observe,
    shown=("cwnd_packets", "goodput_bit_per_s", "rtt_s"),
)
