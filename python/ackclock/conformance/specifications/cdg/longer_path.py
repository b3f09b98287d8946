"""A longer path is no congestion."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.cdg.backoffs import (
    GRADIENT,
)
from ackclock.conformance.specifications.paths import one_flow, stepped
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The goodput on the longer path."""
    rate = trace.goodput_of_link(20.0, 40.0)
    yield Verdict.within("goodput on the longer path in rates of the link", rate, 0.8, 1.02)


CASE = Case(
    number=9,
    section="the paper, abstract and 2",
    title="A longer path slows nothing down for long",
    statement=(
        "The gradient needs no knowledge of the smallest round trip: a path that becomes longer is one "
        "change, and no standing signal."
    ),
    scenario=one_flow(
        "20 Mbit/s",
        60,
        40,
        buffer="300 packets",
        tcp={"segments_per_ack": 1},
        delay=stepped("28 ms", (10.0, "48 ms")),
        flow={"start_jitter": "100 ms"},
    ),
    rule=(
        "From 20 to 40 s, ten seconds after the path became 40 ms longer, the goodput is at least 80 % of "
        "the link."
    ),
    why=(
        "A flow that compares with the smallest round trip would take 40 ms for a queue for good. Up to "
        "two back-offs at the change are made good in 100 round trips of 100 ms."
    ),
    observe=observe,
    shown=("cwnd_packets", GRADIENT, "rtt_s"),
)
