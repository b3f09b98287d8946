"""A loss leaves two packets at least."""

from dataclasses import replace

from ackclock.conformance.specifications.reno.least_threshold import CASE as LEAST

CASE = replace(
    LEAST,
    number=13,
    section="RFC 9438, 4.6; RFC 9002, 7.2",
    title="A loss leaves a threshold of two packets at least",
    statement=(
        "However little is outstanding, a loss leaves a threshold of two packets. The window of QUIC is two "
        "packets at least."
    ),
    why="The two packets of the first flight are lost, of which 0.7 are 1.4.",
)
