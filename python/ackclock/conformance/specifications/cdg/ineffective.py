"""After five back-offs without effect the delay is ignored."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.cdg.backoffs import (
    GRADIENT,
    INEFFECTIVE,
    backoffs_s,
    with_another,
)
from ackclock.conformance.trace import Trace, first
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The back-offs while the delay is ignored."""
    counts = trace.gauge(INEFFECTIVE)
    ignored = counts > 5
    first(trace.time_s[ignored], "counted more than five back-offs")
    times = backoffs_s(trace)
    places = np.searchsorted(trace.time_s, times)
    inside = ignored[places - 1] & ignored[places] if len(times) else np.array([])
    yield Verdict.same("back-offs while the delay is ignored", int(inside.sum()), 0)


CASE = Case(
    number=12,
    section="the paper, 3.2; tcp_cdg.c, use_ineff",
    title="After five back-offs without effect the delay is ignored",
    statement=(
        "Back-offs that do not shorten the delay show another flow that fills the queue. After five in a "
        "row the flow ignores the delay, until it falls."
    ),
    scenario=with_another(90, start="5 s", algorithm="rack+reno"),
    rule=(
        "The count of ineffective back-offs exceeds five at some time, and no back-off falls into such a "
        "time."
    ),
    why="The number is the module's default, and the paper's.",
    observe=observe,
    shown=("cwnd_packets", GRADIENT, INEFFECTIVE),
)
