"""3.1.1: the ways to tell elephants from mice that the thesis names, in addition to AEST, which it uses.

On the bottleneck of the base experiment: by size, by share of the link, by constant load, by latent heat, by
sample-and-hold, by a multistage filter, and by periodic samples with the threshold of Bayes' theorem. By rate
a flow is an elephant if it is one in some interval.

A file of the base experiment comes once, and mostly within one interval, so that it cannot migrate from one
class to the other and back. Flows that can are connections that last: 20 over a link of 10 Mbit/s, of which
the rates go up and down with the windows. Ways by rate are run on these, too.

AEST needs 320 values above the mean, of which 1250 files have some 150: no run has a tail to find. So its
threshold comes, as in 5.2.1, from 60 000 sizes by the same law. By hand: P[size > 82 packets] = (4 / 82)^1.2
makes 33 elephants of 1250 files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ackclock import Scenario, load_scenario, run
from ackclock.measures import elephants
from ackclock.measures.statistics import mean_interval
from ackclock.papers import Ordered

from ..chapter5.s5_2_2_competition import sizes_by_the_law, tail_points
from ..file_runs import MICE_PACKETS, ByStack, Floats, Study
from ..stack import THESIS

__all__ = ["COUNT", "measure"]

COUNT = 1
SEEDS, SEEDS_QUICK = 20, 3
FLOWS = 1250
LINK = "left->right"
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
BUCKETS = 1000
"""Counters of each of the filter's four stages: some three times the bytes of a run over the threshold."""
PERIOD = 10
"""Every tenth packet is sampled."""
FALSE_POSITIVES = 0.05
"""The share of flows taken for elephants that may be none, by the law of sizes."""
FILES, LASTING = "files", "20 connections that last"
CONNECTIONS = 20
BEGIN_S = 10.0
"""Of what is counted: all connections have started."""
BY_SHARE, BY_LOAD, LATENT = f"above {SHARE:.0%} of the link", f"{LOAD:.0%} of the load", "latent heat"
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
        packets = run(scenario, seed=seed, settings={"trace.packets": [LINK]}, progress=told).packets
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
    return Found(ever, float(changes[ever].mean()) if ever.any() else float("nan"))


def by_rates(rates: Floats) -> dict[str, Found]:
    """The ways by rate, by their names."""
    by_load = elephants.by_load(rates, LOAD)
    # The least rate that constant load takes for an elephant's is the threshold of its interval.
    least = np.where(by_load, rates, np.inf).min(axis=1)
    thresholds = np.where(np.isfinite(least), least, 0.0)
    return {
        BY_SHARE: _of_rates(elephants.by_share(rates, SHARE)),
        BY_LOAD: _of_rates(by_load),
        LATENT: _of_rates(elephants.latent_heat(rates, thresholds, HEAT_INTERVALS)),
    }


def separations(traffic: Traffic, tail: float, samples: int) -> dict[str, Found]:
    """Every way, by its name; `tail` is AEST's threshold in bytes, `samples` that of periodic samples."""
    sizes = traffic.bytes
    held = elephants.sample_and_hold(traffic.flow, traffic.size, SAMPLED, traffic.seed)
    counted = np.zeros(sizes.size)
    counted[list(held)] = list(held.values())

    def passed(conservative: bool) -> Found:
        found = elephants.multistage_filter(
            traffic.flow,
            traffic.size,
            round(tail),
            buckets=BUCKETS,
            conservative=conservative,
            seed=traffic.seed,
        )
        return Found(_flags(found, sizes.size))

    sampled = elephants.periodic_sample(traffic.flow, PERIOD)
    often = [flow for flow, number in sampled.items() if number >= samples]
    return {
        "AEST": Found(sizes > tail),
        f"size above {MICE_PACKETS} packets": Found(sizes > MICE_PACKETS * WIRE_BYTES),
        **by_rates(traffic.rates),
        "sample-and-hold": Found(counted > tail - 1 / SAMPLED),
        "multistage filter": passed(False),
        "multistage filter, conservative": passed(True),
        f"every {PERIOD}th packet, Bayes": Found(_flags(often, sizes.size)),
    }


def _flags(flows: Iterable[int], count: int) -> Flags:
    flags = np.zeros(count, dtype=np.bool_)
    flags[list(flows)] = True
    return flags


def lasting(seed: int, told: Callable[[float], bool]) -> dict[str, Found]:
    """The ways by rate on connections that last."""
    traffic = Traffic.of(load_scenario(CONNECTIONS_THAT_LAST), seed, told)
    return by_rates(traffic.rates[round(BEGIN_S / INTERVAL_S) :])


CONNECTIONS_THAT_LAST: dict[str, object] = {
    "name": "connections-that-last",
    "duration": "310 s",
    "topology": {
        "dumbbell": {
            "pairs": CONNECTIONS,
            "bottleneck": {"rate": "10 Mbit/s", "delay": "20 ms", "buffer": "60 packets"},
            "access": {"rate": "100 Mbit/s", "delay": "2 ms"},
        }
    },
    "tcp": {"algorithm": "newreno"},
    "flow": [{"name": "connection", "count": CONNECTIONS, "start_jitter": f"{BEGIN_S / 2} s"}],
    "trace": {"flows": False},
}
"""A buffer of the path's own size, 60 packets of 1000 bytes, and no more."""


def measure(study: Study) -> ByStack:
    """The table, and what the thesis reports of latent heat."""
    context = study.context
    base = THESIS.scenario(context.scenario("base", {"flow.0.count": FLOWS}), "newreno")
    seeds = range(1, 1 + (SEEDS_QUICK if context.quick else SEEDS))
    points = tail_points(TAILS)
    tail = float(np.median(points))
    samples = elephants.sampled_threshold(sizes_by_the_law(1)[0], int(tail) + 1, 1 / PERIOD, FALSE_POSITIVES)

    def work(item: tuple[str, int], told: Callable[[float], bool]) -> tuple[Floats, dict[str, Found]]:
        traffic, seed = item
        if traffic == LASTING:
            return np.zeros(0), lasting(seed, told)
        files = Traffic.of(base, seed, told)
        return files.bytes, separations(files, WIRE_BYTES * tail, samples)

    wanted = [(traffic, seed) for traffic in (FILES, LASTING) for seed in seeds]
    made = context.each([(base.duration_s, item) for item in wanted], work)
    runs = {
        name: [one for (traffic, _), one in zip(wanted, made, strict=True) if traffic == name]
        for name in (FILES, LASTING)
    }
    context.table("elephants", pl.concat([_table(runs[FILES]), _changes(runs[LASTING])], how="diagonal"))

    def changes(traffic: str) -> Ordered:
        ways = {"rate": BY_LOAD, "latent heat": LATENT}
        mine = [found for _, found in runs[traffic]]
        return Ordered({name: [found[way].changes for found in mine] for name, way in ways.items()})

    return {
        THESIS.name: {
            "latent-heat-changes-files": changes(FILES),
            "latent-heat-changes-lasting": changes(LASTING),
        }
    }


def _changes(runs: Sequence[tuple[Floats, Mapping[str, Found]]]) -> pl.DataFrame:
    """A row per way by rate: of connections that are all alike there is no elephant to be found."""
    rows = [
        {
            "traffic": LASTING,
            "way": name,
            **dict.fromkeys(("of the bytes, %", "of AEST's, %", "AEST's among them, %"), "–"),
            "elephants": _mean([float(found[name].elephants.sum()) for _, found in runs]),
            "changes of class": _mean([found[name].changes for _, found in runs]),
        }
        for name in runs[0][1]
    ]
    return pl.DataFrame(rows)


def _table(runs: Sequence[tuple[Floats, Mapping[str, Found]]]) -> pl.DataFrame:
    """A row per way, means over the runs."""
    rows = []
    for name in runs[0][1]:
        mine = [(sizes, found[name], found["AEST"].elephants) for sizes, found in runs]
        both = [float((found.elephants & aest).sum()) for _, found, aest in mine]
        rows.append(
            {
                "traffic": FILES,
                "way": name,
                "elephants": _mean([float(found.elephants.sum()) for _, found, _ in mine]),
                "of the bytes, %": _mean(
                    [100 * float(sizes[found.elephants].sum() / sizes.sum()) for sizes, found, _ in mine]
                ),
                "of AEST's, %": _mean(
                    [100 * b / max(1.0, float(a.sum())) for b, (_, _, a) in zip(both, mine, strict=True)]
                ),
                "AEST's among them, %": _mean(
                    [
                        100 * b / max(1.0, float(found.elephants.sum()))
                        for b, (_, found, _) in zip(both, mine, strict=True)
                    ]
                ),
                "changes of class": _mean([found.changes for _, found, _ in mine]),
            }
        )
    return pl.DataFrame(rows)


def _mean(values: list[float]) -> str:
    """A mean with its interval; a dash where a run has no value."""
    if not np.isfinite(values).all():
        return "–"
    interval = mean_interval(values)
    return f"{interval.estimate:.1f} ± {interval.half_width:.1f}"
