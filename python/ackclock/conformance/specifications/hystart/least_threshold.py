"""On a short path a few milliseconds end nothing."""

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.hystart.phases import CONSERVATIVE, never_begins
from ackclock.conformance.specifications.paths import one_flow, stepped

CASE = Case(
    number=6,
    section="RFC 9406, 4.2 and 4.3",
    title="On a short path 4 ms are the least threshold",
    statement=(
        "The threshold is an eighth of the round trip, and at least 4 ms: at 16 ms a rise of 2.8 ms is no "
        "sign of a queue."
    ),
    scenario=one_flow(
        "900 Mbit/s",
        16,
        0.12,
        buffer="9000 packets",
        tcp={"segments_per_ack": 1},
        delay=stepped("6 ms", (0.05, "8.8 ms")),
        reverse={"rate": "900 Mbit/s", "delay": "6 ms"},
    ),
    rule="Conservative slow start never begins.",
    why="An eighth of 16 ms is 2 ms, which 2.8 ms exceed. The pipe stays empty.",
    observe=never_begins,
    shown=("cwnd_packets", CONSERVATIVE, "rtt_s"),
)
