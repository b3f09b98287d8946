"""At the end of recovery the window is the threshold."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.prr.example import SINGLE
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The window and the flight right after the recovery."""
    again, _ = trace.sent.first_again()
    after = again + 1.15 * trace.path_rtt_s
    threshold = trace.at("ssthresh_packets", after)
    yield Verdict.within("window less the threshold", trace.at("cwnd_packets", after) - threshold, -0.1, 1.1)
    flight = trace.at("in_flight_packets", after)
    yield Verdict.within("flight less the threshold", flight - threshold, -2.0, 1.5)


CASE = Case(
    number=5,
    section="RFC 9937, 6.4 and 7",
    title="At the end of recovery window and flight are the threshold",
    statement="With few losses recovery ends with exactly the window that the congestion control chose.",
    scenario=SINGLE,
    rule=(
        "1.15 round trips after the retransmission the window is the threshold to a packet more, and the "
        "flight 2 packets below it to 1.5 above."
    ),
    why="Congestion avoidance adds a part of a packet meanwhile; the flight is counted in whole packets.",
    observe=observe,
    shown=("in_flight_packets", "cwnd_packets", "ssthresh_packets"),
)
