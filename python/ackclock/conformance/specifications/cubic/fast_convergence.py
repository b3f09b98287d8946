"""A second loss below the plateau lowers it."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.cubic.curve import FACTOR, LEFT, Curve, long_path
from ackclock.conformance.specifications.windows import no_loss, window_at
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The plateau after the second loss."""
    if trace.losses().size < 2:
        yield no_loss()
        return
    first, second = Curve(trace), Curve(trace, 1)
    yield Verdict.within("flight at the second loss, of the first", second.plateau / first.plateau, 0.7, 0.98)
    lowered = (1 + LEFT) / 2 * second.plateau
    time = float(np.cbrt((lowered - second.low) / FACTOR))
    window = window_at(trace, second.begin_s + time)
    yield Verdict.within("window where the lowered curve is flat, in plateaus", window / lowered, 0.97, 1.04)


CASE = Case(
    number=6,
    section="RFC 9438, 4.7",
    title="A second loss below the plateau lowers it",
    statement=(
        "A flow that loses before it is back at the plateau gives room to others: the new plateau is 0.85 "
        "of the window at the second loss."
    ),
    scenario=long_path(100, 12, 3000, 8000),
    rule=(
        "The second loss comes at 0.7 to 0.98 of the first; where the curve to the lowered plateau is "
        "flat, the window is 0.97 to 1.04 plateaus."
    ),
    why="A curve to the window at the second loss would be 15 % above.",
    observe=observe,
    shown=("cwnd_packets", "ssthresh_packets"),
)
