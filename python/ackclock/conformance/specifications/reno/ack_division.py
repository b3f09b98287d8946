"""Acknowledgments of parts of a segment grow nothing more."""

from dataclasses import replace

from ackclock.conformance.specifications.paths import one_flow
from ackclock.conformance.specifications.reno.slow_start import CASE as SLOW_START

CASE = replace(
    SLOW_START,
    number=13,
    section="RFC 5681, 3.1, equation 2 (ACK division)",
    title="Acknowledgments of parts of a segment grow the window by their parts",
    statement=(
        "A receiver that acknowledges each segment in four parts gains nothing: an acknowledgment adds the "
        "data that it acknowledges, at most a segment."
    ),
    scenario=one_flow(
        "100 Mbit/s", 100, 1, buffer="1000 packets", tcp={"segments_per_ack": 1, "ack_splitting": 4}
    ),
    why=(
        "As with whole acknowledgments. Each part would double the growth twice more if it counted as a "
        "segment."
    ),
    on_log=None,
)
