"""A latency that varies does not end slow start."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.paths import one_flow, stepped
from ackclock.conformance.specifications.search.phases import DRAINING
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The window after six doublings."""
    yield Verdict.within("window at 0.9 s in packets", trace.at("cwnd_packets", 0.9), 400, 1300)


CASE = Case(
    number=6,
    section="draft-chung-ccwg-search-09, 3.1",
    title="A latency that varies does not end slow start",
    statement=(
        "Deliveries are counted over several round trips, so that a latency that varies below the capacity "
        "does not look like the capacity."
    ),
    scenario=one_flow(
        "900 Mbit/s",
        100,
        1,
        buffer="9000 packets",
        tcp={"segments_per_ack": 1},
        delay=stepped("48 ms", (0.25, "58 ms"), (0.5, "48 ms"), (0.7, "58 ms")),
    ),
    rule="At 0.9 s the window is 400 to 1300 packets.",
    why=(
        "Ten packets have doubled six or seven times in round trips of 100 and 120 ms, of a pipe of 7500. "
        "An end of slow start at 0.7 s or before leaves less than 400."
    ),
    observe=observe,
    shown=("cwnd_packets", DRAINING, "rtt_s"),
)
