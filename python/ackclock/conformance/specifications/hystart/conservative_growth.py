"""Conservative slow start grows by a quarter in a round."""

import math
from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.hystart.phases import (
    CONSERVATIVE,
    LONGER,
    conservative,
    never_conservative,
)
from ackclock.conformance.specifications.windows import window_at
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The growth in two round trips of conservative slow start."""
    found = conservative(trace)
    if not found:
        yield never_conservative()
        return
    trip = trace.at("rtt_s", found[0].end_s)
    begin = found[0].begin_s + trip / 2
    growth = math.sqrt(window_at(trace, begin + 2 * trip) / window_at(trace, begin))
    yield Verdict.within("mean growth in a round trip", growth, 1.2, 1.3)


CASE = Case(
    number=2,
    section="RFC 9406, 4.2",
    title="Conservative slow start grows by a quarter in a round",
    statement="Conservative slow start adds a quarter of what slow start would add, for each acknowledgment.",
    scenario=LONGER,
    rule=(
        "In two of its round trips the window grows to 1.2 to 1.3 of its value in each, as a geometric mean."
    ),
    why="Acknowledgments come in bursts, and the first of a round may belong to slow start.",
    observe=observe,
    shown=("cwnd_packets", CONSERVATIVE),
)
