"""One link under Poisson arrivals of equal packets: an M/D/1 queue, and M/D/1/K where the buffer is finite.

Waiting in M/D/1 follows Pollaczek and Khinchine (Kleinrock, Queueing Systems I, 1975, 5.6): a load of r
makes a packet wait r / (2 (1 - r)) transmissions on average.

Loss in M/D/1/K is computed exactly from the Markov chain embedded at departures (Gross and Harris,
Fundamentals of Queueing Theory, 5.1.7). A buffer counts the packets that wait, not the one being
transmitted, so K = buffer + 1. A simulator that counted differently would be off by a packet, which at small
buffers is far outside the tolerance: at a buffer of one packet and load 1, K = 1 loses 50 %,
K = 2 27 %, K = 3 18 %.

Tolerance: the 99.9 % Student interval of the mean over independent seeds. Nothing else is open: both
theories are exact, the clock's nanosecond is a millionth of a transmission, and the warm-up of 5000
transmissions is many relaxation times 2 / (1 - r)^2 (Whitt, Management Science 35, 1989: 200 transmissions
at load 0.9). So that a wide interval cannot hide an error, its half-width must stay below a tenth of the
expected wait, and below a tenth of the expected loss wherever that is a per cent or more.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray
from scipy import stats

from ackclock.measures.statistics import Interval, mean_interval
from ackclock.measures.verdict import Verdict
from ackclock.report.figures import new_figure
from verification.checks.runs import Settings, row, simulate_all
from verification.report import CONFIDENCE, Report

SERVICE_S = 1e-3
"""1000 bytes at 8 Mbit/s."""

WIDEST = 0.1

FEWEST_DROPS = 100
"""The least expected number of losses over all seeds for a Student interval; rarer losses are not
compared."""


def scenario(load: float, buffer: int | None, transmissions: int, seed: int) -> Settings:
    """A Poisson source on one link; without a buffer size all packets may wait."""
    limit = "unlimited" if buffer is None else f"{buffer} packets"
    warm_up_s = 5000 * SERVICE_S
    return {
        "name": "queue",
        "seed": seed,
        "warm_up": f"{warm_up_s:g} s",
        "duration": f"{warm_up_s + transmissions * SERVICE_S:g} s",
        "topology": {
            "graph": {
                "link": [{"from": "a", "to": "b", "rate": "8 Mbit/s", "delay": "1 ms", "buffer": limit}]
            }
        },
        "udp": [
            {
                "from": "a",
                "to": "b",
                "rate": f"{8e6 * load:.0f} bit/s",
                "packet": "1000 bytes",
                "pattern": "poisson",
            }
        ],
    }


def pollaczek_khinchine(load: float) -> float:
    """Mean waiting time in M/D/1, in transmissions."""
    return load / (2 * (1 - load))


def finite_queue(load: float, capacity: int) -> tuple[float, float]:
    """Loss probability and mean number waiting in M/D/1/K, where K counts the one being transmitted too.

    The chain's state is the number of packets that a departing packet leaves behind, 0 to K - 1; in one
    transmission Poisson(r) packets come. With pi its stationary distribution, a share pi_j / (pi_0 + r) of
    the time sees j < K.
    """
    arrivals = stats.poisson(load).pmf(np.arange(capacity))
    chain = np.zeros((capacity, capacity))
    for left in range(capacity):
        first = max(left - 1, 0)  # after an idle period the next packet's own transmission counts
        room = capacity - 1 - first
        chain[left, first : capacity - 1] = arrivals[:room]
        chain[left, capacity - 1] = 1 - arrivals[:room].sum()
    equations = np.vstack([chain.T - np.eye(capacity), np.ones(capacity)])
    stationary: NDArray[np.float64] = np.linalg.lstsq(equations, np.append(np.zeros(capacity), 1.0))[0]
    throughput = float(stationary[0]) + load
    loss = 1 - 1 / throughput
    in_system = float((stationary / throughput) @ np.arange(capacity)) + loss * capacity
    return loss, in_system - load * (1 - loss)


def verify(*, quick: bool) -> Report:
    """Carries out the experiment: waiting at several loads, loss at several buffers and loads."""
    seeds = range(1, 9 if quick else 21)
    transmissions = 150_000 if quick else 400_000
    loads = [0.2, 0.5, 0.8] if quick else [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
    buffers = [0, 1, 4] if quick else [0, 1, 2, 4, 8, 16]
    heavy = [0.7, 1.0] if quick else [0.5, 0.7, 0.9, 1.0, 1.2, 1.5]
    cells: list[tuple[float, int | None]] = [(load, None) for load in loads]
    cells += [(load, buffer) for buffer in buffers for load in heavy]
    results = iter(simulate_all([scenario(*cell, transmissions, seed) for cell in cells for seed in seeds]))
    links = {cell: [row(next(results).links, "a->b") for _ in seeds] for cell in cells}

    figure, (waiting, loss) = new_figure(1, 2, height=3.0)
    checks = [*_waiting(waiting, links, loads), *_loss(loss, links, buffers, heavy, transmissions)]
    return Report("queueing", "M/D/1 waiting and M/D/1/K loss", tuple(checks), figure)


Links = dict[tuple[float, int | None], list[dict[str, float]]]


def _interval(values: Sequence[float]) -> Interval:
    return mean_interval(values, CONFIDENCE)


def _narrow(what: str, intervals: Sequence[Interval], expected: Sequence[float]) -> Verdict:
    widest = max(i.half_width / e for i, e in zip(intervals, expected, strict=True))
    return Verdict.within(f"{what}: widest interval, relative", widest, -math.inf, WIDEST, 2)


def _waiting(axis: Axes, links: Links, loads: Sequence[float]) -> list[Verdict]:
    found = [
        _interval([link["mean_queueing_delay_s"] / SERVICE_S for link in links[load, None]]) for load in loads
    ]
    theory = [pollaczek_khinchine(load) for load in loads]
    line = np.linspace(0, 0.93, 200)
    axis.plot(line, line / (2 * (1 - line)), color="#0072b2", label="Pollaczek–Khinchine")
    axis.errorbar(
        loads, [i.estimate for i in found], [i.half_width for i in found],
        fmt="o", color="#d55e00", capsize=2, label="simulated, 99.9 %",
    )  # fmt: skip
    axis.set(xlabel="load", ylabel="mean wait [transmissions]", title="M/D/1", xlim=(0, 1), ylim=(0, 7))
    axis.legend(loc="upper left")
    checks = [
        Verdict.agrees(f"M/D/1 wait at load {load:g} [transmissions]", interval, expected)
        for load, interval, expected in zip(loads, found, theory, strict=True)
    ]
    return [*checks, _narrow("M/D/1 wait", found, theory)]


def _loss(
    axis: Axes, links: Links, buffers: Sequence[int], loads: Sequence[float], transmissions: int
) -> list[Verdict]:
    checks, intervals, expectations = [], [], []
    line = np.linspace(min(loads) - 0.1, max(loads) + 0.1, 100)
    for index, buffer in enumerate(buffers):
        colour = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#7a7a7a"][index]
        axis.plot(line, [finite_queue(load, buffer + 1)[0] for load in line], color=colour)
        for load in loads:
            cell = links[load, buffer]
            share = _interval([link["dropped_queue"] / link["packets_offered"] for link in cell])
            queue = _interval([link["mean_queue_packets"] for link in cell])
            loss, waiting = finite_queue(load, buffer + 1)
            where = f"buffer {buffer}, load {load:g}"
            if loss * load * transmissions * len(cell) >= FEWEST_DROPS:
                checks.append(Verdict.agrees(f"M/D/1/K loss, {where}", share, loss))
            if buffer:
                checks.append(Verdict.agrees(f"M/D/1/K queue, {where} [packets]", queue, waiting))
            if loss >= 0.01:
                intervals.append(share)
                expectations.append(loss)
            axis.errorbar(
                load, share.estimate, share.half_width, fmt="o", color=colour, markersize=3.5, capsize=2
            )
        axis.plot([], [], "o-", color=colour, label=f"{buffer}")
    axis.set(xlabel="load", ylabel="loss probability", title="M/D/1/K", yscale="log", ylim=(1e-6, 1))
    axis.legend(title="buffer [packets]", title_fontsize=8, loc="lower right", ncols=2)
    return [*checks, _narrow("M/D/1/K loss", intervals, expectations)]
