"""A download of BBR begins a second later."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.c4.trials import completes, shared
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The end of the download."""
    yield completes(trace, 23.0)


CASE = Case(
    number=41,
    section="draft-huitema-ccwg-c4-test, 2.6.3",
    title="A download of BBR begins a second later",
    statement=(
        "10 MB over 10 Mbit/s and 70 ms complete in less than 23 s with 15 MB of BBR that begin a second "
        "later."
    ),
    scenario=shared("10 Mbit/s", 70, 10, 15, other_s=1.0, algorithm="bbr3"),
    rule="The download ends before 23.0 s.",
    why=(
        "The draft states no buffer; one bandwidth-delay product is that of its first cases. The limits "
        "are the draft's. The other flow is BBR 3, as in the authors' stack."
    ),
    observe=observe,
    shown=("cwnd_packets", "goodput_bit_per_s"),
)
