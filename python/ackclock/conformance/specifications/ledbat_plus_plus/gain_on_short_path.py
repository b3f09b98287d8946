"""The growth in a round trip at 6 ms."""

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.ledbat_plus_plus.slowdowns import empty, gains

CASE = Case(
    number=10,
    section="the draft, reduced gain",
    title="At 6 ms a round trip adds a sixteenth of a packet",
    statement=(
        "On a path of 6 ms two targets hold twenty round trips; the gain is a sixteenth all the same, its "
        "least value."
    ),
    scenario=empty(6, 3),
    rule=(
        "Over fifteen round trips after the first slowdown the window grows by 0.058 to 0.067 packets in "
        "each."
    ),
    why="A twentieth would be 0.05.",
    observe=gains(0.058, 0.067),
    shown=("cwnd_packets", "rtt_s"),
)
