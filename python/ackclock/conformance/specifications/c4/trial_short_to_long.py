"""The path becomes longer."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.c4.trials import completes, trial
from ackclock.conformance.specifications.paths import stepped
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The end of the download."""
    yield completes(trace, 22.0)


CASE = Case(
    number=31,
    section="draft-huitema-ccwg-c4-test, 2.2.7",
    title="The path becomes longer",
    statement=(
        "A download of 20 MB, whose round trip rises from 30 to 100 ms after a second, completes in less "
        "than 22 s."
    ),
    scenario=trial("10 Mbit/s", 30, 20, delay=stepped("13 ms", (1.0, "48 ms"))),
    rule="The download ends before 22.0 s.",
    why=(
        "The draft writes the delay where its rate should be. 10 Mbit/s is the rate of its other cases at "
        "which 20 MB take more than half of the limit."
    ),
    observe=observe,
    shown=("cwnd_packets", "goodput_bit_per_s"),
)
