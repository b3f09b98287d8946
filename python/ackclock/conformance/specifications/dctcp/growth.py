"""The window grows as standard TCP's does."""

from dataclasses import replace

from ackclock.conformance.specifications.reno.threshold import CASE as THRESHOLD

CASE = replace(
    THRESHOLD,
    number=8,
    section="RFC 8257, 3.4",
    title="In congestion avoidance the window grows as standard TCP's does",
    statement="Without marks the window grows by a packet in a round trip from the threshold on.",
)
