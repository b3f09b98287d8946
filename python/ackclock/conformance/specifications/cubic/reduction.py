"""A loss leaves 0.7 of the window."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.qlog import Log
from ackclock.conformance.specifications import logs
from ackclock.conformance.specifications.cubic.curve import LONG
from ackclock.conformance.specifications.windows import first_loss_s, reduction, reduction_of_window
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The threshold that the loss leaves."""
    yield from reduction(trace, first_loss_s(trace), 0.68, 0.72)


def outside(trace: Trace) -> Iterator[Verdict]:
    """The window after the loss."""
    yield from reduction_of_window(trace, first_loss_s(trace), 0.68, 0.74)


def on_log(log: Log) -> Iterator[Verdict]:
    """The share that reductions leave."""
    yield from logs.left(log, 0.7)


CASE = Case(
    number=1,
    section="RFC 9438, 4.6",
    title="A loss leaves 0.7 of the window",
    statement="A loss sets threshold and window to 0.7 of what is outstanding.",
    scenario=LONG,
    rule=(
        "The threshold is 0.68 to 0.72 of the flight. Without a threshold to be seen, the window after "
        "recovery is 0.68 to 0.74 of it."
    ),
    why="Limited transmit and whole packets make a hundredth of some 300 packets.",
    observe=observe,
    outside=outside,
    on_log=on_log,
    shown=("cwnd_packets", "ssthresh_packets"),
)
