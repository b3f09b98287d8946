"""Slow start ends at three quarters of the target."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.ledbat_plus_plus.slowdowns import ALONE, slow_start_ends_s
from ackclock.conformance.trace import Trace, first
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The queueing delay where slow start ends."""
    end = first(trace.time_s[trace.time_s >= slow_start_ends_s(trace)], "an end of slow start")
    delay_ms = 1e3 * (trace.at("rtt_s", end) - trace.path_rtt_s)
    yield Verdict.within("queueing delay where slow start ends, in ms", delay_ms, 45, 62)


CASE = Case(
    number=2,
    section="the draft, modified slow start",
    title="The first slow start ends at three quarters of the target",
    statement=(
        "The first slow start ends when the queueing delay exceeds three quarters of the target, 45 ms."
    ),
    scenario=ALONE,
    rule="Where the threshold becomes finite, the round trip is 45 to 62 ms above the smallest one.",
    why="The smallest of four delays counts, and the queue grows by a third of a packet with each.",
    observe=observe,
    shown=("cwnd_packets", "ssthresh_packets", "rtt_s"),
)
