"""Conservative slow start lasts five rounds."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.hystart.phases import (
    CONSERVATIVE,
    LONGER,
    conservative,
    never_conservative,
)
from ackclock.conformance.specifications.windows import growth_per_round_trip
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The length of conservative slow start, and the growth after it."""
    found = conservative(trace)
    if not found:
        yield never_conservative()
        return
    trip = trace.at("rtt_s", found[0].end_s)
    yield Verdict.within("length in round trips", found[0].length_s / trip, 3.9, 5.1)
    growth = growth_per_round_trip(trace, found[0].end_s + trip, 5)
    yield Verdict.within("growth after it in packets per round trip", growth, 0.0, 3.0)


CASE = Case(
    number=3,
    section="RFC 9406, 4.2 and 4.3",
    title="Conservative slow start lasts five rounds, and congestion avoidance follows",
    statement="After five rounds, of which the first may be a part, the threshold becomes the window.",
    scenario=LONGER,
    rule=(
        "It lasts 3.9 to 5.1 round trips, and over the next five the window grows by at most 3 packets per "
        "round trip in the mean."
    ),
    why=(
        "The first round may be a part. Five hundred packets grow by one in a round trip as Reno, and by "
        "less as CUBIC."
    ),
    observe=observe,
    shown=("cwnd_packets", CONSERVATIVE, "ssthresh_packets"),
)
