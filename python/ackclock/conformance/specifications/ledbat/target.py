"""The queue stays at the target."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case, Law
from ackclock.conformance.specifications.paths import one_flow
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The queueing delay and the goodput after eighty seconds."""
    queue = trace.link("queue_packets")[trace.time_s > 80]
    delay_ms = 1e3 * float(queue.mean()) / trace.rate_packets_per_s(80.0)
    yield Verdict.within("mean queueing delay in ms", delay_ms, 70, 105)
    rate = trace.goodput_of_link(80.0, 120.0)
    yield Verdict.within("goodput in rates of the link", rate, 0.97, 1.02)


def everywhere(trace: Trace) -> Iterator[Verdict]:
    """The mean wait in the queue in the last quarter of a run, where all flows are the algorithm's."""
    flows = trace.settings.get("flow", [])
    alone = all("algorithm" not in group for group in flows) if isinstance(flows, list) else False
    if "udp" in trace.settings or not alone:
        return
    rate, times = trace.capacity_bit_per_s, trace.time_s
    late = times > 0.75 * times[-1]
    if np.ptp(rate[times > times[-1] / 2]) == 0:
        waits_ms = 1e3 * 8 * trace.link("queue_bytes")[late] / rate[late]
        yield Verdict.within("mean wait in the queue in ms", float(waits_ms.mean()), -np.inf, 125)


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
    law=Law(
        "Where all flows are of the algorithm, and the rate is constant in the second half of the run, the "
        "mean wait in the queue is at most 125 ms in the last quarter. The quarter beyond the target is for "
        "windows of whole packets.",
        everywhere,
    ),
    shown=("cwnd_packets", "rtt_s"),
)
