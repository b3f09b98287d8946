"""Links that the paper speaks of and does not simulate: out of order (1.3), and wireless (VI)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import polars as pl

from ackclock import Result, Scenario
from ackclock.papers import Context, Each, Holds, Measured, Ordered

from .choices import LEFT_RIGHT, SPECIFICATIONS, VARIANTS, in_order, wire_kbit_s

ACKNOWLEDGMENTS = "left->src1"
"""Where those of connection 1 arrive."""
LATE_MS = (5, 10, 20)
"""From about a packet time of the bottleneck, 4 ms, to a quarter of a round trip."""
FEW = 2
"""Duplicates that "should be received when simple out of order conditions exist"."""


def displaced(kind: str, late_ms: int) -> str:
    """The impairments of a link that delivers packets out of order, by up to a time."""
    return {
        "late": f'["reordering(probability=0.02, delay={late_ms})"]',
        "jitter": f'["jitter(uniform={late_ms})", "overtaking"]',
        "paths": f'["spraying(spread={late_ms})"]',
    }[kind]


KINDS = ("late", "jitter", "paths")
WIRELESS = {
    "random": ("loss", "{ bernoulli = 0.01 }"),
    "bursts": ("loss", "{ gilbert_elliott = { good_to_bad = 0.0025, bad_to_good = 0.25 } }"),
    "rates": (
        "rate",
        '{ markov = { states = ["1 Mbit/s", "2 Mbit/s", "3 Mbit/s"], dwell = ["0.5 s", "0.5 s", "0.5 s"] } }',
    ),
}
"""The differences from the wire: 1 % of the packets lost, alone or in bursts of four; the same mean rate."""


@dataclass(frozen=True)
class Series:
    """Acknowledgments of the same number in a row: the duplicates, and whether the segment was lost."""

    duplicates: int
    is_lost: bool


def duplicates(result: Result) -> list[Series]:
    """All series of duplicate acknowledgments that the sender of connection 1 receives."""
    rows = result.packets.filter((pl.col("flow") == 0) & (pl.col("kind") == "ack"))
    drops = result.drops.filter(pl.col("flow") == 0)
    lost: dict[int, list[float]] = {}
    for time, sequence in drops.select("time_s", "sequence_bytes").iter_rows():
        lost.setdefault(int(sequence), []).append(float(time))
    found = []
    arrivals = rows.select("time_s", "acknowledgment").iter_rows()
    for number, group in groupby(arrivals, key=lambda row: int(row[1])):
        times = [float(time) for time, _ in group]
        if len(times) > 1:
            found.append(Series(len(times) - 1, any(time < times[1] for time in lost.get(number, ()))))
    return found


def measure(
    context: Context, base: Scenario, clean: Mapping[str, Sequence[float]], seeds: int
) -> dict[str, Measured]:
    """Claims on reordering and wireless links, and a table of the three throughputs over each link."""
    rows = [row("as in the paper", clean, clean)]
    measured: dict[str, Measured] = {}
    for kind in KINDS:
        few: dict[str, list[float]] = {}
        indicates: dict[str, list[float]] = {}
        for late_ms in LATE_MS:
            link = base
            for path, value in (
                (f"{LEFT_RIGHT}.impairments", displaced(kind, late_ms)),
                ("trace.packets", f'["{ACKNOWLEDGMENTS}"]'),
                ("trace.interval", "1 s"),  # for the table of drops
            ):
                link = link.with_value(path, value)
            race = context.compare(SPECIFICATIONS, link, seeds=seeds)
            rows.append(row(f"{TITLES[kind]}, {late_ms} ms", wire_kbit_s(race), clean))
            for result in race.results:
                if result.label != "newreno":
                    continue
                series = duplicates(result)
                whole = [one.duplicates <= FEW for one in series if not one.is_lost]
                many = [one.is_lost for one in series if one.duplicates > FEW]
                if whole:
                    few.setdefault(f"{late_ms} ms", []).append(100 * float(np.mean(whole)))
                if many:
                    indicates.setdefault(f"{late_ms} ms", []).append(100 * float(np.mean(many)))
        measured[f"reordering-few-{kind}"] = Each(few)
        measured[f"reordering-indicates-{kind}"] = Each(indicates)
    for kind, (key, value) in WIRELESS.items():
        race = context.compare(SPECIFICATIONS, base.with_value(f"{LEFT_RIGHT}.{key}", value), seeds=seeds)
        found = wire_kbit_s(race)
        rows.append(row(TITLES[kind], found, clean))
        measured[f"wireless-{kind}"] = suffers(clean, found)
        measured[f"wireless-order-{kind}"] = Ordered(found)
    context.table("links", pl.DataFrame(rows))
    return measured


TITLES = {
    "late": "2 % of packets late",
    "jitter": "jitter, packets overtake",
    "paths": "two paths",
    "random": "1 % lost at random",
    "bursts": "1 % lost in bursts",
    "rates": "rate changes",
}


def suffers(clean: Mapping[str, Sequence[float]], other: Mapping[str, Sequence[float]]) -> Measured:
    """True if each variant loses throughput, seed by seed."""
    outcomes = [b < a for name in VARIANTS for a, b in zip(clean[name], other[name], strict=True)]
    found = ", ".join(
        f"{name} {np.mean(other[name]):.0f} of {np.mean(clean[name]):.0f} kbit/s" for name in VARIANTS
    )
    return Holds(outcomes, note=found)


def row(
    link: str, found: Mapping[str, Sequence[float]], clean: Mapping[str, Sequence[float]]
) -> dict[str, object]:
    """Means of the three throughputs, their part of what the wire gives, and whether they are in order."""
    means = {name: float(np.mean(found[name])) for name in VARIANTS}
    return {
        "link": link,
        **{f"{name}_kbit_per_s": means[name] for name in VARIANTS},
        **{f"{name}_%_of_the_wire": f"{100 * means[name] / np.mean(clean[name]):.0f}" for name in VARIANTS},
        "in_order": in_order(means),
    }
