"""A sender under two controls obeys both."""

import math
from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.rledbat.receivers import (
    path,
)
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The goodput in that of the response function."""
    standard = math.sqrt(1.5 / 0.02) / trace.path_rtt_s
    goodput = trace.goodput_packets_per_s(10.0, 40.0) / standard
    yield Verdict.within("goodput in that of standard TCP", goodput, 0.1, 1.2)


CASE = Case(
    number=11,
    section="RFC 9840, 3 and 4.1",
    title="The sender's own control goes on",
    statement=(
        "The sender sends the smaller of its own window and the announced one: losses slow it down as "
        "without the receiver's control."
    ),
    scenario=path(40, loss={"bernoulli": 0.02}),
    rule=(
        "With two packets in a hundred lost the goodput from 10 s to 40 s is at most 1.2 times that of "
        "standard TCP by its response function."
    ),
    why=(
        "1.22 packets in a round trip over the root of 0.02 are 8.7 packets. The function leaves out "
        "timeouts, and a fifth is for chance."
    ),
    observe=observe,
    shown=("in_flight_packets", "cwnd_packets", "rtt_s"),
)
