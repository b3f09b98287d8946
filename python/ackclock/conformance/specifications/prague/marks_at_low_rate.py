"""The marks of a round trip at 10 Mbit/s."""

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.prague.l4s import l4s, marks_per_round_trip

CASE = Case(
    number=3,
    section="RFC 9331, 4.3",
    title="Two packets are marked in a round trip at 10 Mbit/s",
    statement=(
        "In a steady state the mean time from one mark to the next is half a round trip or less, here at 10 "
        "Mbit/s."
    ),
    scenario=l4s("10 Mbit/s", 30, 10),
    rule="In the second half of the run at least two packets are marked in a round trip, in the mean.",
    why=(
        "The window has some 30 packets. A queue that marks within a packet's width gives more than the two "
        "of theory."
    ),
    observe=marks_per_round_trip,
    shown=("cwnd_packets", "rtt_s"),
)
