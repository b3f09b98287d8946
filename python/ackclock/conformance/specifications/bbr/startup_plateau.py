"""Startup ends on a plateau of the delivery rate."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.bbr.states import (
    DRAIN,
    FULL_ROUNDS,
    MAX_BANDWIDTH,
    STARTUP,
    STATE,
    followed_by,
    never_came,
    phases,
)
from ackclock.conformance.specifications.paths import one_flow
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The estimate, the rounds without growth and the state at the end of Startup."""
    ended = phases(trace, STARTUP)
    if not ended:
        yield never_came(STARTUP)
        return
    startup = ended[0]
    yield followed_by(trace, startup, DRAIN)
    share = trace.at(MAX_BANDWIDTH, startup.end_s) / trace.rate_packets_per_s(startup.end_s)
    yield Verdict.near("max_bw in rates of the link", share, 1.0, 0.02)
    yield Verdict.same("rounds without growth", int(trace.at(FULL_ROUNDS, startup.end_s)), 3)


def outside(trace: Trace) -> Iterator[Verdict]:
    """The link is full, and the queue that filled it is drained at once."""
    rate = trace.goodput_of_link(1.0, 1.5)
    yield Verdict.within("goodput after one second in rates of the link", rate, 0.9, 1.02)
    queue = float(trace.link("queue_packets")[(trace.time_s > 1.5) & (trace.time_s < 2)].mean())
    yield Verdict.within("mean queue after the start in packets", queue, -float("inf"), 10.0)


CASE = Case(
    number=1,
    section='appendix, "Exiting STARTUP on Bandwidth Plateau"; 5.3.1.2',
    title="Startup ends on a plateau of the delivery rate",
    statement=(
        "A flow with enough data leaves Startup for Drain after three rounds in a row whose delivery rate "
        "is less than 25 % higher, and has measured the bandwidth of the path by then."
    ),
    scenario=one_flow("10 Mbit/s", 40, 4),
    rule="Drain follows; max_bw is within 2 % of the link's rate; the count of rounds without growth is 3.",
    why="The 2 % are the appendix's. The count is exact, since nothing else flows on the path.",
    observe=observe,
    outside=outside,
    shown=(STATE, MAX_BANDWIDTH, FULL_ROUNDS),
)
