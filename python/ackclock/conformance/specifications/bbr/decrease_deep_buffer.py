"""A tenth of the bandwidth behind a deep buffer."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.bbr.decrease import judged, slower
from ackclock.conformance.specifications.bbr.states import MAX_BANDWIDTH, STATE
from ackclock.conformance.specifications.paths import one_flow
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The time until the maximum is known."""
    yield from judged(trace)


CASE = Case(
    number=23,
    section="5.5.3 to 5.5.6, 5.3.4; no case of the appendix",
    title="A tenth of the bandwidth is known behind a deep buffer too",
    statement=(
        "The maximum is to cover two ProbeBW cycles, also where a queue of 2000 packets makes a round "
        "trip of seconds, so that ProbeRTT cuts each probe off."
    ),
    scenario=one_flow("100 Mbit/s", 40, 40, buffer="2000 packets", sample="5 ms"),
    then=slower,
    rule=(
        "As with a shallow buffer: max_bw is 0.5 to 1.02 of the new rate three round trips after the "
        "second probe."
    ),
    why=(
        "The prose of 5.5.6 advances the filter a round trip after each probe; the pseudocode of 5.3.3.9 "
        "does not after one that ProbeRTT cuts off. The page on findings in the draft has the trace."
    ),
    observe=observe,
    shown=(STATE, MAX_BANDWIDTH, "rtt_s"),
)
