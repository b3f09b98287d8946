"""Points that the paper leaves open: the choices, their alternatives, and the effect on the results."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ackclock import Comparison, Scenario
from ackclock.papers import Context

VARIANTS = ("vegas", "newreno", "tahoe")
PER_ACK = "reno(limit=1)"
"""The growth of ns-2 and of 1999, before bytes were counted."""
SPECIFICATIONS = {"vegas": "vegas", "newreno": f"newreno+{PER_ACK}", "tahoe": f"tahoe+{PER_ACK}"}
"""From the highest throughput to the lowest, by the paper."""

PAPER_KBIT_S = {"vegas": 974.803, "newreno": 918.249, "tahoe": 810.187}

NS_2_KBIT_S = {"vegas": 974.800, "newreno": 924.368, "reno": 900.656, "tahoe": 813.296}
"""The output of `ns tcp_and_udp.tcl <variant> 20` with Debian's ns2 2.35."""

LEFT_RIGHT = "topology.dumbbell.bottleneck"

OPEN: dict[str, str] = {}
"""The changes that the search of settings makes to the scenario."""


def use(_points: Sequence[Mapping[str, str]], settings: Sequence[Mapping[str, object]]) -> list[str]:
    """Runs everything under a point of plans/settings.toml; returns the ending of its claims: any."""
    (changed,) = settings
    OPEN.clear()
    OPEN.update({path: str(value) for path, value in changed.items()})
    SPECIFICATIONS["vegas"] = OPEN.pop("tcp.algorithm")
    return [""]


@dataclass(frozen=True)
class Alternative:
    """Another answer to a question the paper leaves open, and the settings that make it."""

    question: str
    answer: str
    settings: Mapping[str, str]
    vegas: str = ""
    """The specification of Vegas, if it is another."""


def alternatives() -> list[Alternative]:
    """The choice made, then one other answer at a time."""
    split = {f"{LEFT_RIGHT}.delay": "38 ms", "topology.dumbbell.access.delay": "1 ms"}
    return [
        Alternative("as chosen", "", {}),
        Alternative("TCP payload", "512 bytes", {"tcp.mss": "512 bytes"}),
        Alternative("TCP payload", "960 bytes (1000 on the wire)", {"tcp.mss": "960 bytes"}),
        Alternative("TCP payload", "1460 bytes", {"tcp.mss": "1460 bytes"}),
        Alternative("UDP packet", "210 bytes", {"udp.0.packet": "210 bytes"}),
        Alternative("UDP packet", "500 bytes", {"udp.0.packet": "500 bytes"}),
        Alternative("UDP packet", "1500 bytes", {"udp.0.packet": "1500 bytes"}),
        Alternative("UDP pattern", "Poisson", {"udp.0.pattern": "poisson"}),
        Alternative("window limit", "none", {"tcp.receive_window": "unlimited"}),
        Alternative("window limit", "40 packets", {"tcp.receive_window": "40 packets"}),
        Alternative("initial window", "2 packets", {"tcp.initial_window": "2 packets"}),
        Alternative("acknowledgments", "delayed", {"tcp.segments_per_ack": "2"}),
        Alternative("connection", "with handshake", {"tcp.handshake": "true"}),
        Alternative("limited transmit", "none", {"tcp.limited_transmit": "false"}),
        Alternative("least timeout", "1 s", {"tcp.rto_min": "1 s"}),
        Alternative("buffer of node 0", "10 that wait", {f"{LEFT_RIGHT}.buffer": "10 packets"}),
        Alternative("access links", "2 Mbit/s", {"topology.dumbbell.access.rate": "2 Mbit/s"}),
        Alternative("access links", "5 Mbit/s", {"topology.dumbbell.access.rate": "5 Mbit/s"}),
        Alternative("access links", "100 Mbit/s", {"topology.dumbbell.access.rate": "100 Mbit/s"}),
        Alternative("division of 40 ms", "1 + 38 + 1 ms", split),
        Alternative("Vegas' alpha, beta", "2, 4", {}, vegas="vegas(alpha=2,beta=4)"),
        Alternative("duration", "10 s", {"duration": "10 s"}),
        Alternative("duration", "50 s", {"duration": "50 s"}),
        Alternative("duration", "100 s", {"duration": "100 s"}),
    ]


def wire_kbit_s(comparison: Comparison) -> dict[str, list[float]]:
    """Throughput with headers per label, one value per seed."""
    return _column(comparison, "throughput_bit_per_s")


def goodput_kbit_s(comparison: Comparison) -> dict[str, list[float]]:
    """Throughput of payload per label, one value per seed."""
    return _column(comparison, "goodput_bit_per_s")


def _column(comparison: Comparison, name: str) -> dict[str, list[float]]:
    runs = comparison.runs
    return {
        label: (runs.filter(pl.col("label") == label)[name] / 1e3).to_list() for label in comparison.labels
    }


def in_order(throughput: Mapping[str, float]) -> bool:
    """True if the order is the paper's."""
    return throughput["vegas"] > throughput["newreno"] > throughput["tahoe"]


def farthest(throughput: Mapping[str, float]) -> float:
    """The largest relative distance from the paper's three figures."""
    return max(abs(throughput[name] / PAPER_KBIT_S[name] - 1) for name in VARIANTS)


def _row(means: Mapping[str, float], payload: Mapping[str, float]) -> dict[str, float | bool]:
    return {
        **{f"{name}_kbit_per_s": means[name] for name in VARIANTS},
        **{f"{name}_goodput_kbit_per_s": payload[name] for name in VARIANTS},
        "in_order": in_order(means),
        "vegas_highest": means["vegas"] > max(means["newreno"], means["tahoe"]),
        "farthest": farthest(means),
    }


def _means(samples: Mapping[str, Sequence[float]]) -> dict[str, float]:
    return {name: float(np.mean(values)) for name, values in samples.items()}


def one_at_a_time(context: Context, base: Scenario, seeds: int) -> pl.DataFrame:
    """A row per alternative: the three throughputs, whether they are in order, how far from the paper's."""
    rows = []
    for other in alternatives():
        scenario = base
        for path, value in other.settings.items():
            scenario = scenario.with_value(path, value)
        runs = context.compare(
            {**SPECIFICATIONS, "vegas": other.vegas or SPECIFICATIONS["vegas"]}, scenario, seeds=seeds
        )
        row = _row(_means(wire_kbit_s(runs)), _means(goodput_kbit_s(runs)))
        rows.append({"question": other.question, "answer": other.answer, **row})
    return pl.DataFrame(rows)


def over_udp_rates(
    context: Context, base: Scenario, rates_mbit_s: NDArray[np.float64], seeds: int
) -> pl.DataFrame:
    """A row per UDP rate, likewise."""
    rows = []
    for rate in rates_mbit_s:
        scenario = base.with_value("udp.0.rate", f"{rate:.3f} Mbit/s")
        runs = context.compare(SPECIFICATIONS, scenario, seeds=seeds)
        rows.append(
            {"udp_mbit_per_s": float(rate), **_row(_means(wire_kbit_s(runs)), _means(goodput_kbit_s(runs)))}
        )
    return pl.DataFrame(rows)


GRID: dict[str, tuple[str, ...]] = {
    "udp.0.rate": tuple(f"{rate:.2f} Mbit/s" for rate in np.arange(0.8, 1.201, 0.05)),
    "tcp.mss": ("512 bytes", "1000 bytes", "1460 bytes"),
    "udp.0.packet": ("500 bytes", "1000 bytes", "1500 bytes"),
    "tcp.receive_window": ("20 packets", "unlimited"),
    "topology.dumbbell.access.rate": ("5 Mbit/s", "10 Mbit/s", "100 Mbit/s"),
    f"{LEFT_RIGHT}.buffer": ("9 packets", "10 packets"),
}
"""The settings of the search, in all combinations."""

DURATIONS_S = (10, 20, 50, 100)


def search_size() -> int:
    """The number of comparisons of a search."""
    return int(np.prod([len(values) for values in GRID.values()]))


def search(context: Context, base: Scenario) -> pl.DataFrame:
    """A row per setting of the grid, duration and way of counting: one seed each, nearest first."""
    rows = []
    longest = base.with_value("duration", f"{max(DURATIONS_S)} s").with_value("trace.interval", "1 s")
    for values in itertools.product(*GRID.values()):
        setting = dict(zip(GRID, values, strict=True))
        scenario = longest
        for path, value in setting.items():
            scenario = scenario.with_value(path, value)
        runs = context.compare(SPECIFICATIONS, scenario)
        payload = int(setting["tcp.mss"].split()[0])
        series = {name: _first_flow(runs, name) for name in VARIANTS}
        for duration in DURATIONS_S:
            means = {name: float(rates[1 : duration + 1].mean()) / 1e3 for name, rates in series.items()}
            for counted, factor in (("payload", 1.0), ("wire", (payload + 40) / payload)):
                found = {name: mean * factor for name, mean in means.items()}
                rows.append({**setting, "duration_s": duration, "counted": counted, **_row(found, means)})
    return pl.DataFrame(rows).sort("farthest")


def _first_flow(runs: Comparison, label: str) -> NDArray[np.float64]:
    series = runs.result(label).flow_series
    return series.filter(pl.col("flow") == 0)["goodput_bit_per_s"].to_numpy().astype(np.float64)
