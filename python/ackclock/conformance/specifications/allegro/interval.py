"""A monitor interval takes 1.7 to 2.2 round trips."""

import math
from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.allegro.rates import (
    RATE,
    STARTING,
    STATE,
    changes,
    path,
)
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The lengths of the intervals in round trips."""
    times, rates = changes(trace, RATE, STARTING)
    lengths = np.diff(times) / trace.path_rtt_s
    long = lengths[rates[:-1] * 1.7 * trace.path_rtt_s > 12][:-2]
    yield Verdict.within("intervals", len(long), 2, math.inf)
    for length in long.tolist():
        yield Verdict.within("length of an interval in round trips", length, 1.65, 2.4)


CASE = Case(
    number=2,
    section="the paper, 3.1",
    title="A monitor interval takes 1.7 to 2.2 round trips",
    statement=(
        "The length of an interval is drawn from 1.7 to 2.2 round trips, or it is the time of ten packets "
        "if that is longer."
    ),
    scenario=path("100 Mbit/s", 60, 4),
    rule=(
        "Intervals of the starting state in which more than twelve packets fit into 1.7 round trips take "
        "1.65 to 2.4 of them."
    ),
    why=(
        "An interval ends with the first acknowledgment after its time. On the empty path round trips are "
        "equal."
    ),
    observe=observe,
    shown=(STATE, RATE),
)
