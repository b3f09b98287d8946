"""A timeout leaves one packet."""

from dataclasses import replace

from ackclock.conformance.specifications.cdg.backoffs import (
    without_delay,
)
from ackclock.conformance.specifications.reno.timeout import CASE as TIMEOUT

CASE = replace(
    TIMEOUT,
    number=5,
    section="tcp_cdg.c",
    title="A timeout leaves one packet",
    statement="A timeout leaves one packet, as in standard TCP.",
    scenario=without_delay(TIMEOUT.scenario),
)
