"""The drain leaves what the path delivers in a round trip."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.search.phases import PIPE, exit_s, pipe_packets
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The threshold and the window where slow start is over."""
    pipe, end = pipe_packets(trace), exit_s(trace)
    yield Verdict.within("threshold in pipes", trace.at("ssthresh_packets", end) / pipe, 0.95, 1.15)
    yield Verdict.within("window in pipes", trace.at("cwnd_packets", end) / pipe, 0.95, 1.15)


CASE = Case(
    number=4,
    section="draft-chung-ccwg-search-09, 3.2, the drain",
    title="The drain leaves what the path delivers in a round trip",
    statement=(
        "The window and the threshold at the end of slow start are the packets delivered in the latest "
        "initial round trip, in whole bins."
    ),
    scenario=PIPE,
    rule=("The first threshold, and the window then, are 0.95 to 1.15 of what the path holds."),
    why=(
        "A round trip is 2.9 bins of 0.35, which three bins round up to 1.05; an acknowledgment may be late."
    ),
    observe=observe,
    shown=("cwnd_packets", "ssthresh_packets", "rtt_s"),
)
