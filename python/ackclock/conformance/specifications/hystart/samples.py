"""A round needs eight samples."""

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.hystart.phases import CONSERVATIVE, never_begins
from ackclock.conformance.specifications.paths import one_flow, stepped

CASE = Case(
    number=8,
    section="RFC 9406, 4.2 and 4.3",
    title="A round with fewer than eight samples says nothing",
    statement=(
        "The smallest round trip of a round counts when eight samples were taken in it, so that a few long "
        "ones end nothing."
    ),
    scenario=one_flow(
        "900 Mbit/s",
        100,
        0.39,
        buffer="9000 packets",
        tcp={"segments_per_ack": 1, "initial_window": "2 packets"},
        delay=stepped("48 ms", (0.16, "78 ms"), (0.36, "48 ms")),
    ),
    rule="Conservative slow start never begins.",
    why=(
        "With two packets at the beginning the second and third rounds have four samples each at most; the "
        "path is 60 ms longer in them."
    ),
    observe=never_begins,
    shown=("cwnd_packets", CONSERVATIVE, "rtt_s"),
)
