"""A loss keeps the larger of half of both windows."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.cdg.backoffs import (
    SHADOW,
    with_another,
)
from ackclock.conformance.trace import Trace, first
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The thresholds after losses, in the larger of both halves."""
    thresholds, window, shadow = (
        trace.series("ssthresh_packets"),
        trace.series("cwnd_packets"),
        trace.gauge(SHADOW),
    )
    fell = np.flatnonzero((shadow[1:] < 0.6 * shadow[:-1]) & (trace.time_s[1:] > 10.0)) + 1
    first(trace.time_s[fell], "lost a packet")
    for place in fell.tolist():
        half = max(shadow[place - 1] / 2, window[place - 1] / 2)
        kept = thresholds[place] / min(half, window[place - 1])
        yield Verdict.within("threshold after a loss in the larger of both halves", float(kept), 0.85, 1.15)


CASE = Case(
    number=13,
    section="the paper, 3.3",
    title="A loss keeps half of the shadow window, if that is more",
    statement=(
        "The shadow window is where the flow would be without its back-offs. After a loss the window is "
        "half of the shadow window or half of its own, whichever is larger."
    ),
    scenario=with_another(60, start="5 s", algorithm="rack+reno"),
    rule=(
        "After each loss of the flow from 10 s on, in a third of the cases at least with a shadow window "
        "above the window, the threshold is 0.9 to 1.1 times that larger half, and the window before at "
        "most."
    ),
    why=(
        "Windows are in whole packets, and sampled each 5 ms. The module keeps the shadow window below two "
        "windows."
    ),
    observe=observe,
    shown=("cwnd_packets", "ssthresh_packets", SHADOW),
)
