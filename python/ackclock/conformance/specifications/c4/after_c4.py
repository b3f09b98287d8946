"""A download of C4 began half a second before."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.c4.trials import completes, shared
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The end of the download."""
    yield completes(trace, 8.15)


CASE = Case(
    number=42,
    section="draft-huitema-ccwg-c4-test, 2.4.2",
    title="A download of C4 began half a second before",
    statement=(
        "5 MB over 20 Mbit/s and 80 ms complete in less than 8.15 s after the beginning of 10 MB of C4, "
        "which began half a second before."
    ),
    scenario=shared("20 Mbit/s", 80, 5, 10, main_s=0.5),
    rule="The download ends before 8.15 s.",
    why=(
        "The draft states no buffer; one bandwidth-delay product is that of its first cases. The limits "
        "are the draft's."
    ),
    observe=observe,
    shown=("cwnd_packets", "goodput_bit_per_s"),
)
