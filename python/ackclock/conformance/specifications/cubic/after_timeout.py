"""After a timeout the curve begins flat at the threshold."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.cubic.curve import FACTOR
from ackclock.conformance.specifications.paths import losing, one_flow
from ackclock.conformance.specifications.windows import window_at
from ackclock.conformance.trace import Trace, first
from ackclock.measures.verdict import Verdict

OUTAGE = (2.0, 3.6)


def observe(trace: Trace) -> Iterator[Verdict]:
    """The growth in seven seconds of avoidance after the timeout."""
    late = trace.time_s > OUTAGE[1]
    threshold = trace.at("ssthresh_packets", OUTAGE[1])
    begin = first(
        trace.time_s[late & (trace.series("cwnd_packets") >= threshold)], "a window at the threshold"
    )
    for seconds in (6.0, 7.0):
        growth = window_at(trace, begin + seconds) - window_at(trace, begin)
        least = FACTOR * (seconds - 2 * trace.path_rtt_s) ** 3
        most = FACTOR * (seconds + 2 * trace.path_rtt_s) ** 3 + 1
        yield Verdict.within(f"growth in {seconds:g} s in packets", growth, least, most)


CASE = Case(
    number=10,
    section="RFC 9438, 4.8",
    title="After a timeout the curve begins flat at the threshold",
    statement=(
        "In the first stage of avoidance after a timeout K is zero and the plateau is the window there, so "
        "that the window does not hurry back to what it was before."
    ),
    scenario=one_flow(
        "200 Mbit/s",
        100,
        14,
        buffer="3000 packets",
        tcp={"segments_per_ack": 1, "initial_ssthresh": "200 packets", "rto_min": "1 s"},
        sample="5 ms",
        loss=losing(1.0, *OUTAGE),
    ),
    rule="After 6 s and 7 s the window has grown by 0.4 t^3 packets, with two round trips more or less.",
    why=(
        "The way back to a plateau would be some 60 packets in 5.3 s, and flat there. The Reno-friendly "
        "estimate is below."
    ),
    observe=observe,
    needs_retransmission_timer=True,
    shown=("cwnd_packets", "ssthresh_packets"),
)
