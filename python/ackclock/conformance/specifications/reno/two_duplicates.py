"""Two duplicates send nothing again."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.paths import FORWARD, one_flow, stepped
from ackclock.conformance.specifications.rack.reordered import out_of_order
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The packets that came late, and those sent again."""
    yield Verdict.within("packets that arrived late", out_of_order(trace), 1, np.inf)
    yield Verdict.same("packets sent again", int(trace.sent.is_again.sum()), 0)


CASE = Case(
    number=11,
    section="RFC 5681, 3.2, steps 1 and 2",
    title="Two duplicates send nothing again",
    statement="Where two segments overtake one, the two duplicates that come back send nothing again.",
    scenario=one_flow(
        "10 Mbit/s",
        100,
        4,
        buffer="1000 packets",
        tcp={"segments_per_ack": 1, "initial_ssthresh": "95 packets"},
        watch=(*FORWARD, "left->right"),
        delay=stepped("48 ms", (2.0, "46 ms"), (3.0, "44 ms")),
        impairments=["overtaking"],
    ),
    rule="At least one packet arrives late, and none is sent again.",
    why="The path becomes 2 ms shorter twice, in which the link carries less than two packets.",
    observe=observe,
    shown=("rtt_s", "retransmissions"),
)
