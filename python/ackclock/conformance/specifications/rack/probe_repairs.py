"""A loss that the probe repairs is answered as a loss."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.paths import BOTTLENECK
from ackclock.conformance.specifications.rack.departures import answers
from ackclock.conformance.specifications.windows import falls, lost
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict

RESPONSE = 40


def its_last(_: Trace) -> dict[str, object]:
    """The last packet of the second response is lost."""
    return {f"{BOTTLENECK}.loss": lost(2 * RESPONSE)}


def observe(trace: Trace) -> Iterator[Verdict]:
    """The packets sent again, and what becomes of the threshold."""
    yield Verdict.same("packets sent again", int(trace.sent.is_again.sum()), 1)
    again, _ = trace.sent.first_again()
    yield Verdict.same("falls of the threshold", falls(trace.series("ssthresh_packets")), 1)
    least = float(np.min(trace.during("cwnd_packets", again, again + 1.0)))
    yield Verdict.within("smallest window in packets", least, 2.0, np.inf)


CASE = Case(
    number=17,
    section="RFC 8985, 7.4.2",
    title="A loss that the probe repairs is answered as a loss",
    statement=(
        "Where the last segment alone was lost, the probe repairs it, and its acknowledgment looks like any "
        "other. The window is reduced all the same, as a fast recovery would."
    ),
    scenario=answers(RESPONSE, "300 ms"),
    then=its_last,
    rule="One packet is sent again, the threshold falls once, and the window stays at 2 packets or more.",
    why="The next response shows that no duplicate came. A timeout would leave one packet.",
    observe=observe,
    shown=("cwnd_packets", "ssthresh_packets", "retransmissions"),
)
