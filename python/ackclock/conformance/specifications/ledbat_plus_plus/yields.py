"""The flow gives way to a standard flow."""

from collections.abc import Iterator
from copy import deepcopy

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.ledbat_plus_plus.slowdowns import ALONE
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The goodput before and after the other flow begins."""
    link = trace.rate_packets_per_s(5.0)
    alone = trace.goodput_packets_per_s(3.0, 10.0) / link
    yield Verdict.within("goodput alone in rates of the link", alone, 0.8, 1.02)
    shared = trace.goodput_packets_per_s(15.0, 40.0) / link
    yield Verdict.within("goodput with a standard flow in rates of the link", shared, 0.0, 0.1)


SCENARIO = deepcopy(ALONE)
SCENARIO["topology"]["dumbbell"]["pairs"] = 2
SCENARIO["flow"].append({"name": "standard", "start": "10 s", "algorithm": "rack+reno"})

CASE = Case(
    number=15,
    section="the draft, abstract; RFC 6817, 1",
    title="The flow gives way to a standard flow",
    statement=(
        "A standard flow fills the buffer beyond the target, and background traffic gets out of its way."
    ),
    scenario=SCENARIO,
    rule=(
        "Alone the goodput is at least 80 % of the link; 5 to 30 s after a standard flow began, at most 10 %."
    ),
    why="A slowdown takes some of the first ten seconds. The buffer holds eight targets.",
    observe=observe,
    shown=("cwnd_packets", "goodput_bit_per_s", "rtt_s"),
)
