"""The queue stays near the threshold of marks, and the link full."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.dctcp.marking import MARKING, THRESHOLD
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """Queue, goodput and losses after two seconds."""
    queue = float(trace.link("queue_packets")[trace.time_s > 2].mean())
    yield Verdict.within("mean queue in thresholds", queue / THRESHOLD, 0.3, 1.3)
    rate = trace.goodput_of_link(2.0, 4.0)
    yield Verdict.within("goodput in rates of the link", rate, 0.95, 1.02)
    yield Verdict.same("packets lost", len(trace.losses()), 0)


CASE = Case(
    number=3,
    section="RFC 8257, 1 and 3.1",
    title="The queue stays near the threshold, and the link full",
    statement=(
        "Reductions in proportion to the marks keep the queue of a single flow near the threshold, "
        "without an idle link and without losses."
    ),
    scenario=MARKING,
    rule=(
        "From 2 s to 4 s the mean queue is 0.3 to 1.3 thresholds, the goodput at least 95 % of the link, "
        "and nothing is lost."
    ),
    why="The threshold is a quarter of the pipe, above the seventh that a single flow needs for a full link.",
    observe=observe,
    shown=("cwnd_packets", "rtt_s"),
)
