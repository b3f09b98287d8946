"""A slower link has no lasting queue."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.allegro.rates import path
from ackclock.conformance.specifications.paths import stepped
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The round trips after the fall."""
    mean = float(np.nanmean(trace.during("rtt_s", 20.0, 30.0))) / trace.path_rtt_s
    yield Verdict.within("mean round trip after the fall in the path's", mean, 1.0, 1.25)


CASE = Case(
    number=14,
    section="the paper, 3.1 and 5",
    title="A slower link has no lasting queue",
    statement=(
        "The gradient of the delay shows within an interval that less is better, so that the rate follows "
        "a link that becomes slower, and the queue empties."
    ),
    scenario=path(stepped("80 Mbit/s", (15.0, "20 Mbit/s")), 40, 30, buffer="400 packets"),
    rule=(
        "From 5 s after the rate has fallen to a fourth, the mean round trip is at most 1.25 of the path's."
    ),
    why=(
        "A fourth needs some ten decisions of three round trips, which the full buffer makes 280 ms long; "
        "five seconds are ours."
    ),
    observe=observe,
    shown=("cwnd_packets", "goodput_bit_per_s", "rtt_s"),
)
