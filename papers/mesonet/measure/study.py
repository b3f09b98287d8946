"""The dumbbell of figure 5-6: nine configurations, three round-trip times, the chapter's measures."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import polars as pl

from ackclock import Result, Scenario
from ackclock.papers import Context

from .traces import Windows

RTTS_MS = (42, 162, 324)
BUFFERS = {42: 176, 162: 680, 324: 1360}
"""Table 5-9, in packets."""
PACKETS_PER_MS = 21
BOTTLENECK = "access1->backbone1"

AVOIDANCES = {
    "tcp": "reno(limit=1)",
    "bic": "bic",
    "ctcp": "compound",
    "fast-tuning": "fast(tuning=1)",
    "fast-80": "fast(alpha=80)",
    "fast-200": "fast(alpha=200)",
    "hstcp": "hstcp",
    "htcp": "htcp",
    "scalable": "scalable",
}
TITLES = {
    "tcp": "TCP",
    "bic": "BIC",
    "ctcp": "CTCP",
    "fast-tuning": "FAST, alpha tuning",
    "fast-80": "FAST, alpha = 80",
    "fast-200": "FAST, alpha = 200",
    "hstcp": "HSTCP",
    "htcp": "H-TCP",
    "scalable": "Scalable TCP",
}
ABSTRACT, FULL = "acknak", "sack"
"""The chapter's transport, and TCP with selective acknowledgments."""

Item = TypeVar("Item")
Cell = tuple[str, int]
"""A configuration and a round-trip time in ms."""


def bdp(rtt_ms: int) -> int:
    """The bandwidth-delay product in packets."""
    return rtt_ms * PACKETS_PER_MS


def specification(configuration: str, transport: str) -> str:
    """The algorithm of a configuration: limited slow start by (5), up to whose threshold windows double."""
    return f"{transport}+limited-mesonet(max_ssthresh=100)+{AVOIDANCES[configuration]}"


def words(name: str) -> str:
    """A configuration's name for people; a competitor has its own."""
    return TITLES.get(name, name)


def specifications(context: Context, transport: str, names: Iterable[str] = AVOIDANCES) -> dict[str, str]:
    """The algorithms of these configurations, and of the competitors that the user adds.

    Over the abstract transport a competitor has no recovery, whatever it names.
    """
    own = {name: specification(name, transport) for name in names}
    over = transport if transport == ABSTRACT else ""
    return context.with_competitors(own, specification("tcp", transport), over)


def of_paper(grid: Mapping[Cell, Item]) -> dict[Cell, Item]:
    """The chapter's own configurations, without competitors: those that claims are about."""
    return {cell: item for cell, item in grid.items() if cell[0] in AVOIDANCES}


def dumbbell(context: Context, rtt_ms: int, settings: Mapping[str, str] | None = None) -> Scenario:
    """The scenario with this round-trip time."""
    path = {"topology.graph.link.3.delay": f"{rtt_ms * 500} us"}
    return context.scenario("figure-5-6", {**path, **(settings or {})})


@dataclass(frozen=True)
class Outcome:
    """One run in numbers, over 250 to 1000 s."""

    rtt_ms: int
    windows: tuple[float, float]
    """The flows' average windows in packets."""
    utilisation: float
    """Of the bottleneck: the share of the time it was sending."""
    queue: float
    """Packets waiting at the bottleneck, averaged over time."""
    longest_queue: int
    forwarded_per_s: float
    min_rtt_s: float
    losses: int
    shares: tuple[float, float]
    """The throughput of the flows, in packets per ms."""

    @staticmethod
    def of(result: Result, rtt_ms: int) -> Outcome:
        """The measures of a run that the tables need."""
        flows = result.flows.sort("flow")
        link = result.links.row(by_predicate=pl.col("name") == BOTTLENECK, named=True)
        first, second = (float(value) for value in flows["mean_cwnd_packets"])
        one, other = (float(value) / (1460 * 8 * 1e3) for value in flows["goodput_bit_per_s"])
        seconds = result.scenario.duration_s - result.scenario.warm_up_s
        return Outcome(
            rtt_ms,
            (first, second),
            float(link["utilisation"]),
            float(link["mean_queue_packets"]),
            int(link["max_queue_packets"]),
            float(link["packets_forwarded"]) / seconds,
            float(flows["min_rtt_s"][0]),
            int(link["dropped_queue"]),
            (one, other),
        )

    @property
    def excess(self) -> float:
        """Packets that the average windows have beyond the bandwidth-delay product; negative for too few."""
        return sum(self.windows) - bdp(self.rtt_ms)

    @property
    def link(self) -> float:
        """Table 5-10: link utilisation by average windows."""
        return min(1.0, sum(self.windows) / bdp(self.rtt_ms))

    @property
    def buffer(self) -> float:
        """Table 5-10: buffer utilisation by average windows."""
        return max(0.0, self.excess / BUFFERS[self.rtt_ms])

    @property
    def fairness(self) -> float:
        """Table 5-11: Jain's index of the average windows."""
        return jain(self.windows)

    def value(self, table: str) -> float:
        """The number that this run puts into a published table."""
        return {"link": self.link, "buffer": self.buffer, "fairness": self.fairness}[table]


NEAR = 0.02
"""The distance at which a cell of tables 5-10 and 5-11 counts as reproduced."""


def is_near(ours: float, published: float) -> bool:
    """True if a cell agrees; distances between decimal numbers are compared with a tolerance of rounding."""
    return abs(ours - published) <= NEAR + 1e-12


TABLES = {"link": "Table 5-10", "buffer": "Table 5-10", "fairness": "Table 5-11"}


def jain(values: Sequence[float]) -> float:
    """Jain's index, from 1/n to 1."""
    return float(sum(values) ** 2 / (len(values) * sum(value**2 for value in values)))


@dataclass(frozen=True)
class Run:
    """A deterministic run: its numbers, and windows over time."""

    outcome: Outcome
    windows: Windows


def grid(
    context: Context, rtts: Sequence[int], transport: str, names: Iterable[str] = AVOIDANCES
) -> dict[Cell, Run]:
    """One run for each configuration and round-trip time, both flows starting on the dot."""
    variants = specifications(context, transport, names)
    runs = {}
    for rtt in rtts:
        scenario = dumbbell(context, rtt, {"trace.interval": "100 ms"})
        for result in context.compare(variants, scenario).results:
            runs[result.label, rtt] = Run(Outcome.of(result, rtt), Windows.of(result))
    return runs


def starts(
    context: Context, rtts: Sequence[int], names: Sequence[str], seeds: int
) -> dict[Cell, list[Outcome]]:
    """The runs with starts uniformly distributed over a second."""
    settings = {"flow.0.start_jitter": "1 s", "flow.1.start_jitter": "1 s"}
    found = {}
    variants = specifications(context, ABSTRACT, names)
    for name, rtt in itertools.product(variants, rtts):
        variant = {name: variants[name]}
        race = context.compare(variant, dumbbell(context, rtt, settings), seeds=seeds)
        found[name, rtt] = [Outcome.of(result, rtt) for result in race.results]
    return found
