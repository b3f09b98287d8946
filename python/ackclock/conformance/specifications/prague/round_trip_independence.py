"""A short round trip gives no faster growth of the rate."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.prague.l4s import faster
from ackclock.conformance.specifications.windows import growth_per_round_trip
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict

STEP_S = 8.0

TYPICAL_S = 0.025
"""The round trip as which shorter ones are to behave, the example of A.1.6."""


def observe(trace: Trace) -> Iterator[Verdict]:
    """The growth of the rate, in that of standard growth at a typical round trip."""
    growth = growth_per_round_trip(trace, STEP_S + 0.3, 100)
    relative = growth * (TYPICAL_S / trace.path_rtt_s) ** 2
    yield Verdict.within("growth of the rate in that of a round trip of 25 ms", relative, 0.75, 1.35)


CASE = Case(
    number=9,
    section="RFC 9331, 4.3, item 4; A.1.6",
    title="A short round trip gives no faster growth of the rate",
    statement=(
        "Between the smallest and typical round trips rates are as independent of the round trip as "
        "stability allows: at 10 ms the rate grows as at 25 ms, and not six times faster."
    ),
    scenario=faster(STEP_S, 10, 10),
    rule="Over a hundred round trips without marks the rate grows 0.75 to 1.35 times as fast as at 25 ms.",
    why=(
        "The rate grows by a packet in the square of a round trip. The requirement has no number; the "
        "example of the appendix is max(rtt, 25 ms). Prague waits for 500 round trips first, 5 s."
    ),
    observe=observe,
    shown=("cwnd_packets", "rtt_s"),
)
