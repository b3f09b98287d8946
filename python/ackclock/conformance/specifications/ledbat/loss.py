"""A loss halves the window."""

from collections.abc import Iterator
from dataclasses import replace

from ackclock.conformance.specifications.reno.halving import CASE as HALVING
from ackclock.conformance.specifications.windows import first_loss_s, recovered_s, window_at
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The window before and after the loss."""
    loss = first_loss_s(trace)
    share = window_at(trace, recovered_s(trace, loss)) / window_at(trace, loss)
    yield Verdict.within("window after a loss, as a share", share, 0.45, 0.58)


CASE = replace(
    HALVING,
    number=3,
    section="RFC 6817, 2.4.2",
    statement="A loss halves the window, at most once in a round trip.",
    rule="Two and a half round trips after the loss the window is 0.45 to 0.58 of the window at the loss.",
    why="The window grows by a packet or two meanwhile, of some 45.",
    observe=observe,
    on_log=None,
)
