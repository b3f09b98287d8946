"""At a drop-tail queue the flow shares with a standard one."""

from collections.abc import Iterator
from typing import Any

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.paths import one_flow
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The goodput next to a standard flow."""
    rate = trace.goodput_of_link(10.0, 40.0)
    yield Verdict.within("goodput with a standard flow in rates of the link", rate, 0.2, 0.8)


SCENARIO: dict[str, Any] = one_flow("10 Mbit/s", 40, 40, buffer="40 packets", sample="10 ms")
SCENARIO["topology"]["dumbbell"]["pairs"] = 2
SCENARIO["flow"].append({"name": "standard", "algorithm": "rack+reno"})

CASE = Case(
    number=8,
    section="RFC 9331, 4.3, item 2; A.1.4",
    title="At a drop-tail queue the flow shares with a standard one",
    statement="Where a queue drops and does not mark, the flow coexists with Reno and starves nobody.",
    scenario=SCENARIO,
    rule="From 10 s to 40 s the flow has 20 to 80 % of the link.",
    why="Cycles of two flows at a full queue are long and few in 30 s, so that shares move.",
    observe=observe,
    shown=("cwnd_packets", "goodput_bit_per_s"),
)
