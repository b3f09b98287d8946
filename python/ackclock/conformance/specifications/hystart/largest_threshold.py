"""On a long path 16 ms end slow start."""

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.hystart.phases import CONSERVATIVE, begins_soon
from ackclock.conformance.specifications.paths import one_flow, stepped

CASE = Case(
    number=7,
    section="RFC 9406, 4.2 and 4.3",
    title="On a long path 16 ms are the largest threshold",
    statement=(
        "The threshold is an eighth of the round trip, and at most 16 ms: at 300 ms a rise of 36 ms ends "
        "slow start."
    ),
    scenario=one_flow(
        "900 Mbit/s",
        300,
        3,
        buffer="9000 packets",
        tcp={"segments_per_ack": 1},
        delay=stepped("148 ms", (0.75, "166 ms")),
    ),
    rule="Conservative slow start begins within two round trips of the first longer one.",
    why=(
        "An eighth of 300 ms is 37 ms. Either way becomes 18 ms longer, which two round trips may see one "
        "after the other."
    ),
    observe=begins_soon,
    shown=("cwnd_packets", CONSERVATIVE, "rtt_s"),
)
