"""At a queue of classic ECN a standard flow keeps a part."""

from collections.abc import Iterator
from typing import Any

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.paths import one_flow
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The goodput next to a standard flow with ECN."""
    rate = trace.goodput_of_link(15.0, 40.0)
    yield Verdict.within("goodput with a standard flow in rates of the link", rate, 0.1, 0.8)


SCENARIO: dict[str, Any] = one_flow(
    "20 Mbit/s",
    40,
    40,
    buffer="400 packets",
    sample="10 ms",
    queue="codel",
    reverse={"queue": "droptail"},
)
SCENARIO["topology"]["dumbbell"]["pairs"] = 2
SCENARIO["flow"].append({"name": "standard", "algorithm": "rack+reno", "tcp": {"ecn": "classic"}})

CASE = Case(
    number=17,
    section="RFC 9331, 4.3, item 3; A.1.5",
    title="At a queue of classic ECN a standard flow keeps a part",
    statement=(
        "A sender detects a queue that marks as classic ECN does, and adapts so that it coexists with Reno "
        "in one queue."
    ),
    scenario=SCENARIO,
    rule="From 15 s to 40 s the flow has 10 to 80 % of the link next to a flow of Reno with ECN.",
    why=(
        "The requirement asks for coexistence; a ratio of four is allowed here. Without it ratios of 25 are "
        "known."
    ),
    observe=observe,
    shown=("cwnd_packets", "goodput_bit_per_s"),
)
