"""Two flows with equal round trips share a drop-tail bottleneck evenly, and converge to these shares.

Additive increase keeps the difference between two windows, and a loss that hits both halves it (Chiu and
Jain, Computer Networks and ISDN Systems 17(1), 1989). So if a second flow begins long after the first, each
common loss halves the difference, and in the long run the shares are equal.

Tolerance of the halving: three packets per loss. One flow's recovery may take a round trip more than the
other's, in which it does not grow; windows are seen at the same time, not at the same point of their round
trips, so one may have taken its last step already; and a step is lost to rounding.

In the long run two flows alone on a drop-tail queue may fall into a pattern in which one always has fewer
losses (Floyd and Jacobson, "On traffic phase effects", 1992). A little Poisson traffic, 5 % of the link,
keeps them from it. In the worst case every loss hits only one flow, chosen at random. With S the
sum of both windows the difference then goes from d to 3/4 d +- S/4, so its variance is S^2 / 7 with
correlation 3/4 from loss to loss; over n losses the share of one flow has the variance 1 / (4 n), and 1 - J
of Jain's index J = 1 / (1 + 4 e^2), e the share's distance from 1/2, is a chi-square of one degree of freedom
over n. Common losses make it smaller. Tolerance: the chi-square's 99.99 % quantile, since the worst of ten
seeds counts; and the mean share of the first flow is 1/2 by symmetry, within the interval over seeds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from numpy.typing import NDArray
from scipy import stats

from ackclock import Result
from ackclock.measures import over_time
from ackclock.measures.statistics import jain_index, mean_interval
from ackclock.measures.verdict import Verdict
from ackclock.report.figures import new_figure
from verification.checks.runs import Settings, simulate_all
from verification.report import CONFIDENCE, Report

CAPACITY = 48
"""Packets without a queue: 1500 bytes at 12 Mbit/s for 48 ms, of which 1.5 ms are transmission."""

PACKETS_PER_S = 1000

PER_LOSS = 3.0
LATE_S = 30
STEP_S = 0.01


def scenario(algorithm: str, buffer: int, seed: int, duration_s: float, *, late: bool) -> Settings:
    """Two flows that begin together, or half a minute apart; the seed shifts both by up to a second."""
    second = {"name": "second", "start": f"{LATE_S if late else 0} s", "start_jitter": "1 s"}
    return {
        "name": "fairness",
        "seed": seed,
        "warm_up": "60 s",
        "duration": f"{duration_s} s",
        "topology": {
            "dumbbell": {
                "pairs": 2,
                "bottleneck": {"rate": "12 Mbit/s", "delay": "20 ms", "buffer": f"{buffer} packets"},
                "access": {"rate": "100 Mbit/s", "delay": "1.625 ms"},
            }
        },
        "tcp": {"algorithm": algorithm, "segments_per_ack": 1, "initial_ssthresh": "4 packets"},
        "flow": [{"name": "first", "start_jitter": "1 s"}, second],
        "udp": [] if late else [{"rate": "600 kbit/s", "packet": "1500 bytes", "pattern": "poisson"}],
        "trace": {"interval": f"{STEP_S * 1e3:g} ms" if late else "10 s"},
    }


@dataclass(frozen=True)
class Convergence:
    """Windows just before each loss, from when both flows are in congestion avoidance."""

    first: NDArray[np.float64]
    second: NDArray[np.float64]
    hit_both: tuple[bool, ...]
    """True if the loss hit both flows."""
    path: tuple[NDArray[np.float64], NDArray[np.float64]]
    """Both windows over the time of the first losses, for the figure."""

    @staticmethod
    def of(result: Result, buffer: int) -> Convergence:
        """Drops within two round trips are one loss."""
        two_round_trips = 2 * (CAPACITY + buffer) / PACKETS_PER_S
        drops = result.drops.filter(pl.col("time_s") > LATE_S + 1)
        losses: list[tuple[float, set[int]]] = []
        for time, flow in zip(drops["time_s"], drops["flow"], strict=True):
            if not losses or time - losses[-1][0] > two_round_trips:
                losses.append((time, set()))
            losses[-1][1].add(flow)
        at = [int(time / STEP_S) - 1 for time, _ in losses]
        series = [over_time.of_flow(result, flow)["cwnd_packets"] for flow in (0, 1)]
        # The first loss of the late flow ends its slow start.
        first, second = (windows[at][1:] for windows in series)
        hit_both = tuple(len(hit) == 2 for _, hit in losses[1:])
        shown = slice(at[1], at[9] + 1)
        return Convergence(first, second, hit_both, (series[0][shown], series[1][shown]))

    @property
    def difference(self) -> NDArray[np.float64]:
        """Between the windows."""
        return self.first - self.second

    def steps(self) -> list[tuple[float, float]]:
        """Differences before and after each loss that hit both."""
        pairs = zip(self.hit_both, self.difference, self.difference[1:], strict=False)
        return [(before, after) for common, before, after in pairs if common]


def verify(*, quick: bool) -> Report:
    """Carries out the experiment: convergence from a late start, and the shares in the long run."""
    buffers = [CAPACITY] if quick else [CAPACITY // 4, CAPACITY // 2, CAPACITY]
    seeds = range(1, 6 if quick else 11)
    algorithms = ("newreno", "sack")
    late = [(a, b, s) for a in algorithms for b in buffers for s in seeds]
    lasting = [(a, b, s) for a in algorithms for b in buffers for s in seeds]
    results = simulate_all(
        [scenario(*case, 90, late=True) for case in late]
        + [scenario(*case, 600, late=False) for case in lasting]
    )
    found = {case: Convergence.of(result, case[1]) for case, result in zip(late, results, strict=False)}
    checks = []
    for algorithm in algorithms:
        for buffer in buffers:
            ran = [
                results[len(late) + i] for i, case in enumerate(lasting) if case[:2] == (algorithm, buffer)
            ]
            steps = [
                step for case, c in found.items() if case[:2] == (algorithm, buffer) for step in c.steps()
            ]
            checks += _compare(f"{algorithm}, buffer {buffer} packets", steps, ran)
    figure, (plane, halving) = new_figure(1, 2, height=3.1)
    _draw_plane(plane, found["newreno", CAPACITY, 1])
    _draw_steps(halving, [step for convergence in found.values() for step in convergence.steps()])
    return Report("fairness", "Two flows come to equal shares", tuple(checks), figure)


def _compare(where: str, steps: Sequence[tuple[float, float]], ran: Sequence[Result]) -> list[Verdict]:
    worst = max(abs(after - before / 2) for before, after in steps)
    flows = [result.flows.filter(pl.col("kind") == "tcp") for result in ran]
    goodputs = [table["goodput_bit_per_s"].to_list() for table in flows]
    shares = mean_interval([first / (first + second) for first, second in goodputs], CONFIDENCE)
    # A loss that hits both flows is counted by both, so there are at least this many.
    losses = min(max(table["fast_retransmits"].to_list()) for table in flows)
    unfair = max(1 - jain_index(pair) for pair in goodputs)
    limit = float(stats.chi2(1).ppf(0.9999)) / losses
    halving = f"farthest from half after {len(steps)} common losses, {where} [packets]"
    return [
        Verdict.within(halving, worst, -math.inf, PER_LOSS),
        Verdict.within(f"1 - Jain's index, worst of {len(ran)} seeds, {where}", unfair, -math.inf, limit, 3),
        Verdict.agrees(f"share of the first flow, {where}", shares, 0.5),
    ]


def _draw_plane(axis: Axes, convergence: Convergence) -> None:
    top = 2 * CAPACITY
    short_of_the_legend = 0.7 * top
    axis.plot(
        [0, short_of_the_legend],
        [0, short_of_the_legend],
        color="#444444",
        linewidth=0.8,
        label="equal shares",
    )
    axis.plot([0, top], [top, 0], color="#444444", linewidth=0.8, linestyle=(0, (4, 2)), label="C + B")
    axis.plot(*convergence.path, color="#56b4e9", linewidth=0.6, label="windows over time")
    axis.plot(
        convergence.first[:9],
        convergence.second[:9],
        "o",
        color="#0072b2",
        markersize=3,
        label="before a loss",
    )
    axis.set(xlim=(0, top), ylim=(0, top), aspect="equal", title="Chiu and Jain's plane")
    axis.set(xlabel="window of the first [packets]", ylabel="of the second")
    axis.legend(loc="upper right")


def _draw_steps(axis: Axes, steps: Sequence[tuple[float, float]]) -> None:
    before, after = np.array(steps).T
    line = np.array([min(-5.0, before.min()), max(5.0, before.max())])
    axis.fill_between(line, line / 2 - PER_LOSS, line / 2 + PER_LOSS, color="#dddddd", label="tolerance")
    axis.plot(line, line / 2, color="#444444", label="halved")
    axis.plot(
        before,
        after,
        "o",
        color="#d55e00",
        markersize=2.5,
        markerfacecolor="none",
        label="simulated",
        rasterized=True,
    )
    axis.set(xlabel="difference before a common loss [packets]", ylabel="before the next one")
    axis.set_title("Differences halve")
    axis.legend(loc="upper left")
