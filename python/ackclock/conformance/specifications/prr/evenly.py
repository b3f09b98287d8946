"""Packets leave evenly over the round trip."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.prr.example import SINGLE, in_recovery
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The share of the recovery's packets that leave with the first half of its acknowledgments."""
    sent, acknowledged = in_recovery(trace)
    half = acknowledged[len(acknowledged) // 2]
    share = float((sent <= half + 0.0015).sum()) / max(len(sent), 1)
    yield Verdict.within(
        "share of the packets that the first half of the acknowledgments sends", share, 0.35, 0.7
    )


CASE = Case(
    number=4,
    section="RFC 9937, 7",
    title="Packets leave evenly over the round trip",
    statement="The reduction of the window is spread out evenly over a round trip.",
    scenario=SINGLE,
    rule="The first half of the acknowledgments sends 0.35 to 0.7 of the packets.",
    why="Some eight packets leave, and the first is forced. RFC 6675 would send none or one of them.",
    observe=observe,
    shown=("in_flight_packets", "ssthresh_packets"),
)
