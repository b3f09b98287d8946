"""A mark leaves 0.7 of the window."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ackclock.conformance.specifications.reno.mark import CASE as MARK
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The share that each reduction leaves, and the losses."""
    window = trace.series("cwnd_packets")
    places = np.flatnonzero(window[1:] < 0.9 * window[:-1])
    yield Verdict.within("reductions of the window", places.size, 3, np.inf)
    if places.size < 3:
        return
    shares = window[places + 1] / window[places]
    yield Verdict.within("smallest share that a mark leaves", float(shares[1:].min()), 0.64, 0.73)
    yield Verdict.within("largest share that a mark leaves", float(shares[1:].max()), 0.64, 0.73)
    yield Verdict.same("packets lost", len(trace.losses()), 0)


CASE = replace(
    MARK,
    number=12,
    section="RFC 9438, 4.6",
    title="A mark leaves 0.7 of the window",
    statement="A congestion mark reduces the window by the same factor as a loss, and nothing is sent again.",
    rule="There are three reductions or more, each after the first leaves 0.64 to 0.73, and nothing is lost.",
    why=(
        "The first ends slow start, in which the window grows on within a sample. The flight is a few "
        "packets less."
    ),
    observe=observe,
)
