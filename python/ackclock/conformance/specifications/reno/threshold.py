"""Slow start ends at the threshold."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.paths import one_flow
from ackclock.conformance.specifications.windows import growth_per_round_trip
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The growth before and after the window reaches the threshold of 32 packets."""
    window = trace.series("cwnd_packets")
    reached = float(trace.time_s[window >= 32][0])
    within = trace.at("cwnd_packets", reached + trace.path_rtt_s)
    yield Verdict.within("window a round trip after it reached 32 packets", within, 32, 34.5)
    growth = growth_per_round_trip(trace, reached + trace.path_rtt_s, 20)
    yield Verdict.within("growth after it in packets per round trip", growth, 0.9, 1.1)


CASE = Case(
    number=4,
    section="RFC 5681, 3.1, equation 3",
    title="Above the threshold the window grows by a segment in a round trip",
    statement=(
        "Slow start ends when the window reaches the threshold. From there on the window grows by about "
        "one segment in each round trip."
    ),
    scenario=one_flow(
        "100 Mbit/s",
        100,
        5,
        buffer="1000 packets",
        tcp={"segments_per_ack": 1, "initial_ssthresh": "32 packets"},
    ),
    rule=(
        "A round trip after it reached 32 packets the window is at most 34.5; over the next 20 round trips "
        "it grows by 0.9 to 1.1 packets per round trip in the mean."
    ),
    why=(
        "The increase is spread over the acknowledgments of a round trip, during which the window grows "
        "itself."
    ),
    observe=observe,
    shown=("cwnd_packets", "ssthresh_packets"),
)
