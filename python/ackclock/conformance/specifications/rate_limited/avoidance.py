"""In congestion avoidance the window grows to a packet above the largest flight."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.rate_limited.responses import answering
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The largest window and flight."""
    excess = float(trace.series("cwnd_packets").max() - trace.series("in_flight_packets").max())
    yield Verdict.within("largest window, less the largest flight, in packets", excess, 0.0, 1.0)


CASE = Case(
    number=2,
    section="the draft, 3",
    title="In congestion avoidance the window grows to a packet above the largest flight",
    statement=(
        "A sender in congestion avoidance that uses ten packets of its window grows it to eleven and no "
        "further."
    ),
    scenario=answering(10, initial_ssthresh="10 packets"),
    rule="The largest window is at most one packet above the largest flight.",
    why="The limit is the draft's. Some 75 responses would add 70 packets without it.",
    observe=observe,
    shown=("cwnd_packets", "in_flight_packets"),
)
