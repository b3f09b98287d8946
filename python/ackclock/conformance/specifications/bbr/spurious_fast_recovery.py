"""A spurious fast recovery is undone."""

from collections.abc import Iterator

from ackclock.conformance.case import Case, Settings
from ackclock.conformance.specifications.bbr.states import LONGTERM, SHORTTERM, STATE
from ackclock.conformance.specifications.bbr.undo import probe_s, restored
from ackclock.conformance.specifications.paths import BOTTLENECK, one_flow, stepped
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def shorter(trace: Trace) -> Settings | None:
    """The path becomes 25 ms shorter in a probe, so that packets overtake others."""
    middle = probe_s(trace)
    if middle is None:
        return None
    return {f"{BOTTLENECK}.delay": stepped("48 ms", (middle, "23 ms"))}


def observe(trace: Trace) -> Iterator[Verdict]:
    """State and bounds half a second after the recovery begins."""
    yield from restored(trace, 0.5)


CASE = Case(
    number=18,
    section='appendix, "Handling Spurious Fast Recovery"; 5.5.11',
    title="A spurious fast recovery is undone",
    statement=(
        "The bounds and the state are saved when losses begin, and restored when the transport learns "
        "that nothing was lost; a probe that ended begins again."
    ),
    scenario=one_flow(
        "10 Mbit/s",
        100,
        8,
        buffer="400 packets",
        tcp={"dsack": True},
        delay="48 ms",
        impairments=["overtaking"],
    ),
    then=shorter,
    rule=(
        "Half a second after the first packet is sent again no packet was dropped, UP or REFILL was there "
        "since, the three bounds are at least what they were, max_bw is at least 98 % of what it was, and "
        "the next second uses 85 % of the link or more."
    ),
    why=(
        "The receiver reports the duplicates (DSACK) within a round trip of 100 ms, and REFILL takes one "
        "more."
    ),
    observe=observe,
    shown=(STATE, LONGTERM, SHORTTERM),
)
