"""Twenty megabytes over 200 Mbit/s."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.c4.trials import completes, trial
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The end of the download."""
    yield completes(trace, 1.25)


CASE = Case(
    number=28,
    section="draft-huitema-ccwg-c4-test, 2.2.2",
    title="Twenty megabytes over 200 Mbit/s",
    statement=(
        "A download of 20 MB over 200 Mbit/s with 40 ms and a buffer of one bandwidth-delay product "
        "completes in less than 1.25 s."
    ),
    scenario=trial("200 Mbit/s", 40, 20),
    rule="The download ends before 1.25 s.",
    why=(
        "The limit is the draft's. The authors' stack is QUIC, whose packets and handshake are about as long."
    ),
    observe=observe,
    shown=("cwnd_packets", "goodput_bit_per_s"),
)
