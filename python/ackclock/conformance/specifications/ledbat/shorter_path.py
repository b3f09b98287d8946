"""A shorter path is noticed at once."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.paths import one_flow, stepped
from ackclock.conformance.specifications.windows import window_at
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict

BEGIN_S = 4.0
TRIP_S = 0.112


def observe(trace: Trace) -> Iterator[Verdict]:
    """The growth where the shorter path has become 50 ms longer."""
    begin = BEGIN_S + 0.5
    growth = (window_at(trace, begin + 20 * TRIP_S) - window_at(trace, begin)) / 20
    yield Verdict.within("growth in packets per round trip", growth, 0.4, 0.6)


CASE = Case(
    number=10,
    section="RFC 6817, 2.5 (BASE_HISTORY)",
    title="A path that becomes shorter is noticed at once",
    statement=(
        "Where the base delay decreases the sender adapts immediately, and counts later delays from there."
    ),
    scenario=one_flow(
        "100 Mbit/s",
        160,
        8,
        buffer="1000 packets",
        tcp={"segments_per_ack": 1, "initial_ssthresh": "40 packets"},
        delay=stepped("79 ms", (2.0, "29 ms"), (BEGIN_S, "54 ms")),
    ),
    rule=(
        "Over twenty round trips of the path that is 50 ms longer again the window grows by 0.4 to 0.6 in "
        "each."
    ),
    why=(
        "The round trip is 162 ms, then 62 and then 112 ms. Half of the target is left; a sender that keeps "
        "the first base delay sees no queue and grows by a packet."
    ),
    observe=observe,
    shown=("cwnd_packets", "rtt_s"),
)
