"""Suspensions of Wi-Fi."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.c4.trials import completes, trial
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The end of the download."""
    yield completes(trace, 5.4)


CASE = Case(
    number=32,
    section="draft-huitema-ccwg-c4-test, 2.3.3",
    title="The link stops for a tenth of the time",
    statement=(
        "A download of 10 MB over 20 Mbit/s and 10 ms, of which the last 200 ms of every 2 s transmit "
        "nothing, completes in less than 5.4 s."
    ),
    scenario=trial(
        {"steps": [["0 s", "20 Mbit/s"], ["1.8 s", "0 Mbit/s"]], "every": "2 s"}, 10, 10, buffer="200 packets"
    ),
    rule="The download ends before 5.4 s.",
    why="The draft states no buffer. One of a bandwidth-delay product would hold 17 packets.",
    observe=observe,
    shown=("cwnd_packets", "goodput_bit_per_s"),
)
