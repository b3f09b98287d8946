"""At five times the rate the queue is as short."""

from dataclasses import replace

from ackclock.conformance.specifications.copa.equilibrium import CASE as EQUILIBRIUM
from ackclock.conformance.specifications.paths import one_flow

CASE = replace(
    EQUILIBRIUM,
    number=7,
    section="the paper, 3.2",
    title="At five times the rate the queue has as few packets",
    statement=(
        "The queue of equilibrium does not depend on the rate: at 100 Mbit/s it is as many packets as at 20."
    ),
    scenario=one_flow(
        "100 Mbit/s", 20, 20, buffer="1000 packets", tcp={"segments_per_ack": 1}, sample="2 ms"
    ),
)
