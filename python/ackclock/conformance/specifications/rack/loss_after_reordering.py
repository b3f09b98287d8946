"""After reordering a loss is found by time."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.rack.reordered import overtaking
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict

LOST = 2800


def observe(trace: Trace) -> Iterator[Verdict]:
    """The time after which the lost packet is sent again."""
    departures = trace.sent.times(LOST - 1)
    if len(departures) < 2:
        yield Verdict.within("departures of the lost packet", len(departures), 2, 2)
        return
    waited = (departures[1] - departures[0]) / trace.at("rtt_s", departures[1])
    yield Verdict.within("round trips until it is sent again", waited, 1.15, 1.35)


CASE = Case(
    number=4,
    section="RFC 8985, 6.2, step 4",
    title="After reordering was seen, a loss is found by time alone",
    statement=(
        "Once reordering was seen, three segments selectively acknowledged begin no recovery; the loss is "
        "found a reordering window later."
    ),
    scenario=overtaking(LOST),
    rule="The lost packet is sent again 1.15 to 1.35 round trips after it was sent.",
    why=(
        "Packets follow each other after 1.2 ms, so that three of them take 0.04 round trips. The window is "
        "a quarter of the smallest round trip, of which the queue makes a little less than a quarter."
    ),
    observe=observe,
    shown=("cwnd_packets", "retransmissions"),
)
