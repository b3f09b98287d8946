"""A probe comes no later than the timeout would."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.paths import FORWARD, one_flow
from ackclock.conformance.specifications.rack.departures import of_the_last
from ackclock.conformance.specifications.windows import lost
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict

PACKETS = 300


def observe(trace: Trace) -> Iterator[Verdict]:
    """The packet that is sent again first, and its wait."""
    yield from of_the_last(trace, PACKETS)
    again, _ = trace.sent.first_again()
    wait = again - trace.acknowledged_before(again)
    yield Verdict.within("round trips from the last acknowledgment", wait / trace.path_rtt_s, 1.0, 1.9)


CASE = Case(
    number=15,
    section="RFC 8985, 7.2 (TLP_calc_PTO)",
    title="A probe comes no later than the timeout would",
    statement=(
        "Where the retransmission timer would expire before two round trips are over, the probe takes its "
        "place at that time."
    ),
    scenario=one_flow(
        "100 Mbit/s",
        300,
        6,
        buffer="1000 packets",
        flow={"packets": PACKETS},
        tcp={"segments_per_ack": 1, "rto_min": "200 ms"},
        watch=FORWARD,
        loss=lost(PACKETS - 2, PACKETS - 1, PACKETS),
    ),
    rule="The last packet is sent again first, 1 to 1.9 round trips after the last acknowledgment.",
    why=(
        "Round trips of 300 ms vary little, so that the timeout is little more than one. A timeout would "
        "send the first of the three again, a probe sends the last."
    ),
    observe=observe,
    shown=("rtt_s", "retransmissions"),
)
