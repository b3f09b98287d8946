"""The marks of a round trip at eight times the rate."""

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.prague.l4s import l4s, marks_per_round_trip

CASE = Case(
    number=4,
    section="RFC 9331, 4.3",
    title="Two packets are marked in a round trip at eight times the rate",
    statement=(
        "The time between marks does not grow with the rate: at eight times the rate it is half a round trip "
        "at most too."
    ),
    scenario=l4s("80 Mbit/s", 30, 24),
    rule="In the second half of the run at least two packets are marked in a round trip, in the mean.",
    why=(
        "The window has some 220 packets, at which standard congestion control has a mark in a hundred round "
        "trips."
    ),
    observe=marks_per_round_trip,
    shown=("cwnd_packets", "rtt_s"),
)
