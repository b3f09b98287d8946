"""The restart after an idle time."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.paths import client, one_flow
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Outcome, Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The flight of the first round trip after each idle time."""
    idle = trace.idle_times(longer_than_s=2.0)
    if not idle:
        yield Verdict("the run", "no idle time of two seconds", "one", Outcome.UNDECIDED)
        return
    for last, begin in idle:
        before = trace.at("cwnd_packets", last)
        flight = trace.during("in_flight_packets", begin, begin + 0.9 * trace.path_rtt_s)
        yield Verdict.within("window before the idle time in packets", before, 15, np.inf)
        yield Verdict.within("flight of the round trip after it in packets", float(flight.max()), 1, 10)


CASE = Case(
    number=9,
    section="RFC 5681, 4.1",
    title="After an idle time the window starts again",
    statement=(
        "A connection that sent nothing for longer than the retransmission timeout begins with the "
        "restart window, which is at most the initial window."
    ),
    scenario=one_flow(
        "100 Mbit/s",
        100,
        12,
        buffer="1000 packets",
        flow=client({"constant": "200 packets"}, "4 s"),
    ),
    rule=(
        "The window before an idle time of more than 2 s is 15 packets or more, and 1 to 10 packets are "
        "in flight in the round trip after it."
    ),
    why="A response of 200 packets opens the window; the timeout is 1 s.",
    observe=observe,
    shown=("cwnd_packets", "in_flight_packets"),
)
