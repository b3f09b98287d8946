"""A loss halves the window."""

from dataclasses import replace

from ackclock.conformance.specifications.reno.halving import CASE as HALVING

CASE = replace(
    HALVING,
    number=4,
    section="RFC 8257, 3.5",
    statement="A loss is answered as standard TCP answers it, whatever alpha is.",
)
