"""Congestion avoidance with delayed acknowledgments."""

from collections.abc import Iterator
from dataclasses import replace

from ackclock.conformance.specifications.paths import one_flow
from ackclock.conformance.specifications.reno.threshold import CASE as THRESHOLD
from ackclock.conformance.specifications.windows import growth_per_round_trip
from ackclock.conformance.trace import Trace, first
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The growth after the window reaches the threshold of 32 packets."""
    window = trace.series("cwnd_packets")
    reached = first(trace.time_s[window >= 32], "a window of 32 packets")
    growth = growth_per_round_trip(trace, reached + trace.path_rtt_s, 20)
    yield Verdict.within("growth in packets per round trip", growth, 0.45, 1.05)


CASE = replace(
    THRESHOLD,
    number=16,
    section="RFC 5681, 3.1",
    title="With delayed acknowledgments the window grows by a segment in a round trip at most",
    statement=(
        "In congestion avoidance the window never grows by more than a segment in a round trip; with an "
        "acknowledgment for every second segment it may grow by half of one."
    ),
    scenario=one_flow("100 Mbit/s", 100, 5, buffer="1000 packets", tcp={"initial_ssthresh": "32 packets"}),
    rule=(
        "Over twenty round trips after it reached 32 packets the window grows by 0.45 to 1.05 packets in "
        "each."
    ),
    why="Counting bytes gives one packet, equation 3 half of one; growth falls into whole round trips.",
    observe=observe,
)
