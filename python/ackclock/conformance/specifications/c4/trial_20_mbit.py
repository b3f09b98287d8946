"""Ten megabytes over 20 Mbit/s."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.c4.trials import completes, trial
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The end of the download."""
    yield completes(trace, 5.0)


CASE = Case(
    number=27,
    section="draft-huitema-ccwg-c4-test, 2.2.1",
    title="Ten megabytes over 20 Mbit/s",
    statement=(
        "A download of 10 MB over 20 Mbit/s with 80 ms and a buffer of one bandwidth-delay product "
        "completes in less than 5 s."
    ),
    scenario=trial("20 Mbit/s", 80, 10),
    rule="The download ends before 5.0 s.",
    why=(
        "The limit is the draft's. The authors' stack is QUIC, whose packets and handshake are about as long."
    ),
    observe=observe,
    shown=("cwnd_packets", "goodput_bit_per_s"),
)
