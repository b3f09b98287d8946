"""Late segments are no losses."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.rledbat.receivers import (
    path,
)
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The goodput."""
    yield Verdict.within("goodput in rates of the link", trace.goodput_of_link(10.0, 30.0), 0.8, 1.02)


CASE = Case(
    number=10,
    section="RFC 9840, 4.3",
    title="Late segments are no losses",
    statement="Data below the highest byte with an earlier timestamp is late, and no sign of a loss.",
    scenario=path(30, impairments=["reordering(probability=0.05, packets=2, delay=20 ms)"]),
    rule=(
        "With one packet in twenty that two others overtake, the goodput from 10 s to 30 s is at least 80 "
        "% of the link."
    ),
    why=(
        "Two later packets are no loss for the sender either. A window that each late packet halved would "
        "stay at a few packets."
    ),
    observe=observe,
    shown=("in_flight_packets", "cwnd_packets", "rtt_s"),
)
