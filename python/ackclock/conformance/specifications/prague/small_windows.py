"""The flows stay responsive where their windows are small."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.prague.l4s import l4s
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict

FLOWS = 6


def observe(trace: Trace) -> Iterator[Verdict]:
    """The queue that the flows keep."""
    queue = trace.link("queue_packets")[trace.time_s > 4.0]
    delay_ms = 1e3 * float(np.mean(queue)) / trace.rate_packets_per_s(4.0)
    yield Verdict.within("mean delay of the queue in ms", delay_ms, 0.0, 5.0)


SCENARIO: dict[str, Any] = l4s("10 Mbit/s", 6, 8, tcp={"segments_per_ack": 1})
SCENARIO["topology"]["dumbbell"]["pairs"] = FLOWS
SCENARIO["flow"][0]["count"] = FLOWS
del SCENARIO["trace"]["packets"]

CASE = Case(
    number=11,
    section="RFC 9331, 4.3, item 5; A.1.7",
    title="The flows stay responsive where their windows are small",
    statement=(
        "Short round trips make windows small: a sender should stay responsive to marks there, by windows "
        "below its smallest segment count or otherwise, and not let the queue grow."
    ),
    scenario=SCENARIO,
    rule="Six flows on 10 Mbit/s and 6 ms, less than a packet for each, keep a mean queue of at most 5 ms.",
    why=(
        "Windows of one packet would keep a queue of one packet, 1.2 ms; those of two keep 7 packets and 8.4 "
        "ms, however many are marked. The RFC says SHOULD."
    ),
    observe=observe,
    shown=("cwnd_packets", "rtt_s"),
)
