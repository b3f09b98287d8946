"""A loss halves the window once."""

import math
from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.rledbat.receivers import (
    path,
)
from ackclock.conformance.specifications.windows import first_loss_s, lost, no_loss
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The flight after the losses in that before."""
    loss = first_loss_s(trace)
    if not math.isfinite(loss):
        yield no_loss()
        return
    before = float(trace.during("in_flight_packets", loss - 0.1, loss).max())
    after = float(np.median(trace.during("in_flight_packets", loss + 0.4, loss + 0.6)))
    yield Verdict.within("flight after the losses in that before", after / before, 0.4, 0.75)


CASE = Case(
    number=9,
    section="RFC 9840, 4.3",
    title="Losses of a round trip halve the window once",
    statement=(
        "A segment that was sent again shows a loss: it has a later timestamp than the highest one. The "
        "window is halved, once in a round trip."
    ),
    scenario=path(6, buffer="1000 packets", loss=lost(900, 905, 910)),
    rule="Half a second after three losses in one window the flight is 0.4 to 0.75 of that before.",
    why=(
        "The sender halves its window, too, and both grow by a packet in a round trip of 40 ms from then on."
    ),
    observe=observe,
    shown=("in_flight_packets", "cwnd_packets", "rtt_s"),
)
