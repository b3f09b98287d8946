"""A loss halves the window."""

from dataclasses import replace

from ackclock.conformance.specifications.ledbat.loss import CASE as LOSS

CASE = replace(
    LOSS,
    number=14,
    section="RFC 6817, 2.4.2, on which the draft builds",
    statement="A loss halves the window, as in LEDBAT.",
)
