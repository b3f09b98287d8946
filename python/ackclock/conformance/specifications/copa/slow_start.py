"""Slow start doubles the window."""

from dataclasses import replace

from ackclock.conformance.specifications.reno.slow_start import CASE as SLOW_START

CASE = replace(
    SLOW_START,
    number=4,
    section="the paper, 2.1",
    statement="Until the rate exceeds its target for the first time the window doubles in each round trip.",
    on_log=None,
)
