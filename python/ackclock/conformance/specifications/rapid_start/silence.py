"""The first loss takes a third at once of what the recovery takes."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.rapid_start.phases import TRIPLING, empty, falls_at
from ackclock.conformance.specifications.windows import lost, window_at
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The window when the loss is found, by the share that is left in the end, and what leaves meanwhile."""
    found, trip = falls_at(trace), trace.path_rtt_s
    before = window_at(trace, found)
    kept = window_at(trace, found + 1.5 * trip) / before
    at_once = window_at(trace, found + 0.002) / before
    expected = kept + 2 / 3 * (1 - kept)
    yield Verdict.near("window when the loss is found, as a share", at_once, expected, 0.03)
    after = trace.during("cwnd_packets", found, found + 0.9 * trip) / before
    passed = trace.during("in_flight_packets", found, found + 0.9 * trip)
    yield Verdict.same("the window grows", bool((np.diff(after) > 1e-6).any()), False)
    yield Verdict.within("smallest flight meanwhile, as a share", float(passed.min()) / before, 0.45, 0.9)


CASE = Case(
    number=7,
    section="draft-kazuho-ccwg-rapid-start-02, 3.3 and 3.3.1, silence_factor",
    title="The first loss takes a third at once of what the recovery takes",
    statement=(
        "Where the first recovery begins, the window is multiplied by 5/6, if the avoidance keeps a half, "
        "and by 9/10, if it keeps 0.7. It never grows until the recovery is over."
    ),
    scenario=empty(loss=lost(400)),
    rule=(
        "Two samples after the window is largest it is what is left one and a half round trips later, and "
        "two thirds of what is taken, as shares of what it was, within 0.03. Meanwhile it never grows, and "
        "the flight stays above 0.45 of it."
    ),
    why=(
        "Each packet acknowledged within the samples takes a third of one more, or a fifth. At the end the "
        "avoidance's share is left, a half at least."
    ),
    observe=observe,
    shown=("cwnd_packets", "in_flight_packets", TRIPLING),
)
