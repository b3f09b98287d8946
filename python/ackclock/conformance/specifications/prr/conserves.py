"""After a burst of losses no more is sent than arrives, and one."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.prr.example import BURST, in_recovery
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The most packets that leave on one acknowledgment."""
    sent, acknowledged = in_recovery(trace)
    owners = np.searchsorted(acknowledged, sent - 0.0008, side="right")
    most = int(np.bincount(owners).max()) if sent.size else 0
    yield Verdict.within("most packets that one acknowledgment sends", most, 1, 2)


CASE = Case(
    number=6,
    section="RFC 9937, 6.2 (PRR-CRB, SafeACK) and 7",
    title="After a burst of losses an acknowledgment sends two packets at most",
    statement=(
        "Below the threshold an acknowledgment sends what it delivers, and one segment more if it advances "
        "and shows no new loss: no burst follows a burst of losses, as with RFC 6675."
    ),
    scenario=BURST,
    rule="In the round trip of the recovery one acknowledgment sends one or two packets at most.",
    why="Thirty-four of some fifty packets are lost, so that the flight is below the threshold at once.",
    observe=observe,
    shown=("in_flight_packets", "ssthresh_packets", "retransmissions"),
)
