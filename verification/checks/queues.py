"""Queue disciplines: a law for all of them, RED's equilibrium without and with TCP, and the promised delays.

*A conservation law.* Equal packets at Poisson times wait as Pollaczek and Khinchine say, on average over all
packets, in whatever order a queue serves them, as long as the link never idles and the choice does not depend
on transmission times (Kleinrock, Queueing Systems II, 1976, 3.4). So every discipline, with room for all and
drops out of reach, must come to the same mean. Tolerance: the 99.9 % Student interval over seeds.

*RED without TCP.* Datagrams at a constant load r > 1 settle at a queue at which the part 1 - 1/r is dropped.
RED spreads drops evenly, the gaps between them uniform over 1 to 1/p (Floyd and Jacobson 1993, section 7), so
the part dropped is 2 p / (1 + p), and the average queue follows from p by the ramp. Tolerance: half a packet,
since RED looks when packets come and the mean is over time, and a fiftieth, since 1/p is no whole number.

*RED with TCP.* N flows fill the link at the part d that RED drops at an average of q, with the round trips
that q makes: the rate of each follows Padhye et al. with the least timeout, 1 s. Tolerance: 30 % of q, for
the formula itself (subject loss-response). We first used the square-root law, which has no timeouts: 27
packets with 8 flows, which also held, and 47 with 20 flows, whose windows are four packets, which did not.

*Delays.* PIE controls the mean waiting time to its reference, 15 ms (RFC 8033, abstract): within a third.
CoDel estimates the standing queue by the minimum over an interval of 100 ms, and reduces it to 5 ms (RFC
8289, 3.2): in half of all intervals the minimum is at most that, with 2 ms for the distance of samples and
for a packet.

*Shares.* Flows with round-trip times of 20 to 200 ms have equal shares under fair queues (McKenney 1990; RFC
8290, 1.3): Jain's index at least 0.95.

*Below a packet per round trip.* Protecting retransmissions makes shares over 20 s fairer than drop-tail, and
than SFQ with separate buffers, at every load (Chen et al., TCP Behavior in Sub-Packet Regimes, 6.2 and figure
12); so should their two other policies, over drop-tail. Only the order is claimed, and it holds.
"""

from __future__ import annotations

import math

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from numpy.typing import NDArray
from scipy import optimize

from ackclock import models
from ackclock.measures import over_time
from ackclock.measures.statistics import jain_index, mean_interval
from ackclock.measures.verdict import Verdict
from ackclock.report.figures import new_figure
from verification.checks.queueing import SERVICE_S, pollaczek_khinchine
from verification.checks.runs import Settings, row, simulate_all
from verification.report import CONFIDENCE, Report

UNTOUCHED = {
    "droptail": "droptail",
    "red": "red(min=1000000,max=10000000)",
    "pie": "pie(reference=1000000)",
    "codel": "codel(target=1000000)",
    "fq-codel": "fq-codel(target=1000000,flows=3)",
    "dualpi2": "dualpi2(target=1000000)",
    "fq-pie": "fq-pie(target=1000000,flows=3)",
    "cobalt": "cobalt(target=1000000)",
    "drr": "drr(flows=3)",
    "priority": "priority",
    "weighted-priority": "weighted-priority",
    "sfq": "sfq(buckets=3,perturbation=0.5)",
    "protect": "protect(buckets=3)",
    "classes": "classes",
    "budgets": "budgets",
}
"""Every discipline, without drops. There are few buckets, so that flows share some."""

LOAD = 0.8
SOURCES = 5

MIN, MAX, MAX_P = 5.0, 15.0, 0.1
RED = f"red(min={MIN:g},max={MAX:g},max_p={MAX_P:g})"

WIDE_MIN, WIDE_MAX = 20.0, 100.0
WIDE = f"red(min={WIDE_MIN:g},max={WIDE_MAX:g},max_p={MAX_P:g})"
ROUND_TRIP_S = 0.06
PACKETS_PER_S = 10e6 / 8 / 1500
"""The round trip of the path of `long_flows` without a queue."""

ROUND_TRIPS_MS = (20, 50, 100, 200)
FAIR = ("sfq", "fq-codel")
SLICE_S = 20
SMALL = {
    "droptail": "droptail",
    "sfq": "sfq(buckets=5,depth=5)",
    "protect": "protect",
    "protect over sfq": "protect(buckets=5,depth=4)",
    "classes": "classes",
    "budgets": "budgets",
}
FAIRER = {"protect": "droptail", "protect over sfq": "sfq", "classes": "droptail", "budgets": "droptail"}

SHOWN = ("droptail", "red", "pie", "codel", "fq-codel", "sfq")
COLOURS = ("#7f7f7f", "#d55e00", "#009e73", "#0072b2", "#56b4e9", "#cc79a7")
SAMPLE_S = 0.005
INTERVAL_S = 0.1
SHOWN_S = 1.0
WARM_UP_S = 20


def datagrams(queue: str, load: float, *, pattern: str, count: int, seconds: float, seed: int) -> Settings:
    """Equal datagrams on one link that needs a millisecond for each."""
    link = {"from": "a", "to": "b", "rate": "8 Mbit/s", "delay": "1 ms", "queue": queue}
    return {
        "name": "queue",
        "seed": seed,
        "warm_up": "10 s",
        "duration": f"{10 + seconds:g} s",
        "topology": {"graph": {"link": [link]}},
        "udp": [
            {
                "from": "a",
                "to": "b",
                "count": count,
                "rate": f"{8e6 * load / count:.0f} bit/s",
                "packet": "1000 bytes",
                "pattern": pattern,
            }
        ],
    }


def spans(seconds: float) -> Settings:
    """A run that is observed for this long after its warm-up."""
    return {"warm_up": f"{WARM_UP_S} s", "duration": f"{WARM_UP_S + seconds:g} s"}


def shared(count: int, bottleneck: Settings, access_delay: str) -> Settings:
    """A dumbbell whose queue in the direction of the data is observed."""
    return {
        "dumbbell": {
            "pairs": count,
            "bottleneck": {**bottleneck, "reverse": {"queue": "droptail"}},
            "access": {"rate": "100 Mbit/s", "delay": access_delay},
        }
    }


def long_flows(queue: str, count: int, *, seconds: float) -> Settings:
    """Long flows with a round-trip time of 60 ms over 10 Mbit/s, before a buffer of 1.2 s."""
    path = {"rate": "10 Mbit/s", "delay": "20 ms", "buffer": "1000 packets", "queue": queue}
    return {
        "name": "long-flows",
        **spans(seconds),
        "topology": shared(count, path, "5 ms"),
        "tcp": {"algorithm": "sack"},
        "flow": [{"count": count, "start_jitter": "1 s"}],
        "trace": {"interval": f"{SAMPLE_S * 1e3:g} ms", "flows": False},
    }


def unequal_flows(queue: str, *, seconds: float) -> Settings:
    """Four flows that share one link, each with a round-trip time of its own."""
    link = {"from": "left", "to": "right", "rate": "10 Mbit/s", "delay": "1 ms", "buffer": "100 packets"}
    links: list[dict[str, object]] = [{**link, "queue": queue, "reverse": {"queue": "droptail"}}]
    for i, round_trip_ms in enumerate(ROUND_TRIPS_MS):
        delay = f"{(round_trip_ms / 2 - 1) / 2:g} ms"
        ends = ({"from": f"s{i}", "to": "left"}, {"from": "right", "to": f"d{i}"})
        links += [{**end, "rate": "100 Mbit/s", "delay": delay} for end in ends]
    return {
        "name": "unequal",
        **spans(seconds),
        "topology": {"graph": {"link": links}},
        "tcp": {"algorithm": "sack"},
        "flow": [{"from": f"s{i}", "to": f"d{i}"} for i in range(len(ROUND_TRIPS_MS))],
    }


def small_shares(queue: str, count: int, *, seconds: float) -> Settings:
    """The paper's link: 1 Mbit/s, 200 ms, 25 packets of 1000 bytes."""
    path = {"rate": "1 Mbit/s", "delay": "98 ms", "buffer": "25 packets", "queue": queue}
    return {
        "name": "small-shares",
        **spans(seconds),
        "topology": shared(count, path, "1 ms"),
        "tcp": {"algorithm": "sack", "mss": "960 bytes", "header": "40 bytes"},
        "flow": [{"count": count, "start_jitter": "10 s"}],
        "trace": {"interval": f"{SLICE_S} s", "links": False},
    }


def pieces(samples: NDArray[np.float64], span_s: float) -> NDArray[np.float64]:
    """Samples of a time series in rows of this many seconds, a last one that is not full left out."""
    width = round(span_s / SAMPLE_S)
    whole = len(samples) // width * width
    return samples[:whole].reshape(-1, width)


def ramp(average: float, low: float, high: float) -> float:
    """RED's probability at an average queue, gently beyond the upper threshold."""
    if average < high:
        return MAX_P * max(average - low, 0.0) / (high - low)
    return MAX_P + (1 - MAX_P) * (average - high) / high


def dropped(p: float) -> float:
    """The part of the packets dropped if gaps are uniform over 1 to 1/p."""
    return 2 * p / (1 + p)


def red_average(load: float) -> float:
    """Where RED's average settles at a constant load above 1."""
    part = 1 - 1 / load
    return float(optimize.brentq(lambda q: dropped(ramp(q, MIN, MAX)) - part, MIN, 2 * MAX))


def red_equilibrium(count: int) -> float:
    """The queue at which this many flows fill the link."""

    def excess(queue: float) -> float:
        part = dropped(ramp(queue, WIDE_MIN, WIDE_MAX))
        round_trip_s = ROUND_TRIP_S + queue / PACKETS_PER_S
        return count * float(models.padhye(part, rtt_s=round_trip_s, rto_s=1.0)) - PACKETS_PER_S

    return float(optimize.brentq(excess, WIDE_MIN + 1e-6, 1.9 * WIDE_MAX))


def verify(*, quick: bool) -> Report:
    """Carries out all of them, and shows the waiting time under each discipline."""
    figure, (delays, equilibrium, shares, small) = new_figure(2, 2, height=6.0)
    checks = [*_law(quick), *_constant(equilibrium, quick), *_tcp(delays, quick)]
    checks += [*_shares(shares, quick), *_small(small, quick)]
    return Report("queues", "Queue disciplines", tuple(checks), figure)


def _law(quick: bool) -> list[Verdict]:
    names = ["sfq", "fq-codel", "classes"] if quick else list(UNTOUCHED)
    seeds = range(1, 6 if quick else 21)
    seconds = 60 if quick else 200
    runs = [
        datagrams(UNTOUCHED[name], LOAD, pattern="poisson", count=SOURCES, seconds=seconds, seed=seed)
        for name in names
        for seed in seeds
    ]
    results = iter(simulate_all(runs))
    expected = pollaczek_khinchine(LOAD)
    checks = []
    for name in names:
        links = [row(next(results).links, "a->b") for _ in seeds]
        waits = [link["mean_queueing_delay_s"] / SERVICE_S for link in links]
        interval = mean_interval(waits, CONFIDENCE)
        checks.append(
            Verdict.agrees(f"wait under {name} at load {LOAD:g} [transmissions]", interval, expected)
        )
    return checks


def _constant(axis: Axes, quick: bool) -> list[Verdict]:
    loads = [1.05, 1.5] if quick else [1.02, 1.05, 1.1, 1.15, 1.2, 1.3, 1.5, 1.75, 2.0]
    runs = [datagrams(RED, load, pattern="constant", count=1, seconds=100, seed=1) for load in loads]
    found = [row(result.links, "a->b")["mean_queue_packets"] for result in simulate_all(runs)]
    line = np.linspace(1.005, 2.1, 200)
    axis.plot(line, [red_average(load) for load in line], color="#0072b2", label="ramp and even spread")
    axis.plot(loads, found, "o", color="#d55e00", label="simulated")
    for threshold, name in ((MIN, "min"), (MAX, "max")):
        axis.axhline(threshold, color="#999999", linewidth=0.6)
        axis.text(2.1, threshold + 0.3, name, ha="right", fontsize=7, color="#666666")
    axis.set(xlabel="load", ylabel="mean queue [packets]", title="RED at a constant load", ylim=(0, 30))
    axis.legend(loc="upper left")
    return [
        Verdict.near(
            f"queue under RED at load {load:g} [packets]", queue, red_average(load), 0.5 + queue / 50
        )
        for load, queue in zip(loads, found, strict=True)
    ]


def _tcp(axis: Axes, quick: bool) -> list[Verdict]:
    seconds = 40 if quick else 100
    counts = [8] if quick else [8, 20]
    queues = [(name, 8) for name in SHOWN]
    queues += [(WIDE, count) for count in counts] + [("pie", count) for count in counts[1:]]
    results = dict(
        zip(queues, simulate_all([long_flows(q, count, seconds=seconds) for q, count in queues]), strict=True)
    )
    checks = []
    for count in counts:
        expected = red_equilibrium(count)
        queue = row(results[WIDE, count].links, "left->right")["mean_queue_packets"]
        checks.append(
            Verdict.near(f"queue under RED, {count} flows [packets]", queue, expected, 0.3 * expected)
        )
        delay = row(results["pie", count].links, "left->right")["mean_queueing_delay_s"] * 1e3
        checks.append(Verdict.near(f"wait under PIE, {count} flows [ms]", delay, 15, 5))
    for name, colour in zip(SHOWN, COLOURS, strict=True):
        series = results[name, 8].link_series.filter(pl.col("link") == 0)
        time = series["time_s"].to_numpy()
        waits = series["queue_bytes"].to_numpy() * 8 / 10e6
        means = pieces(waits, SHOWN_S).mean(axis=1) * 1e3
        begins = pieces(time, SHOWN_S)[:, 0]
        axis.plot(begins, np.maximum(means, 0.1), color=colour, linewidth=0.9, label=name)
        if name == "codel":
            smallest = pieces(waits[time >= WARM_UP_S], INTERVAL_S).min(axis=1)
            standing = float(np.median(smallest)) * 1e3
            checks.append(Verdict.within("standing queue under CoDel [ms]", standing, -math.inf, 7))
    axis.set(
        xlabel="time [s]", ylabel="mean wait in each second [ms]", yscale="log",
        title="Eight TCP flows", xlim=(0, WARM_UP_S + min(seconds, 40)), ylim=(1, 3000),
    )  # fmt: skip
    axis.legend(ncol=3, loc="center", bbox_to_anchor=(0.55, 0.66), fontsize=7)
    return checks


def _shares(axis: Axes, quick: bool) -> list[Verdict]:
    names = ("droptail", *FAIR)
    results = simulate_all([unequal_flows(name, seconds=60 if quick else 200) for name in names])
    checks = []
    for name, marker, result in zip(names, "so^", results, strict=True):
        goodput = result.flows["goodput_bit_per_s"].to_numpy()
        axis.plot(ROUND_TRIPS_MS, goodput / 1e6, marker=marker, color=COLOURS[SHOWN.index(name)], label=name)
        if name in FAIR:
            index = jain_index(goodput)
            checks.append(Verdict.within(f"Jain's index under {name}, unequal flows", index, 0.95, math.inf))
    axis.set(xlabel="round-trip time [ms]", ylabel="goodput [Mbit/s]", title="Unequal flows", ylim=(0, None))
    axis.legend()
    return checks


def _small(axis: Axes, quick: bool) -> list[Verdict]:
    counts = [60] if quick else [30, 60, 100, 150]
    seconds = 100 if quick else 400
    cells = [(name, count) for name in SMALL for count in counts]
    runs = simulate_all([small_shares(SMALL[name], count, seconds=seconds) for name, count in cells])
    found = {}
    for cell, result in zip(cells, runs, strict=True):
        series = over_time.goodputs(result).filter(pl.col("time_s") > WARM_UP_S)
        slices = series.group_by("time_s", maintain_order=True).agg("goodput_bit_per_s")
        found[cell] = float(np.mean([jain_index(part) for part in slices["goodput_bit_per_s"].to_list()]))
    colours = (*COLOURS, "#000000")
    for name, colour in zip(SMALL, colours, strict=False):
        style = "--" if name in ("sfq", "protect over sfq") else "-"
        line = [found[name, count] for count in counts]
        axis.plot(counts, line, style, marker="o", markersize=3, color=colour, label=name)
    axis.set(
        xlabel="flows", ylabel="Jain's index over 20 s", title="1 Mbit/s, 200 ms, 25 packets", ylim=(0, 1)
    )
    axis.legend(fontsize=7, loc="lower left")
    gains = {(name, n): found[name, n] - found[plain, n] for name, plain in FAIRER.items() for n in counts}
    return [
        Verdict.decided(f"gain in Jain's index by {name}, {count} flows", f"{gain:+.3f}", "above 0", gain > 0)
        for (name, count), gain in gains.items()
    ]
