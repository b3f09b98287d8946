"""Among many flows of CUBIC it keeps a part."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.allegro.rates import several
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The share among ten flows."""
    yield Verdict.within("goodput in tenths of the link", 10 * trace.goodput_of_link(30.0, 90.0), 0.5, 6.0)


CASE = Case(
    number=18,
    section="the paper, 4.4 and 5",
    title="Among many flows of CUBIC it keeps a part",
    statement=(
        "Where many flows keep the buffer full, the delay hardly changes by the sender's own rate, so that "
        "it competes by losses and keeps a part."
    ),
    scenario=several(
        "100 Mbit/s", 30, 90, *[{"algorithm": "rack+cubic", "start_jitter": "1 s"} for _ in range(9)]
    ),
    rule=(
        "From 30 to 90 s the flow has at least half of a tenth of a link that it shares with nine flows of "
        "CUBIC."
    ),
    why="A tenth is an equal part. The half is ours.",
    observe=observe,
    shown=("cwnd_packets", "goodput_bit_per_s", "rtt_s"),
)
