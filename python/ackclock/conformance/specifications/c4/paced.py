"""Packets leave at alpha times the nominal rate."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.c4.states import (
    path,
)
from ackclock.conformance.specifications.paths import FORWARD
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The most packets that leave in a twentieth of a round trip."""
    times = trace.sent.time_s[trace.sent.time_s > 3.0]
    span = 0.05 * trace.path_rtt_s
    most = int(np.max(np.searchsorted(times, times + span) - np.arange(len(times))))
    window = float(np.max(trace.series("cwnd_packets")[trace.time_s > 3.0]))
    yield Verdict.within(
        "most packets in a twentieth of a round trip, in largest windows", most / window, 0.02, 0.3
    )


CASE = Case(
    number=7,
    section="draft-huitema-ccwg-c4-spec, Setting pacing rate, congestion window and quantum",
    title="Packets leave at alpha times the nominal rate",
    statement=(
        "The sender paces at the nominal rate times alpha; the quantum that may leave at once is a quarter "
        "of the window, 64 kB at most."
    ),
    scenario=path(
        "20 Mbit/s",
        80,
        8,
        watch=FORWARD,
        reverse={"rate": "20 Mbit/s", "impairments": ["aggregation(period=30 ms)"]},
    ),
    rule="From 3 s on at most 0.3 of the largest window leaves in a twentieth of a round trip.",
    why=(
        "Acknowledgments are released each 30 ms, a third of a window at once. The quantum is a quarter, "
        "and a twentieth of a round trip adds a twentieth."
    ),
    observe=observe,
    shown=("cwnd_packets", "in_flight_packets"),
)
