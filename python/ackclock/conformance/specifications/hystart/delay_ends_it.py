"""A round trip that grows ends slow start."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.hystart.phases import CONSERVATIVE, FILLING, never_conservative
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The delay and the losses where conservative slow start begins."""
    begun = np.flatnonzero(trace.gauge(CONSERVATIVE) == 1)
    if not begun.size:
        yield never_conservative()
        return
    begin = float(trace.time_s[begun[0]])
    longer_ms = 1e3 * (trace.at("rtt_s", begin) - trace.path_rtt_s)
    yield Verdict.within("growth of the round trip where slow start ends, in ms", longer_ms, 11.0, 80.0)
    losses = trace.losses()
    yield Verdict.same("packets lost before", int(np.sum(losses < begin)), 0)


CASE = Case(
    number=1,
    section="RFC 9406, 4.2",
    title="A round trip that grows by an eighth ends slow start",
    statement=(
        "A filling queue is noticed when the smallest round trip of a round is an eighth above the last "
        "round's, at most 16 ms, before the buffer overflows."
    ),
    scenario=FILLING,
    rule=(
        "Where slow start ends, the round trip is 11 to 80 ms longer than the path's, and nothing is lost "
        "before."
    ),
    why=(
        "An eighth of 90 to 110 ms is 11 to 14 ms; the queue of a round grows by up to the window of the "
        "round."
    ),
    observe=observe,
    shown=("cwnd_packets", "rtt_s", CONSERVATIVE),
)
