"""The window stays at two packets or more."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.ledbat_plus_plus.slowdowns import LEAST
from ackclock.conformance.specifications.paths import one_flow
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The window where one packet is more than the target."""
    late = trace.during("cwnd_packets", 20.0, 60.0)
    yield Verdict.within("smallest window in packets", float(np.min(late)), LEAST, LEAST)
    yield Verdict.within("mean window in packets", float(np.mean(late)), LEAST, 3.5)


CASE = Case(
    number=17,
    section="RFC 6817, 2.4.2 and 2.5, on which the draft builds",
    title="The window stays at two packets or more",
    statement=(
        "On a link where a packet takes longer than the target the window falls to two packets, and stays "
        "there."
    ),
    scenario=one_flow(
        "100 kbit/s", 40, 60, buffer="100 packets", tcp={"segments_per_ack": 1}, sample="20 ms"
    ),
    rule="From 20 s to 60 s the smallest window is 2 packets, and the mean at most 3.5.",
    why="A packet takes 120 ms, so that the second one waits for two targets.",
    observe=observe,
    shown=("cwnd_packets", "rtt_s"),
)
