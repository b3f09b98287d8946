"""Packets leave one by one."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.prague.l4s import l4s
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict

BURST_S = 250e-6


def observe(trace: Trace) -> Iterator[Verdict]:
    """The largest number of packets that leave within half of their time on the link."""
    times = trace.sent.time_s[trace.sent.time_s > 2.0]
    packet_s = 1 / trace.rate_packets_per_s(2.0)
    ends = np.flatnonzero(np.diff(times) > packet_s / 2)
    lengths = np.diff(np.concatenate(([-1], ends, [len(times) - 1])))
    queue_s = (float(np.quantile(lengths, 0.99)) - 1) * packet_s
    yield Verdict.within("queue that 99 % of the bursts make, in ms", 1e3 * queue_s, 0.0, 1e3 * BURST_S)


CASE = Case(
    number=13,
    section="RFC 9331, 4.3, item 7",
    title="Packets leave one by one",
    statement=(
        "A sender limits the queue that its bursts make to some 250 microseconds, also where acknowledgments "
        "arrive together."
    ),
    scenario=l4s(
        "100 Mbit/s", 30, 5, reverse={"queue": "droptail", "impairments": ["aggregation(period=5 ms)"]}
    ),
    rule="From 2 s on 99 % of the bursts are of three packets or fewer, 250 us on the link.",
    why=(
        "The number is the RFC's, for the public Internet; it is no formal requirement. Acknowledgments are "
        "released each 5 ms, with 40 packets."
    ),
    observe=observe,
    shown=("cwnd_packets", "rtt_s"),
)
