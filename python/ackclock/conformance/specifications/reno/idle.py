"""The restart after an idle time."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.qlog import Log
from ackclock.conformance.specifications import logs
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


def on_log(log: Log) -> Iterator[Verdict]:
    """The bursts of a sender, which the restart and pacing limit."""
    yield from logs.bursts(log)


CASE = Case(
    number=9,
    section="RFC 5681, 4.1; RFC 9002, 7.7",
    title="After an idle time the window starts again, and bursts are limited",
    statement=(
        "A connection that sent nothing for longer than the retransmission timeout begins with the "
        "restart window, which is at most the initial window. QUIC limits all bursts to it, or paces."
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
        "in flight in the round trip after it. In a log, what leaves in a twentieth of a round trip is at "
        "most the initial window and a tenth of the window, for 99 % of the packets."
    ),
    why=(
        "A response of 200 packets opens the window; the timeout is 1 s. A pace of two windows in a round "
        "trip sends the tenth, and a machine wakes its programs late now and then."
    ),
    observe=observe,
    on_log=on_log,
    shown=("cwnd_packets", "in_flight_packets"),
)
