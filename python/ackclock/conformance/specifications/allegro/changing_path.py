"""A path that changes each five seconds is followed."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.allegro.rates import (
    path,
)
from ackclock.conformance.specifications.paths import stepped
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict

MBIT_PER_S = (50, 20, 90, 35, 70, 12, 100, 60, 25, 80, 15, 95, 40, 65, 30, 85, 10, 75, 45, 55)
RTT_MS = (30, 90, 50, 20, 70, 100, 40, 15, 80, 60, 25, 95, 35, 75, 12, 55, 85, 45, 65, 18)
LOST = (
    0.0,
    0.01,
    0.005,
    0.002,
    0.008,
    0.0,
    0.006,
    0.003,
    0.009,
    0.001,
    0.004,
    0.01,
    0.0,
    0.007,
    0.002,
    0.005,
    0.008,
    0.001,
    0.006,
    0.003,
)

CHANGING = path(
    stepped("50 Mbit/s", *[(5.0 * n, f"{rate} Mbit/s") for n, rate in enumerate(MBIT_PER_S) if n]),
    30,
    100,
    buffer="400 packets",
    sample="5 ms",
    delay=stepped("13 ms", *[(5.0 * n, f"{rtt / 2 - 2:g} ms") for n, rtt in enumerate(RTT_MS) if n]),
    loss={"schedule": stepped(0.0, *[(5.0 * n, share) for n, share in enumerate(LOST) if n])},
    flow={"start_jitter": "100 ms"},
)


def observe(trace: Trace) -> Iterator[Verdict]:
    """The goodput in mean rates of the link."""
    mean = float(np.mean(MBIT_PER_S[1:])) * 1e6 / trace.packet_bits
    goodput = trace.goodput_packets_per_s(5.0, 100.0) / mean
    yield Verdict.within("goodput in mean rates of the link", goodput, 0.75, 1.0)


CASE = Case(
    number=16,
    section="the paper, 4.1 (rapidly changing networks)",
    title="A path that changes each five seconds is followed",
    statement=(
        "Where the rate changes each five seconds between 10 and 100 Mbit/s, the delay between 10 and 100 "
        "ms and the loss between none and 1 %, the sender has 83 % of the best possible."
    ),
    scenario=CHANGING,
    rule="From 5 to 100 s the goodput is at least 75 % of the mean rate of the link.",
    why=(
        "The paper's 500 s have other draws. Twenty values of each are written down here, spread evenly "
        "and in no order."
    ),
    observe=observe,
    shown=("cwnd_packets", "goodput_bit_per_s", "rtt_s"),
)
