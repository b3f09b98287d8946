"""A window in full use grows without a limit."""

from dataclasses import replace

from ackclock.conformance.specifications.reno.slow_start import CASE as DOUBLING

CASE = replace(
    DOUBLING,
    number=4,
    section="the draft, 3 and 4",
    title="A window in full use grows as ever",
    statement="A sender with enough data doubles its window in each round trip of slow start.",
)
