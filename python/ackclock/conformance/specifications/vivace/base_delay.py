"""In equilibrium there is no queue."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.allegro.rates import path
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The queue and the goodput."""
    product = trace.rate_packets_per_s(15.0) * trace.path_rtt_s
    queue = float(trace.link("queue_packets")[trace.time_s > 15].mean())
    yield Verdict.within("mean queue in bandwidth-delay products", queue / product, 0.0, 0.05)
    yield Verdict.within("goodput in rates of the link", trace.goodput_of_link(15.0, 40.0), 0.9, 1.02)


CASE = Case(
    number=6,
    section="the paper, 3.1, theorem 2",
    title="In equilibrium the delay is that of the empty path",
    statement=(
        "With the weight 900 of the delay's gradient, the round trip in equilibrium is that of the path, "
        "whatever the buffer is, and the link is in use."
    ),
    scenario=path("20 Mbit/s", 48, 40, buffer="1000 packets"),
    rule=(
        "From 15 to 40 s the mean queue is at most 5 % of a bandwidth-delay product, and the goodput at "
        "least 90 % of the link."
    ),
    why=(
        "The theorem is of an equilibrium; trials move 5 % about it for a round trip each, which is a "
        "queue of 2.5 % in the mean."
    ),
    observe=observe,
    shown=("cwnd_packets", "goodput_bit_per_s", "rtt_s"),
)
