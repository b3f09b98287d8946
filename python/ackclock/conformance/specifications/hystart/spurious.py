"""A delay that goes away brings slow start back."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.hystart.phases import (
    CONSERVATIVE,
    conservative,
    never_conservative,
)
from ackclock.conformance.specifications.paths import one_flow, stepped
from ackclock.conformance.specifications.windows import window_at
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The length of conservative slow start, and the growth after it."""
    found = conservative(trace)
    if not found:
        yield never_conservative()
        return
    length = found[0].length_s / trace.path_rtt_s
    yield Verdict.within("length of conservative slow start in round trips", length, 0.2, 3.5)
    begin = found[0].end_s + 0.1 * trace.path_rtt_s
    growth = window_at(trace, begin + 1.1 * trace.path_rtt_s) / window_at(trace, begin)
    yield Verdict.within("growth in the round trip after it", growth, 1.7, 2.3)


CASE = Case(
    number=5,
    section="RFC 9406, 4.2",
    title="A delay that goes away brings slow start back",
    statement=(
        "If round trips become shorter than where conservative slow start began, the delay was not a full "
        "pipe, and slow start goes on."
    ),
    scenario=one_flow(
        "900 Mbit/s",
        100,
        1,
        buffer="9000 packets",
        tcp={"segments_per_ack": 1},
        delay=stepped("48 ms", (0.25, "68 ms"), (0.38, "48 ms")),
    ),
    rule=(
        "Conservative slow start lasts 0.2 to 3.5 round trips, and the window doubles in the round trip "
        "after it (1.7 to 2.3)."
    ),
    why="The path is 20 ms longer for 130 ms, which a round sees; the next whole round is short again.",
    observe=observe,
    shown=("cwnd_packets", CONSERVATIVE, "rtt_s"),
)
