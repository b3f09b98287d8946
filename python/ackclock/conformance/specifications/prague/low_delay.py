"""The queue is shorter than a millisecond, and the link full."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.prague.l4s import L4S, SETTLED_S
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The queue and the goodput of the steady state."""
    settled = trace.time_s > SETTLED_S
    delay_ms = (
        1e3 * float(np.mean(trace.link("queue_packets")[settled])) / trace.rate_packets_per_s(SETTLED_S)
    )
    yield Verdict.within("mean delay of the queue in ms", delay_ms, 0.0, 1.0)
    rate = trace.goodput_of_link(SETTLED_S, 12.0)
    yield Verdict.within("goodput in rates of the link", rate, 0.93, 1.01)


CASE = Case(
    number=5,
    section="RFC 9331, 1 and 4.3",
    title="The queue is shorter than a millisecond, and the link full",
    statement=(
        "A scalable congestion control keeps queue variations small without sacrificing utilisation: less "
        "than a millisecond waits in the mean."
    ),
    scenario=L4S,
    rule=(
        "From 4 s on the mean delay of the queue is at most 1 ms, and the goodput at least 93 % of the link."
    ),
    why="The millisecond is the RFC's. The queue marks from 0.8 ms on, which three packets fill.",
    observe=observe,
    shown=("cwnd_packets", "rtt_s"),
)
