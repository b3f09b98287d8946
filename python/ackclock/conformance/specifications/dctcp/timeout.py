"""A timeout leaves one packet."""

from dataclasses import replace

from ackclock.conformance.specifications.reno.timeout import CASE as TIMEOUT

CASE = replace(
    TIMEOUT,
    number=7,
    section="RFC 8257, 3.5",
    statement="A timeout leaves one packet, whatever reductions came before, as in standard TCP.",
)
