"""After the other flow it comes back."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.rledbat.receivers import (
    with_another,
)
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The goodput after the other flow."""
    yield Verdict.within("goodput in rates of the link", trace.goodput_of_link(40.0, 60.0), 0.8, 1.02)


CASE = Case(
    number=4,
    section="RFC 9840, 1",
    title="After the standard flow it comes back",
    statement="When the other traffic ends the flow uses the link again.",
    scenario=with_another(60, start="10 s", stop="25 s", algorithm="rack+reno"),
    rule=(
        "From 40 s to 60 s, fifteen seconds after the standard flow ended, the goodput is at least 80 % of "
        "the link."
    ),
    why=(
        "From two packets on LEDBAT++ adds up to a packet in a round trip; a bandwidth-delay product is 33 "
        "packets, and a slowdown takes a tenth of the time."
    ),
    observe=observe,
    shown=("in_flight_packets", "cwnd_packets", "rtt_s"),
)
