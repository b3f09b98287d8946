"""Runs a dumbbell in this simulator, in ns-2 and in ns-3, and converts their output to one form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import polars as pl
from numpy.typing import NDArray

import ackclock
from ackclock.measures import over_time
from verification.comparisons.high_speed.dumbbell import HEADER_BYTES, STEP_S, WIRE_BYTES, Algorithm, Dumbbell
from verification.peers.harness import NS2, NS3, cached_output, today

Floats = NDArray[np.float64]

EXPERIMENT = "two_flows"
"""The script and the program of the other simulators."""


@dataclass(frozen=True)
class Trace:
    """A run, sample by sample. Windows and thresholds have a column for each flow, all in packets."""

    time: Floats
    cwnd: Floats
    ssthresh: Floats
    delivered: Floats
    """So far."""
    queue: Floats
    drops: Floats
    """So far."""
    date: str
    """When it was run."""


Run = Callable[[Dumbbell], Trace]


def runs(algorithm: Algorithm) -> dict[str, Run]:
    """Every way in which an algorithm is run, by the name that it has in tables."""
    paper, *others = algorithm.ours
    return {
        f"acknak+{paper}": lambda dumbbell: ours("acknak", dumbbell, paper),
        paper: lambda dumbbell: ours("rack", dumbbell, paper),
        **{other: partial(ours, "rack", avoidance=other) for other in others},
        NS2: lambda dumbbell: ns2(dumbbell, algorithm),
        NS3: lambda dumbbell: ns3(dumbbell, algorithm),
    }


def ours(transport: str, dumbbell: Dumbbell, avoidance: str) -> Trace:
    """One run here. The abstract transport has no headers: its packets are all payload."""
    header = 0 if transport == "acknak" else HEADER_BYTES
    result = ackclock.run(
        {
            "name": "high-speed-agents",
            "duration": f"{dumbbell.end_s:g} s",
            "warm_up": f"{dumbbell.second_s:g} s",
            "topology": {
                "dumbbell": {
                    "pairs": 2,
                    "bottleneck": {
                        "rate": f"{dumbbell.rate_bit_per_s} bit/s",
                        "delay": f"{dumbbell.delay_s * 1e3:g} ms",
                        "buffer": f"{dumbbell.limit} packets",
                    },
                    "access": {"rate": f"{dumbbell.access_bit_per_s} bit/s", "delay": "0 ms"},
                }
            },
            "tcp": {
                "algorithm": f"{transport}+standard+{avoidance}",
                "mss": f"{WIRE_BYTES - header} bytes",
                "header": f"{HEADER_BYTES} bytes",
                "initial_window": "2 packets",
                "segments_per_ack": 1,
                "reordering_timer_slack": "0 ms",
                "rearm_at_fast_retransmit": False,
            },
            "trace": {"interval": f"{STEP_S * 1e3:g} ms"},
            "flow": [{"name": "first"}, {"name": "second", "start": f"{dumbbell.second_s:g} s"}],
        }
    )
    flows = [over_time.of_flow(result, flow) for flow in (0, 1)]
    link = result.links.row(by_predicate=pl.col("name") == "left->right", named=True)["link"]
    bottleneck = result.link_series.filter(pl.col("link") == link)

    def both(column: str) -> Floats:
        return np.column_stack([rows[column] for rows in flows])

    return Trace(
        time=flows[0]["time_s"],
        cwnd=both("cwnd_packets"),
        ssthresh=both("ssthresh_packets"),
        delivered=np.cumsum(both("goodput_bit_per_s"), axis=0) * STEP_S / (8 * (WIRE_BYTES - header)),
        queue=bottleneck["queue_packets"].to_numpy().astype(np.float64),
        drops=np.cumsum(bottleneck["drops"].to_numpy().astype(np.float64)),
        date=today(),
    )


def ns2(dumbbell: Dumbbell, algorithm: Algorithm) -> Trace:
    """One run in ns-2, with its algorithm from Linux."""
    return samples(cached_output(NS2, EXPERIMENT, algorithm.ns2, *numbers(dumbbell)))


def ns3(dumbbell: Dumbbell, algorithm: Algorithm) -> Trace:
    """One run in ns-3."""
    return samples(cached_output(NS3, EXPERIMENT, f"ns3::{algorithm.ns3}", *numbers(dumbbell)))


def numbers(dumbbell: Dumbbell) -> list[str]:
    """A dumbbell as the arguments of the experiment in the other simulators."""
    values = (
        dumbbell.rate_bit_per_s,
        dumbbell.delay_s,
        dumbbell.access_bit_per_s,
        dumbbell.limit,
        dumbbell.second_s,
        dumbbell.end_s,
        STEP_S,
    )
    return [f"{value:.12g}" for value in values]


def samples(text: str) -> Trace:
    """The date, and the lines that begin with `sample`; the experiment's sources describe their fields."""
    rows = np.array(
        [line.split()[1:] for line in text.splitlines() if line.startswith("sample ")], dtype=float
    )
    return Trace(
        time=rows[:, 0],
        cwnd=rows[:, (1, 4)],
        ssthresh=rows[:, (2, 5)],
        delivered=rows[:, (3, 6)],
        queue=rows[:, 7],
        drops=rows[:, 8],
        date=text.split("\n", 1)[0].removeprefix("date "),
    )
