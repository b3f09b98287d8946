"""Metrics as columns of tables: their meanings, and the values that they can have."""

from __future__ import annotations

import math

from ackclock.columns import TableKind
from ackclock.measures import metrics

__all__ = ["RUNS", "bounds"]

RUNS = TableKind(
    "one row per run: every metric in base units", {each.key: each.meaning for each in metrics.METRICS}
)
"""The table `runs` of a results folder."""


def bounds(key: str) -> tuple[float, float]:
    """The smallest and the largest value that is possible, beyond which no interval is drawn.

    Shares, which are shown in per cent, and Jain's index are at most 1. Nothing is known of columns that a
    plan's own measures add.
    """
    if key not in metrics.KEYS:
        return (0.0, 1.0) if key.endswith("_share") else (-math.inf, math.inf)
    is_share = metrics.metric(key).unit == "%" or key == "fairness"
    return 0.0, 1.0 if is_share else math.inf
