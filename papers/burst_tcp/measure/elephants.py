"""3.1.1: the ways to tell elephants from mice that the thesis names, beside AEST, which it uses.

On the bottleneck of the base experiment: by size, by share of the link, by constant load, by latent heat, and
by sample-and-hold. Of rates a flow counts as an elephant if it is one in some interval.

AEST needs 320 values above the mean, of which 1250 files have some 150: no run has a tail to find. So its
threshold comes, as in 5.2.1, from 60 000 sizes by the same law. By hand: P[size > 82 packets] = (4 / 82)^1.2
makes 33 elephants of 1250 files.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ackclock import Scenario, run
from ackclock.measures import elephants
from ackclock.measures.statistics import mean_interval
from ackclock.papers import Ordered

from .competition import tail_points
from .stack import THESIS
from .study import MICE_PACKETS, ByStack, Floats, Study

__all__ = ["COUNT", "measure"]

COUNT = 1
SEEDS, SEEDS_QUICK = 20, 3
FLOWS = 1250
INTERVAL_S = 5.0
SHARE = 0.2
"""Of what the link carries in an interval."""
LOAD = 0.8
"""The share of all bytes for which elephants account (Papagiannaki et al.)."""
HEAT_INTERVALS = 12
"""As many as in Papagiannaki et al."""
WIRE_BYTES = 1064
"""Of a packet."""
TAILS = 9
"""Samples of sizes; the threshold is the median of what AEST finds in them."""
SAMPLED = 1e-4
"""The probability of sample-and-hold for each byte: it misses 10 kB of a flow on average."""
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Traffic:
    """The load of the bottleneck in one run."""

    seed: int
    flow: NDArray[np.int64]
    """Of each packet, in order."""
    size: NDArray[np.int64]
    """Bytes on the wire."""
    rates: Floats
    """Bytes by interval and flow."""

    @staticmethod
    def of(scenario: Scenario, seed: int, told: Callable[[float], bool]) -> Traffic:
        """One run."""
        packets = run(scenario, seed=seed, settings={"trace.packets": ["left->right"]}, progress=told).packets
        packets = packets.filter(pl.col("payload_bytes") > 0)
        flow = packets["flow"].to_numpy().astype(np.int64)
        size = packets["wire_bytes"].to_numpy().astype(np.int64)
        interval = (packets["time_s"].to_numpy() // INTERVAL_S).astype(np.int64)
        rates = np.zeros((int(interval.max()) + 1, int(flow.max()) + 1))
        np.add.at(rates, (interval, flow), size)
        return Traffic(seed, flow, size, rates)

    @property
    def bytes(self) -> Floats:
        """Of each flow."""
        return np.asarray(self.rates.sum(axis=0))


@dataclass(frozen=True)
class Found:
    """The elephants that one way finds in one run."""

    elephants: Flags
    changes: float = float("nan")
    """Of class, of a flow that is an elephant in some interval."""


def _of_rates(flags: Flags) -> Found:
    ever: Flags = np.asarray(flags.any(axis=0))
    changes = np.abs(np.diff(flags.astype(np.int8), axis=0, prepend=0)).sum(axis=0)
    return Found(ever, float(changes[ever].mean()))


def separations(traffic: Traffic, tail: float) -> dict[str, Found]:
    """Every way, by its name; `tail` is AEST's threshold in bytes."""
    sizes = traffic.bytes
    by_load = elephants.by_load(traffic.rates, LOAD)
    # The least rate that constant load takes for an elephant's is the threshold of its interval.
    least = np.where(by_load, traffic.rates, np.inf).min(axis=1)
    thresholds = np.where(np.isfinite(least), least, 0.0)
    held = elephants.sample_and_hold(traffic.flow, traffic.size, SAMPLED, traffic.seed)
    counted = np.zeros(sizes.size)
    counted[list(held)] = list(held.values())
    return {
        "AEST": Found(sizes > tail),
        f"size above {MICE_PACKETS} packets": Found(sizes > MICE_PACKETS * WIRE_BYTES),
        f"above {SHARE:.0%} of the link": _of_rates(elephants.by_share(traffic.rates, SHARE)),
        f"{LOAD:.0%} of the load": _of_rates(by_load),
        "latent heat": _of_rates(elephants.latent_heat(traffic.rates, thresholds, HEAT_INTERVALS)),
        "sample-and-hold": Found(counted > tail - 1 / SAMPLED),
    }


def measure(study: Study) -> ByStack:
    """The table, and what the thesis reports of latent heat."""
    context = study.context
    base = THESIS.scenario(context.scenario("base", {"flow.0.count": FLOWS}), "newreno")
    seeds = range(1, 1 + (SEEDS_QUICK if context.quick else SEEDS))
    tail = WIRE_BYTES * float(np.median(tail_points(TAILS)))

    def work(seed: int, told: Callable[[float], bool]) -> tuple[Floats, dict[str, Found]]:
        traffic = Traffic.of(base, seed, told)
        return traffic.bytes, separations(traffic, tail)

    runs = context.each([(base.duration_s, seed) for seed in seeds], work)
    context.table("elephants", _table(runs))
    changes = {
        name: [found[key].changes for _, found in runs]
        for name, key in (("rate", f"{LOAD:.0%} of the load"), ("latent heat", "latent heat"))
    }
    return {THESIS.name: {"latent-heat-changes": Ordered(changes)}}


def _table(runs: Sequence[tuple[Floats, Mapping[str, Found]]]) -> pl.DataFrame:
    """A row per way, means over the runs."""
    rows = []
    for name in runs[0][1]:
        mine = [(sizes, found[name], found["AEST"].elephants) for sizes, found in runs]

        def mean(values: list[float], digits: int = 1) -> str:
            interval = mean_interval(values)
            return f"{interval.estimate:.{digits}f} ± {interval.half_width:.{digits}f}"

        both = [float((found.elephants & aest).sum()) for _, found, aest in mine]
        rows.append(
            {
                "way": name,
                "elephants": mean([float(found.elephants.sum()) for _, found, _ in mine]),
                "of the bytes, %": mean(
                    [100 * float(sizes[found.elephants].sum() / sizes.sum()) for sizes, found, _ in mine]
                ),
                "of AEST's, %": mean(
                    [100 * b / max(1.0, float(a.sum())) for b, (_, _, a) in zip(both, mine, strict=True)]
                ),
                "AEST's among them, %": mean(
                    [
                        100 * b / max(1.0, float(found.elephants.sum()))
                        for b, (_, found, _) in zip(both, mine, strict=True)
                    ]
                ),
                "changes of class": mean([found.changes for _, found, _ in mine])
                if np.isfinite(mine[0][1].changes)
                else "–",
            }
        )
    return pl.DataFrame(rows)
