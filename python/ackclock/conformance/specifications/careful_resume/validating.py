"""Without congestion slow start goes on from the jump."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.careful_resume.memory import JUMP, PHASE, RIGHT
from ackclock.conformance.specifications.windows import window_at
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The window after the third and the fourth round trip of data."""
    for number in (1, 2):
        window = window_at(trace, (2.95 + number) * trace.path_rtt_s) / JUMP
        low, high = 0.9 * 2**number, 1.03 * 2**number
        yield Verdict.within(f"window {number} round trips after the jump, in jumps", window, low, high)


CASE = Case(
    number=4,
    section="RFC 9959, 3.4 and 3.7",
    title="Without congestion slow start goes on from the jump",
    statement=(
        "The packets of the jump are validated by their acknowledgments, each of which adds a packet as in "
        "slow start."
    ),
    scenario=RIGHT,
    rule=("One and two round trips after the jump the window is 0.9 to 1.03 of two and four jumps."),
    why=(
        "A twentieth of the paced packets is not acknowledged yet. The window may have been all used, and "
        "is not reset."
    ),
    observe=observe,
    shown=("cwnd_packets", "in_flight_packets", PHASE),
)
