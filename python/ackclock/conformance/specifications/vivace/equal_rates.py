"""Four flows share alike, without a queue."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.allegro.rates import several
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The share of the first flow, and the queue."""
    yield Verdict.within(
        "goodput of the first of four flows in rates of the link",
        trace.goodput_of_link(40.0, 120.0),
        0.15,
        0.35,
    )
    product = trace.rate_packets_per_s(40.0) * trace.path_rtt_s
    queue = float(trace.link("queue_packets")[trace.time_s > 40].mean())
    yield Verdict.within("mean queue in bandwidth-delay products", queue / product, 0.0, 0.1)


CASE = Case(
    number=8,
    section="the paper, 3.1, theorems 1 and 2",
    title="Four flows share alike, without a queue",
    statement=(
        "Senders that share a bottleneck converge to equal rates, and the delay is that of the empty path."
    ),
    scenario=several("100 Mbit/s", 30, 120, *[{} for _ in range(3)]),
    rule=(
        "From 40 to 120 s the first of four flows has 15 to 35 % of the link, and the mean queue is at "
        "most a tenth of a bandwidth-delay product."
    ),
    why="The path is that of the paper's figure. Four flows that try 5 % more at once queue as much.",
    observe=observe,
    shown=("cwnd_packets", "goodput_bit_per_s", "rtt_s"),
)
