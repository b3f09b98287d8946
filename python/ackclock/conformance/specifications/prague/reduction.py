"""A mark takes half of alpha off the window."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.prague.l4s import ALPHA, L4S, reductions
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Outcome, Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The shares that reductions leave, next to what alpha says."""
    found = reductions(trace)
    if len(found) < 3:
        yield Verdict("reductions in the steady state", f"{len(found)}", "three", Outcome.UNDECIDED)
        return
    alpha = [trace.at(ALPHA, each.time_s - 0.001) for each in found]
    taken = [1 - each.after / each.before for each in found]
    ratio = float(np.median(np.array(taken) / np.array(alpha)))
    yield Verdict.within("median part of the window taken, in alphas", ratio, 0.45, 0.55)


CASE = Case(
    number=15,
    section="draft-briscoe-iccrg-prague-congestion-control-04, 2.3.4",
    title="A mark takes half of alpha off the window",
    statement="A round trip with marks reduces the window once, by half of alpha.",
    scenario=L4S,
    rule="The median of the parts that reductions take is 0.45 to 0.55 alphas.",
    why=(
        "The series has a sample each millisecond, in which the window also grows by a hundredth of a packet."
    ),
    observe=observe,
    shown=("cwnd_packets", ALPHA),
)
