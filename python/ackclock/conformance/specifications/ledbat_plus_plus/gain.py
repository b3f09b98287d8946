"""The growth in a round trip at 40 ms."""

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.ledbat_plus_plus.slowdowns import empty, gains

CASE = Case(
    number=8,
    section="the draft, reduced gain",
    title="At 40 ms a round trip adds a third of a packet",
    statement=(
        "Up to the target a round trip adds the gain, which is one over the round trips of 40 ms in two "
        "targets, rounded up: a third of a packet."
    ),
    scenario=empty(40, 10),
    rule="Over fifteen round trips after the first slowdown the window grows by 0.3 to 0.36 packets in each.",
    why="Three round trips of 36 to 44 ms hold two targets of 60 ms.",
    observe=gains(0.3, 0.36),
    shown=("cwnd_packets", "rtt_s"),
)
