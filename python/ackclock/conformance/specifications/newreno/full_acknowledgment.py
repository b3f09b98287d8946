"""With the full acknowledgment the window is the threshold."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.newreno.losses import THREE, sent_again
from ackclock.conformance.specifications.windows import growth_per_round_trip, window_at
from ackclock.conformance.trace import Trace, first
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The window and its growth from a round trip after the last packet that is sent again."""
    times = sent_again(trace)
    end = first(times[-1:], "a packet that is sent again") + 1.2 * trace.path_rtt_s
    share = window_at(trace, end) / trace.at("ssthresh_packets", end)
    yield Verdict.within("window after the full acknowledgment, in thresholds", share, 0.95, 1.1)
    growth = growth_per_round_trip(trace, end, 5)
    yield Verdict.within("growth after it in packets per round trip", growth, 0.8, 1.1)


CASE = Case(
    number=3,
    section="RFC 6582, 3.2, step 3",
    title="With the full acknowledgment the window is the threshold",
    statement=(
        "When all is acknowledged the window is deflated to the threshold, and congestion avoidance goes on."
    ),
    scenario=THREE,
    rule=(
        "A fifth of a round trip after the last retransmission is acknowledged the window is 0.95 to 1.1 "
        "thresholds, and grows by 0.8 to 1.1 packets per round trip over the next five."
    ),
    why="The RFC also allows less where less is outstanding, which is not so here.",
    observe=observe,
    shown=("cwnd_packets", "ssthresh_packets"),
)
