"""One probe is sent, and no second one."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.rack.departures import SILENT, silence_begins_s
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The packets between the last acknowledgment and the first that is sent again."""
    begin = silence_begins_s(trace) + trace.path_rtt_s
    again, _ = trace.sent.first_again()
    between = (trace.sent.time_s > begin) & (trace.sent.time_s < again)
    yield Verdict.same("packets in the silence before one is sent again", int(between.sum()), 1)


CASE = Case(
    number=12,
    section="RFC 8985, 7.3, conditions 1 and 2",
    title="One probe is sent, and no second one",
    statement="While a probe is in flight, and no round trip was measured since, there is no further probe.",
    scenario=SILENT,
    rule="Between a round trip after the last acknowledgment and the timeout a single packet is sent.",
    why="Until the timeout two more intervals of two round trips pass, each of which would send one.",
    observe=observe,
    shown=("in_flight_packets", "retransmissions"),
)
