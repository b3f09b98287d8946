"""A long download with one of BBR."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.c4.trials import completes, shared
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The end of the download."""
    yield completes(trace, 23.0)


CASE = Case(
    number=40,
    section="draft-huitema-ccwg-c4-test, 2.6.2",
    title="A long download with one of BBR",
    statement=(
        "20 MB over 20 Mbit/s and 80 ms complete in less than 23 s with 30 MB of BBR that begin at the "
        "same time."
    ),
    scenario=shared("20 Mbit/s", 80, 20, 30, algorithm="bbr3"),
    rule="The download ends before 23.0 s.",
    why=(
        "The draft states no buffer; one bandwidth-delay product is that of its first cases. The limits "
        "are the draft's. The other flow is BBR 3, as in the authors' stack."
    ),
    observe=observe,
    shown=("cwnd_packets", "goodput_bit_per_s"),
)
