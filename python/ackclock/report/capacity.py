"""The capacity of the bottleneck and the fair share of it, which figures and charts mark."""

from __future__ import annotations

import json
import math
import statistics
from typing import TYPE_CHECKING

from ackclock.measures import metrics

if TYPE_CHECKING:
    from ackclock._native import Scenario
    from ackclock.report.record import ComparisonRecord

__all__ = ["capacity_bit_per_s", "fair_share_bit_per_s", "has_steady_links", "mean_capacity"]


def mean_capacity(comparison: ComparisonRecord, *, payload: bool) -> tuple[float, str]:
    """The capacity in bit/s, and its name: the mean over the seeds if they differ."""
    capacities = [capacity_bit_per_s(comparison, payload=payload, seed=seed) for seed in comparison.seeds]
    name = "capacity" if len(set(capacities)) == 1 else "mean capacity"
    return statistics.fmean(capacities), name


def capacity_bit_per_s(comparison: ComparisonRecord, *, payload: bool, seed: int | None = None) -> float:
    """The rate of the bottleneck with the first seed, or with this one; NaN without a rate.

    With `payload` it is the rate without headers.
    """
    links = comparison.result(comparison.labels[0], seed).columns("links")
    rate = float(links["rate_bit_per_s"][list(links["name"]).index(comparison.bottleneck)])
    if not payload:
        return rate
    tcp = json.loads(comparison.scenario.to_json()).get("tcp", {})
    mss, header = (
        float(str(tcp.get(key, usual)).split()[0]) for key, usual in (("mss", 1460), ("header", 40))
    )
    return rate * mss / (mss + header)


def has_steady_links(scenario: Scenario) -> bool:
    """True if no link has a rate that changes: by a schedule, a trace or a path of that kind."""

    def is_steady(tree: object) -> bool:
        if isinstance(tree, list):
            return all(map(is_steady, tree))
        if not isinstance(tree, dict):
            return True
        changes = {"path", "schedule"} & tree.keys() or isinstance(tree.get("rate"), dict)
        return not changes and all(map(is_steady, tree.values()))

    return is_steady(json.loads(scenario.to_json()).get("topology"))


def fair_share_bit_per_s(comparison: ComparisonRecord) -> float:
    """The payload rate of each flow if all have equal shares; NaN if their demands differ.

    UDP does not yield, so there is no fair share with it; nor is there one if some flows do not cross the
    bottleneck, which then forwards less than all flows deliver.
    """
    flows = comparison.results[0].columns("flows")
    kinds = list(flows["kind"])
    if len(kinds) < 2 or "udp" in kinds or not metrics.alike(comparison.scenario):
        return math.nan
    links = comparison.results[0].columns("links")
    place = list(links["name"]).index(comparison.bottleneck)
    forwarded = float(links["rate_bit_per_s"][place]) * float(links["utilisation"][place])
    if sum(map(float, flows["goodput_bit_per_s"])) > forwarded:
        return math.nan
    return capacity_bit_per_s(comparison, payload=True) / len(kinds)
