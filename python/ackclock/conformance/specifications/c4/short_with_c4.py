"""A short download with one of C4."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.c4.trials import completes, shared
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The end of the download."""
    yield completes(trace, 6.7)


CASE = Case(
    number=33,
    section="draft-huitema-ccwg-c4-test, 2.4.1",
    title="A short download with one of C4",
    statement=(
        "5 MB over 20 Mbit/s and 80 ms complete in less than 6.7 s with 10 MB of C4 that begin at the same "
        "time."
    ),
    scenario=shared("20 Mbit/s", 80, 5, 10),
    rule="The download ends before 6.7 s.",
    why=(
        "The draft states no buffer; one bandwidth-delay product is that of its first cases. The limits "
        "are the draft's."
    ),
    observe=observe,
    shown=("cwnd_packets", "goodput_bit_per_s"),
)
