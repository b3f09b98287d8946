"""The path of cases with reordering: it becomes shorter, so that packets overtake those before them."""

from __future__ import annotations

import numpy as np

from ackclock.conformance.specifications.paths import FORWARD, one_flow, stepped
from ackclock.conformance.specifications.windows import lost
from ackclock.conformance.trace import Trace

__all__ = ["STEPS_S", "out_of_order", "overtaking"]

STEPS_S = (1.5, 2.5)
"""Two times at which the path becomes shorter: by 2 ms, which is two packets, and by 12 ms, which is ten."""


def overtaking(*losses: int) -> dict[str, object]:
    """A full link of 10 Mbit/s whose packets overtake each other at the two times."""
    return one_flow(
        "10 Mbit/s",
        100,
        5,
        buffer="1000 packets",
        tcp={"segments_per_ack": 1, "initial_ssthresh": "95 packets"},
        watch=(*FORWARD, "left->right"),
        delay=stepped("48 ms", (STEPS_S[0], "46 ms"), (STEPS_S[1], "34 ms")),
        impairments=["overtaking"],
        loss=lost(*losses) if losses else {"bernoulli": 0.0},
    )


def out_of_order(trace: Trace) -> int:
    """The packets that arrived after a later one."""
    numbers = trace.watched(2).number
    return int(np.sum(numbers < np.maximum.accumulate(numbers)))
