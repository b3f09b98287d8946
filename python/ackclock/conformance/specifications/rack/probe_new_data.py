"""A probe is new data, if there is some."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.rack.departures import SILENT, nothing_sent, silence_begins_s
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The first packet of the silence."""
    begin = silence_begins_s(trace)
    late = trace.sent.time_s > begin + trace.path_rtt_s
    if not late.any():
        yield nothing_sent("the silence")
        return
    first = int(late.argmax())
    yield Verdict.same(
        "the first packet of the silence was sent before", bool(trace.sent.is_again[first]), False
    )
    waited = (float(trace.sent.time_s[first]) - begin) / trace.path_rtt_s
    yield Verdict.within("round trips from the last acknowledgment", waited, 1.95, 2.3)


CASE = Case(
    number=11,
    section="RFC 8985, 7.3 (TLP_send_probe)",
    title="A probe is new data, if there is some",
    statement=(
        "When acknowledgments stop, the probe is a segment that was not sent before, beyond the window if "
        "need be."
    ),
    scenario=SILENT,
    rule=(
        "The first packet that goes more than a round trip after the last acknowledgment is a new one, 1.95 "
        "to 2.3 round trips after it."
    ),
    why="The smoothed round trip is a little above the smallest one, with a window of some 45 packets.",
    observe=observe,
    shown=("cwnd_packets", "in_flight_packets", "retransmissions"),
)
