"""Reordering is measured in time."""

from dataclasses import replace

from ackclock.conformance.specifications.rack.reordering_tolerated import CASE as TOLERATED

CASE = replace(
    TOLERATED,
    number=12,
    section="RFC 9331, 4.3, item 6; A.1.8",
    title="Reordering is measured in time, and not in packets",
    statement=(
        "Loss detection is resilient to reordering over a time, as in RACK, and does not count packets."
    ),
)
