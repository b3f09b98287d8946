"""A download of C4 begins a second later."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.c4.trials import completes, shared
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The end of the download."""
    yield completes(trace, 22.2)


CASE = Case(
    number=35,
    section="draft-huitema-ccwg-c4-test, 2.4.5",
    title="A download of C4 begins a second later",
    statement=(
        "10 MB over 10 Mbit/s and 70 ms complete in less than 22.2 s with 15 MB of C4 that begin a second "
        "later."
    ),
    scenario=shared("10 Mbit/s", 70, 10, 15, other_s=1.0),
    rule="The download ends before 22.2 s.",
    why=(
        "The draft states no buffer; one bandwidth-delay product is that of its first cases. The limits "
        "are the draft's."
    ),
    observe=observe,
    shown=("cwnd_packets", "goodput_bit_per_s"),
)
