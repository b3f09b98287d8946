"""Slow start doubles the window."""

from dataclasses import replace

from ackclock.conformance.specifications.cdg.backoffs import (
    without_delay,
)
from ackclock.conformance.specifications.reno.slow_start import CASE as SLOW_START

CASE = replace(
    SLOW_START,
    number=1,
    section="the paper, 3",
    title="Slow start doubles the window",
    statement=(
        "Without a signal of delay or a loss the window grows as standard TCP's: it doubles in slow start."
    ),
    scenario=without_delay(SLOW_START.scenario),
)
