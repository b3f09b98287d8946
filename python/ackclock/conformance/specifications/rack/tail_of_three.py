"""A lost tail of three is repaired without a timeout."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.rack.departures import file_of, of_the_last
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict

PACKETS = 100


def observe(trace: Trace) -> Iterator[Verdict]:
    """The probe, and the two packets that its acknowledgment shows to be lost."""
    yield from of_the_last(trace, PACKETS)
    probe, _ = trace.sent.first_again()
    for ordinal in (PACKETS - 2, PACKETS - 1):
        departures = trace.sent.times(ordinal - 1)
        waited = (departures[1] - probe) / trace.path_rtt_s if len(departures) > 1 else np.inf
        yield Verdict.within(f"round trips from the probe to packet {ordinal}", waited, 0.95, 1.35)


CASE = Case(
    number=9,
    section="RFC 8985, 3.2 and 7.4.1",
    title="A lost tail of three is repaired without a timeout",
    statement=(
        "Of a hundred segments the last three are lost. The probe sends the last one again, whose "
        "acknowledgment shows that the two before it are lost."
    ),
    scenario=file_of(PACKETS, PACKETS - 2, PACKETS - 1, PACKETS),
    rule="The last packet is sent again first, and the two before it 0.95 to 1.35 round trips later.",
    why="The example is the RFC's. A window of a quarter of a round trip may still run.",
    observe=observe,
    shown=("cwnd_packets", "ssthresh_packets", "retransmissions"),
)
