"""Slow start doubles the window."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.qlog import Log
from ackclock.conformance.specifications import logs
from ackclock.conformance.specifications.paths import one_flow
from ackclock.conformance.specifications.windows import window_at
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The window at the end of each of three round trips."""
    for number in (1, 2, 3):
        before = window_at(trace, (number + 0.9) * trace.path_rtt_s)
        after = window_at(trace, (number + 1.9) * trace.path_rtt_s)
        yield Verdict.within(f"growth in round trip {number}", after / before, 1.9, 2.0)


def on_log(log: Log) -> Iterator[Verdict]:
    """The growth before the first reduction."""
    yield from logs.slow_start_growth(log)


CASE = Case(
    number=2,
    section="RFC 5681, 3.1, equation 2",
    title="Slow start doubles the window",
    statement=(
        "In slow start each acknowledgment of new data adds at most one segment, so that the window "
        "doubles in a round trip with an acknowledgment for each segment."
    ),
    scenario=one_flow("100 Mbit/s", 100, 1, buffer="1000 packets", tcp={"segments_per_ack": 1}),
    rule="In each of the first three round trips with data the window grows to 1.9 to 2 times its value.",
    why=(
        "Windows of 80 packets take 10 ms to leave, a tenth of the round trip, in which the last of them "
        "are not yet acknowledged."
    ),
    observe=observe,
    on_log=on_log,
    shown=("cwnd_packets",),
)
