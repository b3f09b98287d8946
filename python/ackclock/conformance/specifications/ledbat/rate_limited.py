"""A window that is not used stays a packet above the flight."""

from dataclasses import replace

from ackclock.conformance.specifications.rate_limited.avoidance import CASE as AVOIDANCE

CASE = replace(
    AVOIDANCE,
    number=9,
    section="RFC 6817, 2.4.2 and 2.5",
    title="A window that is not used stays a packet above the flight",
    statement=(
        "The window is at most the flight and ALLOWED_INCREASE, one packet, where the application sends less."
    ),
    why="The increase is the RFC's. Some 75 responses would add 70 packets without it.",
)
