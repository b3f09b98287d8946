"""A back-off keeps 0.7 of the window."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.cdg.backoffs import (
    ALONE,
    GRADIENT,
    backoffs_s,
)
from ackclock.conformance.trace import Trace, first
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The thresholds in windows before, and the windows afterwards in thresholds."""
    times = backoffs_s(trace)
    first(times, "backed off")
    for time_s in times[times < 57.0]:
        threshold = trace.at("ssthresh_packets", time_s)
        share = threshold / trace.at("cwnd_packets", time_s - 0.002)
        yield Verdict.within("threshold in windows before", share, 0.67, 0.72)
        after = trace.at("cwnd_packets", time_s + 2.5 * trace.at("rtt_s", time_s))
        yield Verdict.within("window afterwards in thresholds", after / threshold, 0.7, 1.15)


CASE = Case(
    number=6,
    section="the paper, 3.2",
    title="A back-off keeps 0.7 of the window",
    statement="A flow that backs off for the delay keeps 0.7 of its window.",
    scenario=ALONE,
    rule=(
        "Each back-off sets the threshold to 0.67 to 0.72 of the window before it, and the window is that "
        "2.5 round trips later."
    ),
    why=(
        "The module keeps 0.7071 in whole packets, and the window falls over a round trip. After that it "
        "grows by a packet."
    ),
    observe=observe,
    shown=("cwnd_packets", "ssthresh_packets", GRADIENT),
)
