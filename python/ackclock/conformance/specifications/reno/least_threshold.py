"""The threshold is two segments at least."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.qlog import Log
from ackclock.conformance.specifications import logs
from ackclock.conformance.specifications.paths import one_flow
from ackclock.conformance.specifications.windows import lost
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The smallest threshold."""
    least = float(np.min(trace.series("ssthresh_packets")))
    yield Verdict.within("smallest threshold in packets", least, 2.0, 2.0)


def on_log(log: Log) -> Iterator[Verdict]:
    """The smallest window."""
    yield from logs.least(log, logs.LEAST_PACKETS)


CASE = Case(
    number=14,
    section="RFC 5681, 3.1, equation 4; RFC 9002, 7.2",
    title="The threshold is two segments at least",
    statement=(
        "However little is outstanding, a loss leaves a threshold of two segments. The window of QUIC is two "
        "packets at least."
    ),
    scenario=one_flow(
        "100 Mbit/s",
        100,
        5,
        buffer="1000 packets",
        tcp={"segments_per_ack": 1, "initial_window": "2 packets", "initial_ssthresh": "3 packets"},
        loss=lost(1, 2),
    ),
    rule="The smallest threshold of the run is 2 packets. A log that reaches 2.5 has a window of 2 at least.",
    why=(
        "The two packets of the first flight are lost, so that two are outstanding at the timeout, half of "
        "which is one. A log that stays above does not show the bound. Its packets count as 1200 bytes, if a "
        "search for a larger size sends larger ones, and those of TCP may be one, which a timeout leaves."
    ),
    observe=observe,
    on_log=on_log,
    shown=("cwnd_packets", "ssthresh_packets"),
)
