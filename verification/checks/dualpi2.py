"""DualPI2: the promises of RFC 9332 to L4S and to classic flows that share a link.

*Delays.* With flows of Prague and of CUBIC or Reno on a steady link, 99 % of the L4S packets wait less than a
millisecond, the aim of L4S (RFC 9330, section 1), and classic packets wait 15 ms on average, within a
fifth: the target of the controller (RFC 9332, appendix A.1). Each packet's wait is measured, from its
arrivals at the nodes before and behind the queue.

*The coupling.* The part of classic packets dropped is the square of half the part of L4S packets marked
(RFC 9332, section 2.1: p_C = (p_CL / k)^2). With many flows L4S packets seldom wait for long enough to be
marked by the ramp as well. Both parts are means over time, and a mean of squares is larger than the
square of a mean: within a tenth, for 10 flows of each kind.

*Shares.* A Reno-friendly flow has a window of 1.22 / sqrt(p_C) packets (Mathis et al. 1997), a flow of Prague
one of 2 / p_CL (DCTCP's law under random marks). With p_CL = 2 sqrt(p_C) their ratio is 0.82, and the rates'
ratio that times the ratio of round-trip times, which differ by the waiting times: the coupling aims at
roughly equal rates (RFC 9332, section 2.1 and appendix C). Tolerance: a factor of 1.5 in either direction
with 5 flows or more of each, since the laws assume a constant probability, and 2.5 with one flow, whose
sawtooth moves it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from numpy.typing import NDArray

from ackclock import Result
from ackclock.measures.verdict import Verdict
from ackclock.report.figures import new_figure
from verification.checks.runs import Settings, row, simulate_all
from verification.report import Report

RATE_BIT_PER_S = {1: 40e6, 5: 100e6, 10: 100e6}
DELAY_S = 20e-3
"""The delay of the bottleneck; the round trip is slightly more than twice that."""
ACCESS_S = 0.1e-3
PACKET_BITS = 12_000
WARM_UP_S = 10
CLASSIC = ("rack+cubic", "rack+reno")
PRAGUE = "prague(transition=inf)"
"""Prague without its independence of round-trip times below 25 ms, which the law lacks."""
CONGESTED = 3
"""The bits of CE."""
COLOURS = {"L4S": "#0072b2", "Classic": "#d55e00"}


@dataclass(frozen=True)
class Waits:
    """Waiting times of packets in seconds."""

    l4s: NDArray[np.float64]
    classic: NDArray[np.float64]


def home(classic: str, count: int, *, seconds: float) -> Settings:
    """Some flows of Prague and as many classic ones over one queue."""
    pairs = 2 * count
    bottleneck = {
        "rate": f"{RATE_BIT_PER_S[count]:.0f} bit/s",
        "delay": f"{DELAY_S * 1e3:g} ms",
        "buffer": "2000 packets",
        "queue": "dualpi2",
        "reverse": {"queue": "droptail"},
    }
    access = {"rate": "1 Gbit/s", "delay": f"{ACCESS_S * 1e3:g} ms"}
    return {
        "name": "dualpi2",
        "warm_up": f"{WARM_UP_S} s",
        "duration": f"{WARM_UP_S + seconds:g} s",
        "topology": {"dumbbell": {"pairs": pairs, "bottleneck": bottleneck, "access": access}},
        "flow": [
            {"count": count, "name": name, "algorithm": algorithm, "start_jitter": "100 ms"}
            for name, algorithm in (("l4s", PRAGUE), ("classic", classic))
        ],
        "trace": {"packets": ["left->right", *(f"src{pair + 1}->left" for pair in range(pairs))]},
    }


def waits(result: Result, count: int) -> Waits:
    """The waiting times of the packets of both kinds after the warm-up."""
    link = row(result.links, "left->right")["link"]
    full = pl.col("wire_bytes") * 8 == PACKET_BITS
    seen = result.packets.filter((pl.col("kind") == "data") & full & (pl.col("time_s") > WARM_UP_S))
    # A retransmission repeats the sequence number of a packet.
    before = seen.filter(pl.col("link") != link).unique(["flow", "sequence"], keep="none")
    behind = seen.filter(pl.col("link") == link).unique(["flow", "sequence"], keep="none")
    both = before.join(behind, on=["flow", "sequence"], suffix="_behind")
    base_s = DELAY_S + PACKET_BITS / RATE_BIT_PER_S[count]
    both = both.with_columns(wait_s=pl.col("time_s_behind") - pl.col("time_s") - base_s)
    of = pl.col("flow") < count
    return Waits(both.filter(of)["wait_s"].to_numpy(), both.filter(~of)["wait_s"].to_numpy())


def coupling(result: Result, count: int) -> tuple[float, float]:
    """The parts of L4S packets marked and of classic packets, which alone are dropped, after the warm-up."""
    link = row(result.links, "left->right")
    seen = result.packets.filter((pl.col("link") == link["link"]) & (pl.col("time_s") > WARM_UP_S))
    data = seen.filter(pl.col("kind") == "data")
    l4s = data.filter(pl.col("flow") < count)
    dropped = link["dropped_queue"]
    classic = data.height - l4s.height + dropped
    return float(np.mean(l4s["ecn"].to_numpy() == CONGESTED)), dropped / classic


def expected_ratio(found: Waits) -> float:
    """The rate of L4S flows over that of classic ones by the laws of their windows."""
    base_s = 2 * (DELAY_S + 2 * ACCESS_S)
    return (2 / 2) / 1.22 * (base_s + float(found.classic.mean())) / (base_s + float(found.l4s.mean()))


def verify(*, quick: bool) -> Report:
    """Runs flows of both kinds, and shows the distribution of waits and the shares."""
    counts = (1, 5) if quick else (1, 5, 10)
    seconds = 15 if quick else 60
    figure, (left, right) = new_figure(1, 2, height=3.2)
    cells = [(classic, count) for classic in CLASSIC for count in counts]
    results = simulate_all([home(classic, count, seconds=seconds) for classic, count in cells])
    checks = []
    for (classic, count), result in zip(cells, results, strict=True):
        found = waits(result, count)
        what = f"{count} of Prague, {count} of {classic.removeprefix('rack+')}"
        high_ms = float(np.quantile(found.l4s, 0.99)) * 1e3
        checks.append(Verdict.within(f"99th percentile of L4S waits, {what} [ms]", high_ms, 0.0, 1.0))
        if count > 1:
            mean_ms = float(found.classic.mean()) * 1e3
            checks.append(Verdict.near(f"mean Classic wait, {what} [ms]", mean_ms, 15.0, 3.0))
        goodput = result.flows["goodput_bit_per_s"].to_numpy()
        ratio, expected = goodput[:count].sum() / goodput[count:].sum(), expected_ratio(found)
        most = 1.5 if count > 1 else 2.5
        checks.append(
            Verdict.within(f"rate of L4S over Classic, {what}", ratio, expected / most, expected * most)
        )
        if count == 10:
            marked, dropped = coupling(result, count)
            part = (marked / 2) ** 2
            checks.append(Verdict.near(f"Classic drops for L4S marks, {what}", dropped, part, part / 10))
        if classic == CLASSIC[0] and count == counts[-1]:
            _draw_waits(left, found, what)
    _draw_shares(right, cells, results)
    return Report("dualpi2", "DualPI2", tuple(checks), figure)


def _draw_waits(axis: Axes, found: Waits, what: str) -> None:
    for name, values in (("L4S", found.l4s), ("Classic", found.classic)):
        ordered = np.sort(np.maximum(values, 1e-6)) * 1e3
        points = np.linspace(0, len(ordered) - 1, 400).astype(int)
        axis.plot(ordered[points], 1 - points / len(ordered), color=COLOURS[name], label=name)
    axis.axvline(1.0, color="#999999", linewidth=0.6)
    axis.axvline(15.0, color="#999999", linewidth=0.6)
    axis.set(
        xscale="log", yscale="log", xlim=(1e-2, 1e2), ylim=(1e-4, 1), title=what,
        xlabel="wait [ms]", ylabel="part of packets that wait longer",
    )  # fmt: skip
    axis.legend(loc="lower left")


def _draw_shares(axis: Axes, cells: list[tuple[str, int]], results: list[Result]) -> None:
    for place, ((_, count), result) in enumerate(zip(cells, results, strict=True)):
        goodput = result.flows["goodput_bit_per_s"].to_numpy() / result.links["rate_bit_per_s"].min()
        for name, flows in (("L4S", goodput[:count]), ("Classic", goodput[count:])):
            shift = -0.12 if name == "L4S" else 0.12
            axis.plot(
                np.full(count, place + shift), 2 * count * flows, "o",
                color=COLOURS[name], markersize=3, label=name if place == 0 else None,
            )  # fmt: skip
    axis.axhline(1.0, color="#999999", linewidth=0.6)
    labels = [f"{count}\n{classic.removeprefix('rack+')}" for classic, count in cells]
    axis.set_xticks(range(len(cells)), labels)
    axis.set(ylabel="rate over equal share", title="Flows of each kind", ylim=(0, None))
    axis.legend()
