"""Slow start is the standard one."""

from dataclasses import replace

from ackclock.conformance.specifications.reno.slow_start import CASE as SLOW_START

CASE = replace(
    SLOW_START,
    number=9,
    section="RFC 8257, 3.4",
    title="Slow start doubles the window, as in standard TCP",
    statement="Without marks the window doubles in a round trip of slow start.",
    on_log=None,
)
