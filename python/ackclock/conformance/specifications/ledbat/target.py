"""The queue stays at the target."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.paths import one_flow
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The queueing delay and the goodput after eighty seconds."""
    queue = trace.link("queue_packets")[trace.time_s > 80]
    delay_ms = 1e3 * float(queue.mean()) / trace.rate_packets_per_s(80.0)
    yield Verdict.within("mean queueing delay in ms", delay_ms, 70, 105)
    rate = trace.goodput_packets_per_s(80.0, 120.0) / trace.rate_packets_per_s(80.0)
    yield Verdict.within("goodput in rates of the link", rate, 0.97, 1.02)


CASE = Case(
    number=1,
    section="RFC 6817, 2.4.2 and 2.5",
    title="The queue stays at the target of 100 ms",
    statement=(
        "Alone on a path the flow fills the link and keeps the queueing delay at the target, which is at "
        "most 100 ms."
    ),
    scenario=one_flow("10 Mbit/s", 40, 120, buffer="400 packets", sample="20 ms"),
    rule="From 80 s on the mean queueing delay is 70 to 105 ms and the goodput at least 97 % of the link.",
    why=(
        "The window moves by whole packets of 1.2 ms, and delays are filtered by their minimum, which a "
        "queue that varies is above."
    ),
    observe=observe,
    shown=("cwnd_packets", "rtt_s"),
)
