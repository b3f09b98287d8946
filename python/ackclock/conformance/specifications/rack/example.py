"""The example of the RFC."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.rack.departures import file_of
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The three departures of the packet that is lost twice."""
    begin = float(trace.sent.time_s[0])
    departures = trace.sent.times(1)
    yield Verdict.same("departures of the second packet", len(departures), 3)
    last = (departures[-1] - begin) / trace.path_rtt_s
    yield Verdict.within("round trips until its last departure", last, 4.8, 5.6)


CASE = Case(
    number=10,
    section="RFC 8985, 3.4, figure 1",
    title="The example of the RFC",
    statement=(
        "Four segments are sent, and the last three are lost. A probe, a recovery, and the loss of a "
        "retransmission that another one shows: the second segment goes for the third time after five round "
        "trips."
    ),
    scenario=file_of(4, 2, 3, 4, 6),
    rule=(
        "The second packet departs three times, for the last time 4.8 to 5.6 round trips after the beginning."
    ),
    why=(
        "One round trip to the first acknowledgment, two to the probe, one to its answer and one to the "
        "answer to the other retransmission. The timer would need a second."
    ),
    observe=observe,
    shown=("cwnd_packets", "retransmissions"),
)
