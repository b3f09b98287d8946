"""A loss is answered as standard TCP would."""

from collections.abc import Iterator
from dataclasses import replace

from ackclock.conformance.specifications.reno.halving import CASE as HALVING
from ackclock.conformance.specifications.windows import first_loss_s, reduction
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The threshold after the loss."""
    yield from reduction(trace, first_loss_s(trace), 0.45, 0.75)


CASE = replace(
    HALVING,
    number=6,
    section="RFC 9331, 4.3, item 2; A.1.4",
    title="A loss is answered as a classic congestion control would",
    statement="A loss reduces the window in a way that coexists with Reno, whatever alpha is.",
    rule="The threshold is 0.45 to 0.75 of the flight.",
    why="Reno leaves a half and CUBIC 0.7, and either coexists. The flight has some 45 packets.",
    observe=observe,
    on_log=None,
)
