"""Links whose rate varies deliver the capacity of their trace or schedule, to a thousandth.

Datagrams at more than the highest rate keep a queue before the link, so that it transmits whenever it may.
The bits delivered by each half second are compared with the capacity up to then, computed here in floating
point from the numbers that the scenario was made of:

- a trace in Mahimahi's format: a packet of 1500 bytes for each line up to that time, as Mahimahi's manual
  says, the trace repeated from its last time on;
- steps, linear ramps and the rows of a CSV file: the integral of the rate, segment by segment and period by
  period; the last value holds to the end of the period, and outages count nothing;
- a Markov chain has no capacity known beforehand: the mean over seeds must be that of its stationary
  distribution, the states weighted by their mean times, since each other state follows with equal
  probability. Tolerance: the 99.9 % Student interval over seeds.

Tolerance: a thousandth of the capacity of the whole run, at its end and at every half second before.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from ackclock import Result
from ackclock.measures.statistics import mean_interval
from ackclock.measures.verdict import Verdict
from ackclock.report.figures import new_figure
from verification.checks.runs import Settings, simulate_all
from verification.report import CONFIDENCE, Report

SECONDS = 60
SAMPLE_S = 0.5
OFFERED_BIT_PER_S = 40e6
PACKET_BYTES = 1500
OPPORTUNITY_BYTES = 1500
"""The packet that a line of a trace represents, in Mahimahi's manual."""
TOLERANCE = 0.001

SHOWN = ("trace", "steps with outages")
SHOWN_S = 30

Floats = NDArray[np.float64]
Points = Sequence[tuple[float, float]]
"""Times in seconds and rates in bit/s."""

STATES_BIT_PER_S = (1e6, 6e6, 20e6)
DWELLS_S = (0.3, 0.2, 0.1)


@dataclass(frozen=True)
class Case:
    """A link, and the bits that it can transmit by a time."""

    name: str
    link: Settings
    capacity: Callable[[Floats], Floats]


def scenario(link: Settings, *, seed: int = 1) -> Settings:
    """More datagrams than the link can carry."""
    # A CSV file has the delay as well.
    delay = {} if "schedule" in link else {"delay": "1 us"}
    return {
        "name": "capacity",
        "seed": seed,
        "duration": f"{SECONDS} s",
        "topology": {"graph": {"link": [{"from": "a", "to": "b", "buffer": "500 packets", **delay, **link}]}},
        "udp": [
            {
                "from": "a",
                "to": "b",
                "rate": f"{OFFERED_BIT_PER_S:.0f} bit/s",
                "packet": f"{PACKET_BYTES} bytes",
            }
        ],
        "trace": {"interval": f"{SAMPLE_S * 1e3:g} ms"},
    }


def opportunities(random: np.random.Generator) -> NDArray[np.int64]:
    """Times in ms, with bursts and with gaps of up to a second, about 8 Mbit/s on average."""
    gaps = np.where(random.random(12_000) < 0.4, 0, random.geometric(0.45, 12_000))
    gaps[random.integers(0, 12_000, 20)] += random.integers(100, 1000, 20)
    gaps[0] += 1
    return np.cumsum(gaps)


def of_trace(times_ms: NDArray[np.int64]) -> Callable[[Floats], Floats]:
    """The bits of all opportunities up to a time."""

    def capacity(until_s: Floats) -> Floats:
        cycles = int(SECONDS * 1e3 / times_ms[-1]) + 1
        every = np.concatenate([times_ms + cycle * times_ms[-1] for cycle in range(cycles)])
        counted = np.searchsorted(every, until_s * 1e3, side="right")
        return (counted * (OPPORTUNITY_BYTES * 8)).astype(np.float64)

    return capacity


def of_points(
    points: Points, every_s: float, *, is_linear: bool, outage: tuple[float, float] = (0, 0)
) -> Callable[[Floats], Floats]:
    """The integral of the rate: constant or linear from each point to the next, in each period the same."""

    def within(until_s: float) -> float:
        total = 0.0
        ends = [*(time for time, _ in points[1:]), every_s]
        rates = [*(rate for _, rate in points[1:]), points[-1][1]]
        for (begin, rate), end, following in zip(points, ends, rates, strict=True):
            until = min(until_s, end)
            if until > begin:
                slope = (following - rate) / (end - begin) if is_linear and end > begin else 0.0
                total += (until - begin) * (rate + slope * (until - begin) / 2)
        return total

    def up(until_s: float) -> float:
        without = within(min(until_s, outage[1])) - within(min(until_s, outage[0]))
        return within(until_s) - without

    def capacity(until_s: Floats) -> Floats:
        return np.array([time // every_s * up(every_s) + up(time % every_s) for time in until_s])

    return capacity


def drawn(random: np.random.Generator, count: int, every_s: float) -> list[tuple[float, float]]:
    """Random rates from random times on, the first from zero."""
    times = [0.0, *np.round(np.sort(random.uniform(0.1, every_s - 0.1, count - 1)), 3)]
    rates = np.round(random.uniform(0.2e6, 25e6, count), -3)
    return [(float(time), float(rate)) for time, rate in zip(times, rates, strict=True)]


def in_toml(points: Points) -> list[list[str]]:
    """As a scenario has them."""
    return [[f"{time * 1e3:.0f} ms", f"{rate:.0f} bit/s"] for time, rate in points]


def cases(folder: Path, seed: int) -> list[Case]:
    """Links drawn by a seed; files go to a folder."""
    random = np.random.default_rng([19, seed])
    times = opportunities(random)
    trace = folder / f"{seed}.down"
    trace.write_text("".join(f"{time}\n" for time in times), encoding="utf-8")
    steps, ramps, broken = (drawn(random, 12, 17.0) for _ in range(3))
    table = drawn(random, 40, 23.0)
    file = folder / f"{seed}.csv"
    rows = "".join(f"{time},{rate},0.000001\n" for time, rate in table)
    file.write_text(f"time_s,rate_bit_per_s,delay_s\n{rows}", encoding="utf-8")
    held = partial(of_points, is_linear=False)
    return [
        Case("trace", {"rate": {"trace": str(trace)}}, of_trace(times)),
        Case("steps", {"rate": {"steps": in_toml(steps), "every": "17 s"}}, held(steps, 17)),
        Case(
            "ramps",
            {"rate": {"ramps": in_toml(ramps), "every": "17 s"}},
            of_points(ramps, 17, is_linear=True),
        ),
        Case(
            "steps with outages",
            {
                "rate": {"steps": in_toml(broken), "every": "17 s"},
                "outage": {"spans": [["4 s", "6500 ms"]], "every": "17 s"},
            },
            held(broken, 17, outage=(4, 6.5)),
        ),
        Case("CSV", {"schedule": {"file": str(file), "every": "23 s"}}, held(table, 23)),
    ]


def delivered(result: Result) -> tuple[Floats, Floats]:
    """Times in seconds, and the bits that have arrived by then."""
    series = result.flow_series
    bits = series["goodput_bit_per_s"].to_numpy() * SAMPLE_S
    return series["time_s"].to_numpy(), np.cumsum(bits)


def verify(*, quick: bool) -> Report:
    """Compares links of every kind with the capacity of their description."""
    seeds = range(1, 2 if quick else 6)
    figure, (left, right) = new_figure(1, 2, height=3.2)
    checks = []
    with tempfile.TemporaryDirectory() as folder:
        every = [case for seed in seeds for case in cases(Path(folder), seed)]
        results = simulate_all([scenario(case.link) for case in every])
    for place, (case, result) in enumerate(zip(every, results, strict=True)):
        times, bits = delivered(result)
        capacity = case.capacity(times)
        name = f"{case.name}, {place // 5 + 1}"
        end, tolerance = bits[-1] / 1e6, TOLERANCE * capacity[-1] / 1e6
        checks.append(Verdict.near(f"delivered, {name} [Mbit]", end, capacity[-1] / 1e6, tolerance, 6))
        worst = float(np.abs(bits - capacity).max() / capacity[-1])
        checks.append(Verdict.near(f"largest deviation at any time, {name} [1]", worst, 0, TOLERANCE))
        if place < 5:
            _show(left, right, case.name, times, bits, capacity)
    left.set(xlabel="time [s]", ylabel="delivered [Mbit/s]", title="each second, and the capacity (dotted)")
    left.set_ylim(0, 30)
    left.legend(fontsize=7, ncol=2, loc="upper center")
    right.legend(fontsize=7, ncol=3, loc="upper center")
    right.axhspan(-100 * TOLERANCE, 100 * TOLERANCE, color="0.9")
    right.set(
        xlabel="time [s]",
        ylabel="delivered less capacity [% of the run's]",
        title="deviation up to each time",
    )
    checks.append(_markov(10 if quick else 40))
    return Report("capacity", "Capacity of traces and schedules", tuple(checks), figure)


def _show(left: Axes, right: Axes, name: str, times: Floats, bits: Floats, capacity: Floats) -> None:
    """Rates in each second, and the difference of what has been delivered."""
    whole = slice(0, None, round(1 / SAMPLE_S))
    (line,) = right.plot(times, 100 * (bits - capacity) / capacity[-1], linewidth=0.9, label=name)
    if name not in SHOWN:
        return
    whole = slice(0, round(SHOWN_S / SAMPLE_S) + 1, round(1 / SAMPLE_S))
    ends = times[whole][1:]
    left.step(ends, np.diff(bits[whole]) / 1e6, where="pre", color=line.get_color(), label=name)
    left.step(ends, np.diff(capacity[whole]) / 1e6, where="pre", color="black", linestyle=":")


def _markov(seeds: int) -> Verdict:
    link = {
        "rate": {
            "markov": {
                "states": [f"{rate:.0f} bit/s" for rate in STATES_BIT_PER_S],
                "dwell": [f"{dwell * 1e3:.0f} ms" for dwell in DWELLS_S],
            }
        }
    }
    results = simulate_all([scenario(link, seed=seed) for seed in range(1, seeds + 1)])
    rates = [delivered(result)[1][-1] / SECONDS / 1e6 for result in results]
    expected = float(np.average(STATES_BIT_PER_S, weights=DWELLS_S)) / 1e6
    return Verdict.agrees("Markov chain, mean rate [Mbit/s]", mean_interval(rates, CONFIDENCE), expected)
