"""Only the first partial acknowledgment restarts the timer."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.newreno.losses import losing_packets, sent_again
from ackclock.conformance.trace import Trace, first
from ackclock.measures.verdict import Verdict

LOST = tuple(range(600, 632, 2))


def observe(trace: Trace) -> Iterator[Verdict]:
    """The time from the first packet that is sent again to the timeout."""
    begin = first(sent_again(trace), "a packet that is sent again")
    late = trace.time_s > begin
    timeouts = trace.time_s[late & (trace.series("cwnd_packets") <= 1.0)]
    waited = float(timeouts[0]) - begin - trace.path_rtt_s if timeouts.size else np.inf
    yield Verdict.within("seconds from the first partial acknowledgment to the timeout", waited, 0.95, 1.2)


CASE = Case(
    number=6,
    section="RFC 6582, 3.2, step 3, and 4",
    title="Only the first partial acknowledgment restarts the timer",
    statement=(
        "The first partial acknowledgment restarts the retransmission timer, and later ones do not, so that "
        "a window with many losses ends with a timeout and slow start."
    ),
    scenario=losing_packets(*LOST),
    rule="The timeout comes 0.95 to 1.2 s after the first partial acknowledgment.",
    why="Sixteen losses would take 1.6 s, a round trip each; the timer has a second.",
    observe=observe,
    needs_retransmission_timer=True,
    shown=("cwnd_packets", "retransmissions"),
)
