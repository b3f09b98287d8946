"""A timeout leaves one packet."""

from dataclasses import replace

from ackclock.conformance.specifications.reno.timeout import CASE as TIMEOUT

CASE = replace(
    TIMEOUT,
    number=7,
    section="RFC 9331, 4.3, item 2; RFC 5681, 3.1",
    statement=(
        "A timeout leaves one packet and half of what was outstanding as the threshold, as in standard TCP."
    ),
)
