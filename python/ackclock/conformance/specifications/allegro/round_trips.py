"""A long round trip is no great disadvantage."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.allegro.rates import (
    several,
)
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict

LONG = several("100 Mbit/s", 20, 120, {"start": "5 s"})
LONG["topology"] = {
    "graph": {
        "link": [
            {"from": "far", "to": "left", "rate": "1 Gbit/s", "delay": "41 ms"},
            {"from": "near", "to": "left", "rate": "1 Gbit/s", "delay": "1 ms"},
            {"from": "left", "to": "right", "rate": "100 Mbit/s", "delay": "9 ms", "buffer": "167 packets"},
        ]
    }
}
del LONG["draw"]
for flow, host in zip(LONG["flow"], ("far", "near"), strict=True):
    flow.update({"from": host, "to": "right", "start_jitter": "100 ms"})


def observe(trace: Trace) -> Iterator[Verdict]:
    """The share of the flow of the longer round trip, which comes first."""
    yield Verdict.within(
        "goodput of the longer path in rates of the link", trace.goodput_of_link(20.0, 120.0), 0.3, 0.8
    )


CASE = Case(
    number=17,
    section="the paper, 4.1 (RTT unfairness)",
    title="A long round trip is no great disadvantage",
    statement=(
        "A flow of a long round trip has a much larger part with one of a short round trip than NewReno or "
        "CUBIC leave it."
    ),
    scenario=LONG,
    rule=(
        "From 20 to 120 s the flow of 100 ms has at least 30 % of a link that it shares with one of 20 ms."
    ),
    why=(
        "Standard TCP would leave it a sixth, or less, since rates go with the inverse of the round trip. "
        "30 % are ours."
    ),
    observe=observe,
    shown=("cwnd_packets", "goodput_bit_per_s", "rtt_s"),
)
