"""Half of the acknowledgments send a packet."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.prr.example import SINGLE, in_recovery
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The packets that leave for each acknowledgment of the recovery's round trip."""
    sent, acknowledged = in_recovery(trace)
    yield Verdict.within("packets sent per acknowledgment", len(sent) / max(len(acknowledged), 1), 0.42, 0.62)


CASE = Case(
    number=3,
    section="RFC 9937, 6.2 and 8",
    title="With Reno half of the acknowledgments send a packet",
    statement=(
        "With half of the flight as the target every second acknowledgment of a recovery sends a segment, "
        "where RFC 6675 sends none for half of a round trip and then one for each."
    ),
    scenario=SINGLE,
    rule="In the round trip of the recovery 0.42 to 0.62 packets leave for each acknowledgment.",
    why="Some 17 acknowledgments come; one packet more or less is 0.06.",
    observe=observe,
    shown=("in_flight_packets", "ssthresh_packets"),
)
