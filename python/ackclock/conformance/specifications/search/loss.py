"""A loss ends slow start too."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.paths import one_flow
from ackclock.conformance.specifications.search.phases import DRAINING
from ackclock.conformance.specifications.windows import (
    first_loss_s,
    growth_per_round_trip,
    lost,
    recovered_s,
)
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The growth after the loss."""
    after = recovered_s(trace, first_loss_s(trace)) + trace.path_rtt_s
    growth = growth_per_round_trip(trace, after, 5)
    yield Verdict.within("growth after recovery in packets per round trip", growth, 0.0, 6.0)


CASE = Case(
    number=8,
    section="draft-chung-ccwg-search-09, 1; RFC 5681, 3.1",
    title="A loss ends slow start too",
    statement=("SEARCH adds a way out of slow start: a packet that is lost before ends it as ever."),
    scenario=one_flow(
        "200 Mbit/s", 100, 2, buffer="9000 packets", tcp={"segments_per_ack": 1}, loss=lost(400)
    ),
    rule=(
        "From three and a half round trips after the loss the window grows by at most 6 packets in each of "
        "five."
    ),
    why="Slow start would add hundreds of packets in a round trip.",
    observe=observe,
    shown=("cwnd_packets", "ssthresh_packets", DRAINING),
)
