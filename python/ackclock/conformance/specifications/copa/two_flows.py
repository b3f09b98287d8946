"""Two flows have equal parts and a short queue."""

from collections.abc import Iterator
from copy import deepcopy

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.copa.alone import ALONE, OSCILLATION_PACKETS
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The share of the first flow, and the queue."""
    rate = trace.goodput_of_link(20.0, 40.0)
    yield Verdict.within("goodput of the first of two flows in rates of the link", rate, 0.35, 0.65)
    queue = float(trace.link("queue_packets")[trace.time_s > 20].mean())
    yield Verdict.within("mean queue in packets", queue, 0.5, 3 * OSCILLATION_PACKETS)


SCENARIO = deepcopy(ALONE)
SCENARIO["duration"] = "40 s"
SCENARIO["topology"]["dumbbell"]["pairs"] = 2
SCENARIO["flow"].append({"name": "later", "start": "5 s"})
SCENARIO["trace"]["interval"] = "5 ms"

CASE = Case(
    number=6,
    section="the paper, 3.1 and 3.2",
    title="Two flows have equal parts and a short queue",
    statement=(
        "Flows with the same delta converge to equal rates, with a queue of 1 / delta packets for each."
    ),
    scenario=SCENARIO,
    rule=(
        "From 20 s to 40 s the first of two flows has 35 to 65 % of the link, and the mean queue is at most "
        "15 packets."
    ),
    why=(
        "Two flows keep a mean of some 4 packets each; flows that move together make larger cycles now and "
        "then."
    ),
    observe=observe,
    shown=("cwnd_packets", "goodput_bit_per_s", "rtt_s"),
)
