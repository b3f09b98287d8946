"""Six losses are repaired without a timeout and with one reduction."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.newreno.losses import losing_packets
from ackclock.conformance.specifications.windows import falls, first_loss_s
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict

LOST = (600, 603, 606, 609, 612, 615)


def observe(trace: Trace) -> Iterator[Verdict]:
    """The packets sent again, the thresholds and the window."""
    begin = first_loss_s(trace)
    end = begin + 12 * trace.path_rtt_s
    yield Verdict.same("packets sent again", trace.retransmitted(begin, end), len(LOST))
    yield Verdict.same("reductions of the threshold", falls(trace.during("ssthresh_packets", begin, end)), 1)
    least = float(np.min(trace.during("cwnd_packets", begin, end)))
    yield Verdict.within("smallest window in packets", least, 10.0, np.inf)


CASE = Case(
    number=2,
    section="RFC 6582, 3.1",
    title="Six losses are repaired without a timeout and with one reduction",
    statement=(
        "Recovery lasts until all that was outstanding when it began is acknowledged; further losses of that "
        "window begin no second one, and need no timeout."
    ),
    scenario=losing_packets(*LOST),
    rule=(
        "In twelve round trips six packets are sent again, the threshold falls once, and the window stays at "
        "10 packets or more."
    ),
    why="Six losses take six round trips, less than the second of the timer. A timeout leaves one packet.",
    observe=observe,
    shown=("cwnd_packets", "ssthresh_packets", "retransmissions"),
)
