"""Without a queue the window triples in a round trip."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.rapid_start.phases import TRIPLING, empty
from ackclock.conformance.specifications.windows import window_at
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The window after each of four round trips of acknowledgments."""
    for number, expected in enumerate((30, 90, 270, 810), 1):
        window = window_at(trace, (number + 1.97) * trace.path_rtt_s)
        share = window / expected
        yield Verdict.within(f"window after round trip {number}, of {expected} packets", share, 0.9, 1.01)


CASE = Case(
    number=1,
    section="draft-kazuho-ccwg-rapid-start-02, 3.2",
    title="Without a queue the window triples in a round trip",
    statement=(
        "While the smallest round trip of the latest is within 4 ms and 10 % of the connection's, each "
        "packet acknowledged adds two."
    ),
    scenario=empty(),
    rule=(
        "After one to four round trips of acknowledgments the window is 0.9 to 1.01 of 10 times 3, 9, 27 "
        "and 81."
    ),
    why=(
        "Paced packets are acknowledged over the whole round trip, whose last thirtieth has not come. A "
        "round trip of data begins when the handshake is over."
    ),
    observe=observe,
    shown=("cwnd_packets", TRIPLING, "rtt_s"),
)
