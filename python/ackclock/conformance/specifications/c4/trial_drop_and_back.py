"""The rate of the link halves for half a second."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.c4.trials import completes, trial
from ackclock.conformance.specifications.paths import stepped
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The end of the download."""
    yield completes(trace, 8.25)


CASE = Case(
    number=30,
    section="draft-huitema-ccwg-c4-test, 2.2.5",
    title="The rate of the link halves, and comes back",
    statement=(
        "A download of 7 MB over 100 ms, whose rate falls from 10 to 5 Mbit/s from 1.5 to 2 s, completes "
        "in less than 8.25 s."
    ),
    scenario=trial(stepped("10 Mbit/s", (1.5, "5 Mbit/s"), (2.0, "10 Mbit/s")), 100, 7),
    rule="The download ends before 8.25 s.",
    why=(
        "The limit is that of the editors' copy of November 2025; the first version has 8.15 s. \"After 2 "
        'seconds" is read as the time.'
    ),
    observe=observe,
    shown=("cwnd_packets", "goodput_bit_per_s"),
)
