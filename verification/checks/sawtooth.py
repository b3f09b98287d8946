"""The sawtooth of one long-lived flow: how a buffer turns halved windows into utilisation.

Let a pipe hold C packets without a queue (rate times round-trip time T) and its buffer B = b C. A flow with
additive increase by one packet per round trip and multiplicative decrease by half (RFC 5681) goes from
(C + B) / 2 to C + B and back. Below C the link is partly idle and a round trip takes T; above, the link is
full, the queue stretches the round trip to T W / C, and the window grows more slowly in time:

    packets per cycle   3/8 (C + B)^2
    time per cycle      T [C - (C + B) / 2] + T / C [(C + B)^2 - C^2] / 2  =  T C (1 + b + b^2) / 2
    utilisation         3/4 (1 + b)^2 / (1 + b + b^2) for b < 1, and 1 above

which is 75 % without a buffer and 100 % at one bandwidth-delay product (Villamizar and Song, CCR 24(5), 1994,
have the rule; Appenzeller, Keslassy and McKeown, SIGCOMM 2004, section 2, the argument). A buffer of zero
packets would not suffice: acknowledgments come one transmission apart, and the one that lets the window grow
sends two packets at once. The least buffer here is one packet, so b = 1/C.

Tolerance, derived from the effects that the fluid model leaves out:
- two round trips per cycle: the one in which the loss becomes known (window C + B, link full), and the one
  of recovery (window (C + B) / 2, no growth). One raises the utilisation, by 1 - u of its time, the other
  lowers it, by u - (1 + b) / 2;
- windows are whole packets: C + B may be off by two, so the utilisation by what the formula changes between
  b - 2/C and b + 2/C; and two packets may be missing per cycle where the queue just empties;
- the last cycle is cut: (1 - u) / n for n cycles.
The time between losses must be the cycle plus these two round trips, to within two round trips more and the
share 2 / (C + B) by which a window of W + x packets, x < 1, grows more slowly than one packet per round trip.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ackclock import Result
from ackclock.measures.verdict import Verdict
from ackclock.report.figures import new_figure
from verification.checks.runs import Settings, row, simulate_all
from verification.report import Report

PACKETS_PER_S = 1000
"""1500 bytes at 12 Mbit/s."""

COLOURS = {"newreno": "#009e73", "sack": "#0072b2"}
MARKERS = {"newreno": "^", "sack": "D"}


@dataclass(frozen=True)
class Pipe:
    """A pipe of `capacity` packets with a buffer of `buffer` packets."""

    capacity: int
    buffer: int

    @property
    def rtt_s(self) -> float:
        """Without queueing."""
        return self.capacity / PACKETS_PER_S

    @property
    def fraction(self) -> float:
        """The buffer in bandwidth-delay products."""
        return self.buffer / self.capacity

    @property
    def cycle_s(self) -> float:
        """The time from loss to loss in the fluid model."""
        b = self.fraction
        if b < 1:
            return self.rtt_s * self.capacity * (1 + b + b * b) / 2
        return 3 / 8 * (self.capacity + self.buffer) ** 2 / PACKETS_PER_S

    @property
    def extra_s(self) -> float:
        """The two round trips of loss and recovery; if the queue never empties, it lengthens both."""
        b = self.fraction
        return self.rtt_s * (1 + b + max(1, (1 + b) / 2))

    def tolerance(self, cycles: float) -> float:
        """The tolerance of the utilisation, as derived above."""
        b, u = self.fraction, utilisation(self.fraction)
        found = (1 - u) * self.rtt_s * (1 + b)
        recovered = max(0.0, u - (1 + b) / 2) * self.rtt_s
        steps = max(abs(utilisation(b + d) - u) for d in (-2 / self.capacity, 2 / self.capacity))
        missing = 2 / PACKETS_PER_S / self.cycle_s
        return max(found, recovered) / self.cycle_s + steps + missing + (1 - u) / cycles

    def scenario(self, algorithm: str, cycles: float, interval: str = "1 s") -> Settings:
        """One flow, from three cycles on for this many more."""
        warm_up_s = 3 * (self.cycle_s + self.extra_s)
        # The round trip without queueing consists of these transmissions too.
        bare_s = self.rtt_s - 1500 * 8 * (1 / 12e6 + 1 / 12e9) - 40 * 8 * (1 / 12e6 + 1 / 12e9)
        access = {"from": "a", "to": "r", "rate": "12 Gbit/s", "delay": "0 ms"}
        bottleneck = {
            "from": "r",
            "to": "b",
            "rate": "12 Mbit/s",
            "delay": f"{bare_s / 2 * 1e9:.0f} ns",
            "buffer": f"{self.buffer} packets",
        }
        return {
            "name": "sawtooth",
            "warm_up": f"{warm_up_s:.3f} s",
            "duration": f"{warm_up_s + cycles * (self.cycle_s + self.extra_s):.3f} s",
            "topology": {"graph": {"link": [access, bottleneck]}},
            "tcp": {
                "algorithm": algorithm,
                "segments_per_ack": 1,
                "initial_ssthresh": f"{self.capacity // 2} packets",
            },
            "flow": [{"from": "a", "to": "b"}],
            "trace": {"interval": interval},
        }


def utilisation(fraction: float) -> float:
    """The utilisation of the link for a buffer of this many bandwidth-delay products."""
    b = min(max(fraction, 0.0), 1.0)
    return 0.75 * (1 + b) ** 2 / (1 + b + b * b)


def verify(*, quick: bool) -> Report:
    """Carries out the experiment over buffers from one packet to one and a half bandwidth-delay products."""
    capacity, cycles = (100, 20) if quick else (200, 40)
    fractions = [0, 0.25, 1] if quick else [0, 0.05, 0.1, 0.15, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9, 1, 1.25, 1.5]
    pipes = [Pipe(capacity, max(1, round(fraction * capacity))) for fraction in fractions]
    runs = [(algorithm, pipe) for algorithm in COLOURS for pipe in pipes]
    results = simulate_all([pipe.scenario(algorithm, cycles) for algorithm, pipe in runs])
    traced = Pipe(capacity, capacity // 4)
    trace = simulate_all([traced.scenario("newreno", 1.6, "20 ms")])[0]

    figure, (curve, cycle) = _axes()
    checks = []
    line = [Pipe(capacity, buffer) for buffer in range(1, capacity * 8 // 5)]
    theory = np.array([100 * utilisation(pipe.fraction) for pipe in line])
    allowed = np.array([100 * pipe.tolerance(cycles) for pipe in line])
    curve.fill_between(
        [p.fraction for p in line], theory - allowed, theory + allowed, color="#dddddd", label="tolerance"
    )
    curve.plot([pipe.fraction for pipe in line], theory, color="#444444", label="theory")
    for (algorithm, pipe), result in zip(runs, results, strict=True):
        checks += _compare(algorithm, pipe, cycles, result)
    for algorithm in COLOURS:
        mine = [(p, r) for (a, p), r in zip(runs, results, strict=True) if a == algorithm]
        _draw(curve, algorithm, mine)
    curve.legend(loc="lower right")
    _draw_cycle(cycle, traced, trace)
    return Report("sawtooth", "Utilisation of one flow against the buffer", tuple(checks), figure)


def _axes() -> tuple[Figure, tuple[Axes, Axes]]:
    figure, axes = new_figure(1, 2, height=2.9)
    return figure, (axes[0], axes[1])


def _utilisation(result: Result) -> float:
    return row(result.links, "r->b")["utilisation"]


def _between_losses(pipe: Pipe, result: Result) -> float:
    """Mean time from loss to loss, in seconds; drops within three round trips are one loss."""
    times = result.drops["time_s"].to_numpy()
    times = times[times > result.scenario.warm_up_s]
    first = np.diff(times, prepend=-np.inf) > 3 * pipe.rtt_s * (1 + pipe.fraction)
    return float(np.diff(times[first]).mean())


def _compare(algorithm: str, pipe: Pipe, cycles: float, result: Result) -> list[Verdict]:
    where = f"{algorithm}, buffer {pipe.buffer} of {pipe.capacity} packets"
    expected, tolerance = utilisation(pipe.fraction), pipe.tolerance(cycles)
    slower = pipe.cycle_s * 2 / (pipe.capacity + pipe.buffer)
    longest_rtt = pipe.rtt_s * (1 + pipe.fraction)
    return [
        Verdict.near(f"utilisation, {where}", _utilisation(result), expected, tolerance),
        Verdict.near(
            f"time between losses, {where} [s]",
            _between_losses(pipe, result),
            pipe.cycle_s + pipe.extra_s,
            2 * longest_rtt + slower,
        ),
    ]


def _draw(axis: Axes, algorithm: str, runs: Sequence[tuple[Pipe, Result]]) -> None:
    axis.plot(
        [pipe.fraction for pipe, _ in runs],
        [100 * _utilisation(result) for _, result in runs],
        MARKERS[algorithm],
        color=COLOURS[algorithm],
        markerfacecolor="none",
        label=algorithm,
    )
    axis.set(xlabel="buffer [bandwidth-delay products]", ylabel="utilisation [%]", ylim=(70, 102))
    axis.set_title("Utilisation")


def _draw_cycle(axis: Axes, pipe: Pipe, result: Result) -> None:
    window = result.flow_series
    queue = result.link_series.filter(result.link_series["link"] == row(result.links, "r->b")["link"])
    start = result.scenario.warm_up_s
    axis.plot(window["time_s"] - start, window["cwnd_packets"], color=COLOURS["newreno"], label="window")
    axis.plot(queue["time_s"] - start, queue["queue_packets"], color="#d55e00", label="queue")
    for level, text in ((pipe.capacity, "C"), (pipe.capacity + pipe.buffer, "C + B")):
        axis.axhline(level, color="#444444", linewidth=0.7, linestyle=(0, (4, 2)))
        axis.annotate(text, (0, level), xytext=(2, 2), textcoords="offset points", fontsize=8)
    axis.set(xlabel="time [s]", ylabel="packets", xlim=(0, result.finished_at_s - start))
    axis.set_ylim(0, 1.25 * (pipe.capacity + pipe.buffer))
    axis.set_title(f"A buffer of {pipe.fraction:g} C")
    axis.legend(loc="upper right", ncols=2)
