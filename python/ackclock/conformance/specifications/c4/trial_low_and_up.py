"""The rate of the link doubles."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.c4.trials import completes, trial
from ackclock.conformance.specifications.paths import stepped
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The end of the download."""
    yield completes(trace, 8.6)


CASE = Case(
    number=29,
    section="draft-huitema-ccwg-c4-test, 2.2.4",
    title="The rate of the link doubles",
    statement=(
        "A download of 7 MB over 100 ms, whose rate rises from 5 to 10 Mbit/s after 2.5 s, completes in "
        "less than 8.6 s."
    ),
    scenario=trial(stepped("5 Mbit/s", (2.5, "10 Mbit/s")), 100, 7),
    rule="The download ends before 8.6 s.",
    why=(
        "The limit is that of the editors' copy of November 2025; the first version has 7.9 s. The buffer "
        "is one bandwidth-delay product, as in the cases before."
    ),
    observe=observe,
    shown=("cwnd_packets", "goodput_bit_per_s"),
)
