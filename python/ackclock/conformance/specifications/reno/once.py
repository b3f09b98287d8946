"""Several losses of one window are one signal."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.qlog import Log
from ackclock.conformance.specifications import logs
from ackclock.conformance.specifications.paths import one_flow
from ackclock.conformance.specifications.windows import falls, first_loss_s, lost, recovered_s
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The thresholds of the run, and the timeouts."""
    loss = first_loss_s(trace)
    thresholds = trace.during("ssthresh_packets", loss, loss + 10 * trace.path_rtt_s)
    reductions = falls(thresholds)
    yield Verdict.same("reductions of the threshold", reductions, 1)
    after = trace.at("ssthresh_packets", recovered_s(trace, loss) + 5 * trace.path_rtt_s)
    yield Verdict.within("threshold after, in packets", after, 15, 27)


def on_log(log: Log) -> Iterator[Verdict]:
    """The time between reductions."""
    yield from logs.once(log)


CASE = Case(
    number=6,
    section="RFC 6582, 3.2; RFC 5681, 4.3",
    title="Several losses of one window are one signal",
    statement=(
        "Three losses in one window of data reduce the window once: a partial acknowledgment repairs the "
        "next loss and leaves the threshold."
    ),
    scenario=one_flow(
        "100 Mbit/s",
        100,
        6,
        buffer="1000 packets",
        tcp={"segments_per_ack": 1, "initial_ssthresh": "40 packets"},
        loss=lost(600, 604, 608),
    ),
    rule="In ten round trips after the first loss the threshold falls once, to 15 to 27 packets.",
    why="The window has some 45 packets, and each partial acknowledgment repairs one loss in a round trip.",
    observe=observe,
    on_log=on_log,
    shown=("cwnd_packets", "ssthresh_packets", "retransmissions"),
)
