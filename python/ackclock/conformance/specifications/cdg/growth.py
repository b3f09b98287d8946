"""Without a signal the window grows as standard TCP's does."""

from dataclasses import replace

from ackclock.conformance.specifications.cdg.backoffs import (
    without_delay,
)
from ackclock.conformance.specifications.reno.threshold import CASE as THRESHOLD

CASE = replace(
    THRESHOLD,
    number=3,
    section="the paper, 3",
    title="Without a signal the window grows as standard TCP's does",
    statement="In congestion avoidance the window grows by a packet in a round trip.",
    scenario=without_delay(THRESHOLD.scenario),
)
