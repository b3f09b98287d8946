"""Alone the flow keeps a queue of a few packets, and the link full."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.copa.alone import ALONE, OSCILLATION_PACKETS
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """Queue and goodput after five seconds."""
    queue = trace.link("queue_packets")[trace.time_s > 5]
    yield Verdict.within("mean queue in packets", float(queue.mean()), 0.5, OSCILLATION_PACKETS)
    yield Verdict.within("95 % of the queue in packets", float(np.quantile(queue, 0.95)), 1, 10)
    rate = trace.goodput_of_link(5.0, 20.0)
    yield Verdict.within("goodput in rates of the link", rate, 0.95, 1.02)


CASE = Case(
    number=1,
    section="the paper, 3.2 and appendix A",
    title="Alone the flow keeps a queue of a few packets",
    statement=(
        "In equilibrium the queue of one flow moves between nothing and 2.5 / delta packets, which are 5, "
        "and empties in each cycle; the link stays full."
    ),
    scenario=ALONE,
    rule=(
        "From 5 s on the mean queue is 0.5 to 5 packets, its 95 % quantile at most 10, and the goodput at "
        "least 95 % of the link."
    ),
    why=(
        "The paper's fluid model leaves out bursts; a velocity above one carries a cycle further by a few "
        "packets."
    ),
    observe=observe,
    shown=("cwnd_packets", "rtt_s"),
)
