"""After one loss the window is the avoidance's share."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.rapid_start.phases import TRIPLING, empty, falls_at
from ackclock.conformance.specifications.windows import growth_per_round_trip, lost, window_at
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The window in the middle and at the end of the recovery, as shares, and the growth after it."""
    found, trip = falls_at(trace), trace.path_rtt_s
    before, end = window_at(trace, found), found + 1.5 * trip
    kept = window_at(trace, end) / before
    yield Verdict.within("window after the recovery, as a share", kept, 0.48, 0.73)
    middle = (window_at(trace, found + trip / 2) / before - kept) / (1 - kept)
    what = "share of what the recovery takes that is left half a round trip after the loss was found"
    yield Verdict.within(what, middle, 0.1, 0.6)
    growth = growth_per_round_trip(trace, end, 3)
    yield Verdict.within("growth after the recovery in packets per round trip", growth, 0.0, 12.0)


CASE = Case(
    number=8,
    section="draft-kazuho-ccwg-rapid-start-02, 3.3 and 3.3.1",
    title="After one loss the window is the avoidance's share",
    statement=(
        "Each packet acknowledged in the first recovery takes two thirds of what the avoidance does not "
        "keep of one. When all that was in flight is acknowledged, the avoidance's share is left, and "
        "avoidance follows."
    ),
    scenario=empty(loss=lost(400)),
    rule=(
        "One and a half round trips after the window was largest it is 0.48 to 0.73 of that. After half of "
        "one 0.1 to 0.6 of what is taken is left, and later the window grows by at most 12 packets in each "
        "of three."
    ),
    why=(
        "The avoidance keeps a half, or 0.7. A third is taken at once and the rest by each packet, which "
        "are not evenly spaced. CUBIC grows by some packets right after a reduction."
    ),
    observe=observe,
    shown=("cwnd_packets", "ssthresh_packets", TRIPLING),
)
