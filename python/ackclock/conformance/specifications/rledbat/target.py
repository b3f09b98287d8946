"""The receiver keeps the queue at its target."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.rledbat.receivers import (
    ALONE,
    queueing_ms,
)
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict

TARGET_MS = 60.0


def observe(trace: Trace) -> Iterator[Verdict]:
    """Two quantiles of the delay, in targets."""
    delays = queueing_ms(trace, 20.0, 40.0) / TARGET_MS
    yield Verdict.within(
        "delay that 90 % of the time is below, in targets", float(np.quantile(delays, 0.9)), 0.5, 1.1
    )
    yield Verdict.within("median delay in targets", float(np.median(delays)), 0.5, 1.1)


CASE = Case(
    number=1,
    section="RFC 9840, 1 and 4.2.1",
    title="The receiver keeps the queue at its target",
    statement=(
        "The receiver measures round trips by timestamps, and runs LEDBAT++ on them: the queue grows to "
        "the target of 60 ms and no further, although the sender would fill the buffer."
    ),
    scenario=ALONE,
    rule=(
        "From 20 s to 40 s the delay of the queue is below 1.1 targets for 90 % of the time, and above "
        "half a target for half of it."
    ),
    why=(
        "As for LEDBAT++ at a sender: slowdowns take a tenth of the time. The window is whole packets of "
        "1.2 ms."
    ),
    observe=observe,
    shown=("in_flight_packets", "cwnd_packets", "rtt_s"),
)
