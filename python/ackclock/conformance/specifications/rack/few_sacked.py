"""One segment that arrives after a lost one is enough."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.rack.departures import file_of
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict

PACKETS = 30


def observe(trace: Trace) -> Iterator[Verdict]:
    """The time after which the last but one is sent again."""
    departures = trace.sent.times(PACKETS - 2)
    waited = (departures[1] - departures[0]) / trace.path_rtt_s if len(departures) > 1 else float("inf")
    yield Verdict.within("round trips until it is sent again", waited, 1.2, 1.4)


CASE = Case(
    number=1,
    section="RFC 8985, 6.2, step 4",
    title="One segment that arrives after a lost one is enough",
    statement=(
        "Any number of segments that arrive after a lost one begin a recovery as soon as the reordering "
        "window has passed: three are not needed."
    ),
    scenario=file_of(PACKETS, PACKETS - 1),
    rule="The last packet but one of a file, lost, is sent again 1.2 to 1.4 round trips after it was sent.",
    why=(
        "The last packet arrives alone. A round trip and a quarter of one pass, and the timer has a slack of "
        "2 ms; the retransmission timer has a second."
    ),
    observe=observe,
    shown=("cwnd_packets", "retransmissions"),
)
