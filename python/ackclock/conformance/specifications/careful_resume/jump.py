"""The jump leads to half of the saved window."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.careful_resume.memory import JUMP, PHASE, RIGHT
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The largest window of the second round trip of data, and what is in flight at its end."""
    begin, end = 1.9 * trace.path_rtt_s, 2.9 * trace.path_rtt_s
    largest = float(np.max(trace.during("cwnd_packets", begin, end)))
    yield Verdict.within("largest window of the second round trip in packets", largest, 0.98 * JUMP, JUMP)
    flight = trace.at("in_flight_packets", end)
    yield Verdict.within("packets in flight at its end", flight, 0.8 * JUMP, JUMP)


CASE = Case(
    number=2,
    section="RFC 9959, 3.2 and 3.3",
    title="The jump leads to half of the saved window",
    statement=(
        "Once the initial window is acknowledged and its round trip confirms the path, the sender may try a "
        "window of half of the saved one, and no more."
    ),
    scenario=RIGHT,
    rule=(
        "The largest window of the second round trip of data is 98 to 100 packets, and 80 to 100 are in "
        "flight when nine tenths of it are over."
    ),
    why=("Half of 200 is 100. The packets are paced over the round trip, of which a tenth is left."),
    observe=observe,
    shown=("cwnd_packets", "in_flight_packets", PHASE),
)
