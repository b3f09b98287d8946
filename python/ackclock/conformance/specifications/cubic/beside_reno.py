"""At small windows the flow shares with Reno."""

from collections.abc import Iterator
from typing import Any

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.paths import one_flow
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The goodput next to a standard flow."""
    rate = trace.goodput_of_link(10.0, 60.0)
    yield Verdict.within("goodput with a standard flow in rates of the link", rate, 0.3, 0.7)


SCENARIO: dict[str, Any] = one_flow("10 Mbit/s", 20, 60, buffer="30 packets", sample="10 ms")
SCENARIO["topology"]["dumbbell"]["pairs"] = 2
SCENARIO["flow"].append({"name": "standard", "algorithm": "rack+reno"})

CASE = Case(
    number=15,
    section="RFC 9438, 4.3 and 5.1",
    title="At small windows the flow shares with Reno",
    statement=(
        "On paths with a small bandwidth-delay product a flow has at least the throughput of Reno, and about "
        "as much."
    ),
    scenario=SCENARIO,
    rule="From 10 s to 60 s the flow has 30 to 70 % of the link.",
    why=(
        "The model of the Reno-friendly region is approximate; losses of two flows at a short buffer "
        "synchronise."
    ),
    observe=observe,
    shown=("cwnd_packets", "goodput_bit_per_s"),
)
