"""The growth in a round trip at 200 ms."""

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.ledbat_plus_plus.slowdowns import empty, gains

CASE = Case(
    number=9,
    section="the draft, reduced gain",
    title="At 200 ms a round trip adds one packet",
    statement=(
        "On a path of 200 ms two targets hold a part of a round trip, rounded up to one: the window grows as "
        "standard TCP's does, and no faster."
    ),
    scenario=empty(200, 9),
    rule=(
        "Over fifteen round trips after the first slowdown the window grows by 0.92 to 1.06 packets in each."
    ),
    why="The largest gain is one; windows change within a round trip.",
    observe=gains(0.92, 1.06),
    shown=("cwnd_packets", "rtt_s"),
)
