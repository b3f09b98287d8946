"""A download of CUBIC begins a second later."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.c4.trials import completes, shared
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The end of the download."""
    yield completes(trace, 22.0)


CASE = Case(
    number=38,
    section="draft-huitema-ccwg-c4-test, 2.5.3",
    title="A download of CUBIC begins a second later",
    statement=(
        "10 MB over 10 Mbit/s and 70 ms complete in less than 22 s with 15 MB of CUBIC that begin a second "
        "later."
    ),
    scenario=shared("10 Mbit/s", 70, 10, 15, other_s=1.0, algorithm="rack+cubic"),
    rule="The download ends before 22.0 s.",
    why=(
        "The draft states no buffer; one bandwidth-delay product is that of its first cases. The limits "
        "are the draft's."
    ),
    observe=observe,
    shown=("cwnd_packets", "goodput_bit_per_s"),
)
