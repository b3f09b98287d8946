"""The window stays at two packets or more."""

from dataclasses import replace

from ackclock.conformance.specifications.ledbat_plus_plus.least_window import CASE as LEAST
from ackclock.conformance.specifications.paths import one_flow

CASE = replace(
    LEAST,
    number=8,
    section="RFC 6817, 2.4.2 and 2.5",
    why="A packet takes 240 ms, so that the second one waits for more than two targets.",
    statement=(
        "On a link where a packet takes longer than the target the window falls to two packets, and stays "
        "there."
    ),
    scenario=one_flow("50 kbit/s", 40, 60, buffer="20 packets", tcp={"segments_per_ack": 1}, sample="20 ms"),
)
