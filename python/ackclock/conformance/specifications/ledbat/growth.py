"""The window grows no faster than standard TCP's."""

from dataclasses import replace

from ackclock.conformance.specifications.reno.threshold import CASE as THRESHOLD

CASE = replace(
    THRESHOLD,
    number=2,
    section="RFC 6817, 2.4.2",
    title="On an empty path the window grows by a packet in a round trip",
    statement="With a gain of one, and no queue, the window grows as fast as standard TCP's and no faster.",
)
