"""Packets are paced at twice the window."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.qlog import Log
from ackclock.conformance.specifications import logs
from ackclock.conformance.specifications.paths import FORWARD, one_flow
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The most packets that leave in a twentieth of a round trip."""
    times = trace.sent.time_s[trace.sent.time_s > 3.0]
    span = 0.05 * trace.path_rtt_s
    most = int(np.max(np.searchsorted(times, times + span) - np.arange(len(times))))
    window = float(np.max(trace.series("cwnd_packets")[trace.time_s > 3.0]))
    yield Verdict.within(
        "most packets in a twentieth of a round trip, in largest windows", most / window, 0.02, 0.2
    )


def on_log(log: Log) -> Iterator[Verdict]:
    """The bursts of a sender that paces at two windows in a round trip."""
    yield from logs.bursts(log)


CASE = Case(
    number=9,
    section="the paper, 2.1",
    title="Packets are paced at twice the window in a round trip",
    statement=(
        "Packets leave at two windows in a round trip at most, also where acknowledgments come together, so "
        "that a queue of bursts does not spoil the measurement of delays."
    ),
    scenario=one_flow(
        "20 Mbit/s",
        40,
        8,
        buffer="500 packets",
        tcp={"segments_per_ack": 1},
        watch=FORWARD,
        reverse={"rate": "20 Mbit/s", "impairments": ["aggregation(period=30 ms)"]},
    ),
    rule=(
        "From 3 s on at most a fifth of the largest window leaves in a twentieth of a round trip. In a log, "
        "it is at most an initial window and a tenth of the window, for 99 % of the packets."
    ),
    why="Acknowledgments are released each 30 ms, a third of a window at once. Twice the window is a tenth.",
    observe=observe,
    on_log=on_log,
    shown=("cwnd_packets", "in_flight_packets"),
)
