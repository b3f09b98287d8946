"""The capacity of the bottleneck and the share of it that is fair, as figures and charts mark them."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

from ackclock.measures import metrics

if TYPE_CHECKING:
    from ackclock.report.record import ComparisonRecord

__all__ = ["capacity_bit_per_s", "fair_share_bit_per_s"]


def capacity_bit_per_s(comparison: ComparisonRecord, *, payload: bool) -> float:
    """The rate of the bottleneck; with `payload` the part of it that headers leave. NaN without a rate."""
    links = comparison.results[0].columns("links")
    rate = float(links["rate_bit_per_s"][list(links["name"]).index(comparison.bottleneck)])
    if not payload:
        return rate
    tcp = json.loads(comparison.scenario.to_json()).get("tcp", {})
    mss, header = (
        float(str(tcp.get(key, usual)).split()[0]) for key, usual in (("mss", 1460), ("header", 40))
    )
    return rate * mss / (mss + header)


def fair_share_bit_per_s(comparison: ComparisonRecord) -> float:
    """The payload that each flow has where all have the same; NaN where they do not ask for the same.

    UDP keeps what it sends, so that there is no fair share beside it.
    """
    kinds = list(comparison.results[0].columns("flows")["kind"])
    if len(kinds) < 2 or "udp" in kinds or not metrics.alike(comparison.scenario):
        return math.nan
    return capacity_bit_per_s(comparison, payload=True) / len(kinds)
