"""The flow gives way to a standard flow."""

from collections.abc import Iterator
from typing import Any

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.paths import one_flow
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The goodput before and after the other flow begins."""
    link = trace.rate_packets_per_s(5.0)
    alone = trace.goodput_packets_per_s(5.0, 10.0) / link
    yield Verdict.within("goodput alone in rates of the link", alone, 0.9, 1.02)
    shared = trace.goodput_packets_per_s(20.0, 40.0) / link
    yield Verdict.within("goodput with a standard flow in rates of the link", shared, 0.0, 0.15)


SCENARIO: dict[str, Any] = one_flow("10 Mbit/s", 40, 40, buffer="400 packets", sample="20 ms")
SCENARIO["topology"]["dumbbell"]["pairs"] = 2
SCENARIO["flow"].append({"name": "standard", "start": "10 s", "algorithm": "rack+reno"})

CASE = Case(
    number=4,
    section="RFC 6817, 1 and 3.1",
    title="The flow gives way to a standard flow",
    statement=(
        "A standard flow fills the buffer beyond the target, and the flow takes its own data out of the way."
    ),
    scenario=SCENARIO,
    rule=(
        "Alone the goodput is at least 90 % of the link; ten to thirty seconds after a standard flow "
        "began it is at most 15 %."
    ),
    why=(
        "The buffer holds 480 ms, so that the standard flow keeps the queue above the target for most of "
        "its cycle."
    ),
    observe=observe,
    shown=("cwnd_packets", "goodput_bit_per_s", "rtt_s"),
)
