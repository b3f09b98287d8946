"""The drain sends a packet for every three delivered."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.search.phases import DRAINING, PIPE, drain
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The fall of the flight in the middle of the drain, of what the path delivers."""
    found = drain(trace)
    begin, end = found.begin_s + 0.1 * found.length_s, found.begin_s + 0.9 * found.length_s
    delivered = trace.rate_packets_per_s(begin) * (end - begin)
    fallen = trace.at("in_flight_packets", begin) - trace.at("in_flight_packets", end)
    yield Verdict.within("fall of the flight for each packet delivered", fallen / delivered, 0.64, 0.69)
    window = trace.during("cwnd_packets", found.begin_s, found.end_s)
    yield Verdict.same("growth of the window", bool((window[1:] > window[:-1]).any()), False)


CASE = Case(
    number=3,
    section="draft-chung-ccwg-search-09, 3.2, the drain",
    title="The drain sends a packet for every three delivered",
    statement=("While the queue drains, the sender sends a packet for every three that are acknowledged."),
    scenario=PIPE,
    rule=(
        "In the middle four fifths of the drain the flight falls by 0.64 to 0.69 packets for each one "
        "delivered, and the window never grows."
    ),
    why=("Two of three packets are not replaced. The bottleneck is busy, and delivers at its rate."),
    observe=observe,
    shown=("cwnd_packets", "in_flight_packets", DRAINING),
)
