"""A mark halves the window once."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.paths import one_flow
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The share that each reduction leaves, the time between them, and the losses."""
    window, times = trace.series("cwnd_packets"), trace.time_s
    places = np.flatnonzero(window[1:] < 0.9 * window[:-1])
    yield Verdict.within("reductions of the window", places.size, 3, np.inf)
    if places.size < 3:
        return
    shares = window[places + 1] / window[places]
    yield Verdict.within("smallest share that a mark leaves", float(shares[1:].min()), 0.45, 0.56)
    yield Verdict.within("largest share that a mark leaves", float(shares[1:].max()), 0.45, 0.56)
    between = float(np.diff(times[places]).min()) / trace.path_rtt_s
    yield Verdict.within("shortest time between two reductions in round trips", between, 1.0, np.inf)
    yield Verdict.same("packets lost", len(trace.losses()), 0)


CASE = Case(
    number=17,
    section="RFC 3168, 6.1.2",
    title="A mark halves the window, once in a window of data",
    statement=(
        "A congestion mark that the receiver echoes is answered as a loss is, by half of the window, and at "
        "most once in a round trip; nothing is sent again."
    ),
    scenario=one_flow(
        "20 Mbit/s",
        50,
        12,
        buffer="500 packets",
        tcp={"segments_per_ack": 1, "ecn": "classic"},
        ecn_threshold="60 packets",
    ),
    rule=(
        "There are three reductions or more, each after the first leaves 0.45 to 0.56 of the window, a round "
        "trip or more lies between two, and nothing is lost."
    ),
    why=(
        "The first ends slow start, in which the window grows on within a sample. The flight is a few "
        "packets less."
    ),
    observe=observe,
    shown=("cwnd_packets", "rtt_s"),
)
