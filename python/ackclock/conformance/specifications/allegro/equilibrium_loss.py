"""In equilibrium less than one packet in twenty is lost."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.allegro.rates import (
    several,
)
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The losses and the use of the link."""
    losses = trace.losses()
    lost_packets = int(((losses > 20.0) & (losses < 60.0)).sum())
    share = lost_packets / (lost_packets + 40.0 * trace.rate_packets_per_s(20.0))
    yield Verdict.within("share of the packets lost", share, 0.0, 0.05)
    busy = float((trace.link("queue_packets")[trace.time_s > 20.0] > 0).mean())
    yield Verdict.within("share of the time in which packets wait", busy, 0.97, 1.0)


CASE = Case(
    number=11,
    section="the paper, 2.2, theorem 1",
    title="In equilibrium at most one packet in twenty is lost",
    statement=(
        "The rates of n senders in equilibrium sum up to more than the link's rate and less than twenty "
        "nineteenths of it."
    ),
    scenario=several("100 Mbit/s", 30, 60, *[{"start": f"{number} s"} for number in (1, 2, 3)]),
    rule=(
        "From 20 to 60 s at most 5 % of the packets of four senders are lost, and the link is full for 97 "
        "% of the time."
    ),
    why="A nineteenth more than the link's rate loses a twentieth. The link is full while packets wait.",
    observe=observe,
    shown=("cwnd_packets", "goodput_bit_per_s", "rtt_s"),
)
