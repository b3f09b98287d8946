"""The next slowdown follows after nine times the length of the last."""

from collections.abc import Iterator
from itertools import pairwise

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.ledbat_plus_plus.slowdowns import ALONE, never_slowed, slowdowns
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The time between slowdowns, in lengths of the first."""
    found = slowdowns(trace)
    if len(found) < 2:
        yield never_slowed(2)
    for before, after in pairwise(found):
        ratio = (after.begin_s - before.back_s) / (before.back_s - before.begin_s)
        yield Verdict.within("time to the next slowdown, in lengths of the last", ratio, 8.7, 9.4)


CASE = Case(
    number=6,
    section="the draft, periodic slowdowns",
    title="The next slowdown follows after nine times the length of the last",
    statement="A slowdown is as long as it takes until the window is back; the next comes nine times later.",
    scenario=ALONE,
    rule="Between two slowdowns pass 8.7 to 9.4 lengths of the first.",
    why="The window counts as back at 99 % here, a part of a round trip before the end, in some 0.7 s.",
    observe=observe,
    shown=("cwnd_packets",),
)
