"""A long download with one of CUBIC."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.c4.trials import completes, shared
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The end of the download."""
    yield completes(trace, 22.2)


CASE = Case(
    number=37,
    section="draft-huitema-ccwg-c4-test, 2.5.2",
    title="A long download with one of CUBIC",
    statement=(
        "20 MB over 20 Mbit/s and 80 ms complete in less than 22.2 s with 30 MB of CUBIC that begin at the "
        "same time."
    ),
    scenario=shared("20 Mbit/s", 80, 20, 30, algorithm="rack+cubic"),
    rule="The download ends before 22.2 s.",
    why=(
        "The draft states no buffer; one bandwidth-delay product is that of its first cases. The limits "
        "are the draft's."
    ),
    observe=observe,
    shown=("cwnd_packets", "goodput_bit_per_s"),
)
