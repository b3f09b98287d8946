"""Time in which the application sends nothing does not count."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.paths import client, one_flow
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The largest growth in a tenth of a second after the first two seconds."""
    window = trace.series("cwnd_packets")[trace.time_s > 2.0]
    growth = float(np.max(window[100:] - window[:-100]))
    yield Verdict.within("largest growth in 100 ms in packets", growth, 0.0, 6.0)


CASE = Case(
    number=11,
    section="RFC 9438, 4.2 and 5.8",
    title="Time in which the application sends nothing does not count",
    statement=(
        "The time of the curve leaves out what passes while the application holds the window back, so that "
        "the window does not jump when it sends again."
    ),
    scenario=one_flow(
        "200 Mbit/s",
        50,
        12,
        buffer="3000 packets",
        flow=client({"constant": "600 packets"}, "800 ms"),
        tcp={"segments_per_ack": 1, "initial_ssthresh": "60 packets"},
    ),
    rule="From 2 s on the window never grows by more than 6 packets in 100 ms.",
    why=(
        "The application sends for some 0.5 s of each 1.3 s, so that the curve is at 4.6 s in the end, where "
        "it grows by 2.5 packets in 100 ms; one whose time runs on is at 12 s and grows by 17. Reno would "
        "add 2."
    ),
    observe=observe,
    shown=("cwnd_packets", "in_flight_packets"),
)
