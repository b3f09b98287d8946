"""Slow start ends after the capacity is reached and before a loss."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.search.phases import PIPE, exit_s, pipe_packets
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The largest window before there is a threshold, and the losses until then."""
    end = exit_s(trace)
    largest = float(np.max(trace.during("cwnd_packets", 0.0, end)))
    yield Verdict.within("largest window in pipes", largest / pipe_packets(trace), 5.0, 6.0)
    yield Verdict.same("packets lost before slow start is over", int(np.sum(trace.losses() <= end)), 0)


CASE = Case(
    number=1,
    section="draft-chung-ccwg-search-09, 3.2; its abstract",
    title="Slow start ends after the capacity is reached and before a loss",
    statement=(
        "Slow start ends when the packets delivered in 3.5 initial round trips are 26 % less than those "
        "sent a round trip before, where the path has a buffer for that."
    ),
    scenario=PIPE,
    rule=("The largest window before there is a threshold is 5 to 6 pipes, and nothing is lost until then."),
    why=(
        "When deliveries reach the capacity the window is 1 to 2 pipes, and it grows by one in each round "
        "trip. Of what was sent 1.2 round trips later and before, 26 % are missing, which is known when the "
        "window is 5.3 pipes, or up to a bin of 0.35 round trips later; the phase of the doublings adds "
        "some."
    ),
    observe=observe,
    shown=("cwnd_packets", "ssthresh_packets", "rtt_s"),
)
