"""A timeout leaves one packet."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ackclock.conformance.specifications.reno.timeout import CASE as TIMEOUT
from ackclock.conformance.specifications.reno.timeout import OUTAGE
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The smallest window around the outage."""
    begin, end = OUTAGE
    least = float(np.min(trace.during("cwnd_packets", begin, end + 0.5)))
    yield Verdict.within("smallest window in packets", least, 1.0, 1.0)


CASE = replace(
    TIMEOUT,
    number=7,
    section="RFC 6817, 2.4.2",
    statement="Where no acknowledgment comes within the congestion timeout, the window becomes one packet.",
    rule="The smallest window is one packet.",
    on_log=None,
    why="The rule is exact.",
    observe=observe,
)
