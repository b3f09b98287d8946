"""Sections 2.2 and 2.3.2: what users with pools of connections see; figures 1 and 4."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from ackclock import Result, Scenario, run
from ackclock.measures import transfers, users
from ackclock.papers import (
    Context,
    Each,
    Holds,
    Measured,
    Ordered,
    ProgressCallback,
    Undecidable,
    Values,
)

from .study import BOTTLENECK, SEEDS, Case, Floats, both, seeds

USERS = (200, 400)
CONNECTIONS = {"one": 1, "two": 2, "four": 4}
TEN_MINUTES_S = 600
LONG_HANG_S = 20
FOR_EVER = 1_000_000
"""Packets of an object that does not end within the run."""
PLATEAU_S = (60, 70)
OBJECT_BYTES = 1460
"""Of payload, per packet of figure 1."""


@dataclass(frozen=True)
class Hangs:
    """One run of figure 4."""

    seed: int
    users: int
    connections: int
    longest_s: Floats
    """Of each user, rising."""
    loss: float


Runs = Mapping[str, Sequence[Hangs]]
"""By kind of sender."""


def scenario(context: Context, case: Case, count: int, connections: int) -> Scenario:
    """Users who download for ever over 1 Mbps, for ten minutes and without a warm-up."""
    base = case.tree(context)
    group = {
        **base["flow"][0],
        "name": "user",
        "count": count,
        "packets": FOR_EVER,
        "pool": {"connections": connections, "objects": {"constant": f"{connections} objects"}},
    }
    base |= {"flow": [group], "warm_up": "0 s", "duration": f"{TEN_MINUTES_S} s"}
    base["trace"] = {"flows": False, "links": False}
    return context.load(base, dict(case.settings))


def hangs_of(context: Context, case: Case, count: int, connections: int, told: ProgressCallback) -> Hangs:
    """One run of that many users."""
    result = context.run(scenario(context, case, count, connections), progress=told)
    link = result.links.row(by_predicate=pl.col("name") == BOTTLENECK, named=True)
    loss = link["dropped_queue"] / (link["dropped_queue"] + link["packets_forwarded"])
    return Hangs(case.seed, count, connections, users.longest_stalls(result).to_numpy(), loss)


def run_hangs(context: Context, algorithm: str = "sack") -> Runs:
    """Figure 4, with senders of this algorithm."""
    items = [
        (kind, case, count, connections)
        for kind, case in both(Case(algorithm=algorithm)).items()
        for count in USERS
        for connections in CONNECTIONS.values()
        for case in seeds(replace(case, flows=2 * count), 1 if context.quick else SEEDS)
    ]

    def work(item: tuple[str, Case, int, int], told: ProgressCallback) -> tuple[str, Hangs]:
        kind, case, count, connections = item
        return kind, hangs_of(context, case, count, connections, told)

    found = context.each([(float(TEN_MINUTES_S * item[2] * item[3]), item) for item in items], work)
    return {kind: [hangs for its, hangs in found if its == kind] for kind in both(Case())}


def claims(found: Runs) -> dict[str, Measured]:
    """The statements of section 2.3.2, for either kind of sender."""
    measured: dict[str, Measured] = {}
    for kind, runs in found.items():
        of = {
            key: [r for r in runs if (r.users, r.connections) == key]
            for key in itertools.product(USERS, CONNECTIONS.values())
        }
        few, many = of[200, 4], of[400, 4]
        shortest = min(float(r.longest_s[0]) for r in few)
        hang = [bool(longest > LONG_HANG_S) for r in few for longest in r.longest_s]
        without = [bool((r.longest_s > LONG_HANG_S).all()) for r in few]
        measured |= {
            f"hang-200-every-{kind}": Holds(hang, shortest, "the number is the shortest, in s"),
            f"hang-200-run-{kind}": Holds(
                [2 * sum(without) > len(without)], note=f"{sum(without)} of {len(without)} runs"
            ),
            f"hang-200-most-{kind}": Holds(
                [sum(hang) >= 0.95 * len(hang)], note=f"{sum(hang)} of {len(hang)} users"
            ),
            f"hang-400-{kind}": Values([100 * float((r.longest_s > 60).mean()) for r in many]),
            f"fewer-connections-{kind}": Ordered(
                {
                    name: [
                        float(np.mean([np.median(r.longest_s) for r in pair]))
                        for pair in zip(*(of[count, connections] for count in USERS), strict=True)
                    ]
                    for name, connections in CONNECTIONS.items()
                }
            ),
            f"hang-plateau-{kind}": _plateau(runs),
            f"hang-loss-{kind}": Values(
                [100 * r.loss for r in many],
                f"400 users with four connections; with 200 users {100 * few[0].loss:.1f} %",
            ),
        }
    return measured


def _plateau(runs: Sequence[Hangs]) -> Measured:
    """Users whose longest hang is in 60 to 70 s, against other intervals of ten seconds from 30 s on.

    A trial per seed, with the users of all its runs.
    """
    edges = np.arange(30, TEN_MINUTES_S + 10, 10)
    at = int(np.flatnonzero(edges == PLATEAU_S[0])[0])
    by_seed: dict[int, list[Floats]] = {}
    for one in runs:
        by_seed.setdefault(one.seed, []).append(one.longest_s)
    trials, shares, first = [], [], []
    for hangs in map(np.concatenate, by_seed.values()):
        counts, _ = np.histogram(hangs, edges)
        if counts.sum() == 0:
            return Undecidable("nobody hangs for 30 s")
        most = int(counts.argmax())
        trials.append(most == at)
        shares.append(100 * float(counts[at]) / hangs.size)
        first.append(int(edges[most]))
    where = ", ".join(f"{start} to {start + 10} s" for start in sorted(set(first)))
    return Holds(trials, float(np.mean(shares)), f"the number is their share in %; most are in {where}")


@dataclass(frozen=True)
class Downloads:
    """Figure 1: times of objects by size."""

    table: pl.DataFrame
    """A row per bucket of sizes: count, least, 10th percentile, mean, 90th percentile, most."""
    gigabytes: float
    """The objects downloaded in two hours."""
    small_mean_s: float
    """The mean time of objects of a few packets."""
    small_spread: float
    """Of those, the 90th over the 10th percentile."""
    timeouts: float
    """Per object."""


LARGE_BYTES = 1e6
"""Among the largest files of the proxy."""
SMALL_BYTES = 1e4
"""Objects of a few packets: most of a page."""


def run_downloads(context: Context, settings: Mapping[str, object] | None = None) -> list[Downloads]:
    """The synthetic equivalent of figure 1, with further settings, a run per seed."""
    seconds = 2100.0 if context.quick else 7500.0
    scenarios = [
        context.scenario("proxy", {"duration": f"{seconds:g} s", "seed": seed, **(settings or {})})
        for seed in range(1, 1 + (1 if context.quick else SEEDS))
    ]

    def work(item: Scenario, told: ProgressCallback) -> Downloads:
        return _downloads(run(item, progress=told), seconds)

    return context.each([(seconds, scenario) for scenario in scenarios], work)


def _downloads(result: Result, seconds: float) -> Downloads:
    files = transfers.records(result)
    done = files.filter(pl.col("time_s").is_finite())
    size = done["packets"].to_numpy() * OBJECT_BYTES
    bucket = np.floor(2 * np.log10(size)).astype(int)
    rows = []
    for number in np.unique(bucket):
        times = done["time_s"].to_numpy()[bucket == number]
        low, high = np.percentile(times, [10, 90])
        rows.append(
            {
                "bytes_from": 10 ** (number / 2),
                "objects": times.size,
                "least_s": times.min(),
                "low_s": low,
                "mean_s": times.mean(),
                "high_s": high,
                "most_s": times.max(),
            }
        )
    goodput = float(size.sum()) / 1e9 * 7200 / (seconds - 300)
    small = done["time_s"].to_numpy()[size < SMALL_BYTES]
    low, high = np.percentile(small, [10, 90])
    return Downloads(
        pl.DataFrame(rows),
        goodput,
        float(small.mean()),
        float(high / low),
        float(done["timeouts"].to_numpy().mean()),
    )


def claims_downloads(found: Sequence[Downloads]) -> dict[str, Measured]:
    """The statements of section 2.2."""
    spread: dict[str, list[float]] = {}
    narrower, largest = [], []
    for run_ in found:
        table = run_.table.filter(pl.col("objects") >= 20)
        for bucket in table.filter(pl.col("bytes_from") < 0.99 * LARGE_BYTES).iter_rows(named=True):
            orders = float(np.log10(bucket["most_s"] / bucket["least_s"]))
            spread.setdefault(f"{bucket['bytes_from'] / 1e3:.0f} kB", []).append(orders)
        relative = (table["high_s"] / table["low_s"]).to_numpy()
        large = relative[table["bytes_from"].to_numpy() >= 0.99 * LARGE_BYTES]
        if large.size:
            narrower.append(bool(large.max() < relative.max()))
            largest.append(float(large.max()))
    gigabytes = float(np.mean([run_.gigabytes for run_ in found]))
    return {
        "download-spread": Each(spread, f"{gigabytes:.2f} GB in two hours"),
        "download-narrows": Holds(narrower, float(np.mean(largest)))
        if narrower
        else Undecidable("too few objects of 1 MB"),
    }
