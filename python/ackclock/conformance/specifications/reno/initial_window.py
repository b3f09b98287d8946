"""The initial window."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.qlog import Log
from ackclock.conformance.specifications.paths import one_flow
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The largest flight before the first acknowledgment of data."""
    flight = trace.during("in_flight_packets", 0.0, 1.9 * trace.path_rtt_s)
    yield Verdict.within("largest flight of the first round trip in packets", float(flight.max()), 1, 10)


def on_log(log: Log) -> Iterator[Verdict]:
    """The first window that is written; 14720 bytes are 12.3 packets of 1200 (RFC 9002, 7.2)."""
    yield Verdict.within("first window of the log in packets", float(log.window_packets[0]), 1.0, 12.3)


CASE = Case(
    number=1,
    section="RFC 6928, 2; RFC 5681, 3.1",
    title="The initial window",
    statement="A connection has at most ten segments outstanding before its first acknowledgment.",
    scenario=one_flow("100 Mbit/s", 100, 1),
    rule="Until 1.9 round trips after the SYN is sent, 1 to 10 packets are in flight.",
    why="The first round trip opens the connection; the bound is the RFC's.",
    observe=observe,
    on_log=on_log,
    shown=("cwnd_packets", "in_flight_packets"),
)
