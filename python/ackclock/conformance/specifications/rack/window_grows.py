"""Duplicates that receivers report widen the reordering window."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.paths import FORWARD, one_flow
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The packets sent again in the first and in the last seconds."""
    times = trace.sent.time_s[trace.sent.is_again]
    yield Verdict.within("packets sent again until 6 s", int(np.sum(times < 6)), 1, np.inf)
    yield Verdict.same("packets sent again from 6 s to 12 s", int(np.sum(times >= 6)), 0)


CASE = Case(
    number=19,
    section="RFC 8985, 3.3.2, rule 2, and 6.2, step 4",
    title="Duplicates that receivers report widen the reordering window",
    statement=(
        "Each round trip in which the receiver reports a duplicate (DSACK) adds a quarter of a round trip to "
        "the window, so that packets that come 40 % of a round trip late are not sent again for long."
    ),
    scenario=one_flow(
        "10 Mbit/s",
        100,
        12,
        buffer="1000 packets",
        tcp={"segments_per_ack": 1, "initial_ssthresh": "60 packets", "dsack": True},
        watch=FORWARD,
        impairments=[
            "reordering(probability=0.01, packets=2, delay=10 ms)",
            "reordering(probability=0.02, delay=40 ms)",
        ],
    ),
    rule="At least one packet is sent again until 6 s, and none in the six seconds after.",
    why=(
        "One report makes the window half of a round trip. Other packets come two places late, which shows "
        "the reordering that the window is for. Some ten packets in a second come 40 ms late."
    ),
    observe=observe,
    shown=("cwnd_packets", "retransmissions"),
)
