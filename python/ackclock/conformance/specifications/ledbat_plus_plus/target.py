"""The queue stays at the target."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.ledbat_plus_plus.slowdowns import ALONE, TARGET_MS, queueing_ms
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The queueing delay after twenty seconds, slowdowns aside."""
    delays = queueing_ms(trace, 20.0, 40.0)
    share = float(np.quantile(delays, 0.9)) / TARGET_MS
    yield Verdict.within("queueing delay that 90 % of the time is below, in targets", share, 0.85, 1.1)


CASE = Case(
    number=11,
    section="the draft, multiplicative decrease",
    title="The queue stays at the target of 60 ms",
    statement="The window grows until the queueing delay is the target, 60 ms, and no further.",
    scenario=ALONE,
    rule="From 20 s to 40 s the delay of the queue is below 0.85 to 1.1 targets for 90 % of the time.",
    why=(
        "From three quarters of the target on a third of a packet is added in a round trip of 100 ms; "
        "slowdowns take a tenth of the time. The queue is seen in whole packets of 1.2 ms."
    ),
    observe=observe,
    shown=("cwnd_packets", "rtt_s"),
)
