"""The nominal max RTT falls by an eighth of the difference."""

import math
from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.c4.states import (
    ALONE,
    INITIAL,
    MAX_RTT,
    STATE,
    whole_phases,
)
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The largest fall, in eighths of the excess."""
    late = trace.time_s > whole_phases(trace, INITIAL)[0].end_s + 0.01
    values = trace.gauge(MAX_RTT)[late]
    falls = np.flatnonzero(values[1:] < values[:-1])
    yield Verdict.within("falls of the nominal max RTT", len(falls), 10, math.inf)
    if falls.size:
        before = values[falls]
        shares = (before - values[falls + 1]) / (before - trace.path_rtt_s)
        yield Verdict.within("largest fall in eighths of the excess", float(shares.max()) * 8, 0.0, 1.001)


CASE = Case(
    number=18,
    section="draft-huitema-ccwg-c4-spec, Nominal max RTT",
    title="The nominal max RTT falls by an eighth of the difference",
    statement=(
        "Where the largest round trip of an era is smaller, the nominal max RTT falls by an eighth of the "
        "difference."
    ),
    scenario=ALONE,
    rule=(
        "It falls ten times or more, and no fall takes more than an eighth of what it is above the round "
        "trip of the path."
    ),
    why="No round trip is shorter than the path's, so that the difference is at most the one to it.",
    observe=observe,
    shown=(STATE, MAX_RTT, "rtt_s"),
)
