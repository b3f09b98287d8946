"""A probe comes no later than the timeout would."""

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.paths import FORWARD, one_flow
from ackclock.conformance.specifications.rack.departures import probes
from ackclock.conformance.specifications.windows import lost

PACKETS = 300


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
    observe=probes(PACKETS, 1.0, 1.9),
    needs_retransmission_timer=True,
    shown=("rtt_s", "retransmissions"),
)
