"""The queue is short."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.cdg.backoffs import (
    ALONE,
    BUFFER_PACKETS,
)
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The queue and the goodput after five seconds."""
    queue = float(trace.link("queue_packets")[trace.time_s > 5].mean())
    yield Verdict.within("mean queue in buffers", queue / BUFFER_PACKETS, 0.0, 0.2)
    rate = trace.goodput_of_link(5.0, 60.0)
    yield Verdict.within("goodput in rates of the link", rate, 0.8, 1.02)


CASE = Case(
    number=8,
    section="the paper, abstract and 4",
    title="The queue is short, and the link in use",
    statement=(
        "CDG causes far less queueing than a flow that goes by losses, without a threshold of delay, and "
        "keeps a good part of the goodput."
    ),
    scenario=ALONE,
    rule=(
        "From 5 s on the mean queue is at most a fifth of the buffer, and the goodput at least 80 % of the "
        "link."
    ),
    why=(
        "Standard TCP fills two bandwidth-delay products to three quarters in the mean. The paper gives no "
        "number for its figure in words; a fifth is ours."
    ),
    observe=observe,
    shown=("cwnd_packets", "rtt_s"),
)
