"""After a burst of losses the flight comes back to the threshold."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.prr.example import BURST
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The flight three round trips after the recovery began, and the smallest window."""
    again, _ = trace.sent.first_again()
    threshold = trace.at("ssthresh_packets", again + trace.path_rtt_s)
    flight = float(
        np.max(trace.during("in_flight_packets", again + trace.path_rtt_s, again + 3 * trace.path_rtt_s))
    )
    yield Verdict.within(
        "largest flight in the second and third round trip, in thresholds", flight / threshold, 0.85, 1.2
    )
    least = float(np.min(trace.during("cwnd_packets", again, again + 4 * trace.path_rtt_s)))
    yield Verdict.within("smallest window in packets", least, 2.0, np.inf)


CASE = Case(
    number=7,
    section="RFC 9937, 7",
    title="After a burst of losses the flight comes back to the threshold",
    statement=(
        "What losses took below the threshold is made up by segments that later acknowledgments send, so "
        "that the flight is the threshold at the end, without a timeout."
    ),
    scenario=BURST,
    rule=(
        "In the second and third round trip of the recovery the largest flight is 0.85 to 1.2 thresholds, "
        "and the window is never below 2 packets."
    ),
    why="The threshold is some 20 packets. A timeout would leave one packet.",
    observe=observe,
    shown=("in_flight_packets", "ssthresh_packets", "retransmissions"),
)
