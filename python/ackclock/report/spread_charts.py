"""Charts of all seeds: a dot for each value of a metric, and the distribution of all flows' goodputs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ackclock.measures import metrics
from ackclock.measures.metric_columns import bounds
from ackclock.report import style
from ackclock.report.capacity import mean_capacity
from ackclock.report.chart import Chart, ChartGroup, packed

if TYPE_CHECKING:
    from ackclock.report.record import ComparisonRecord

__all__ = ["GOODPUT", "metric_chart", "spread"]

GOODPUT = "goodput_bit_per_s"

SPREAD = (
    "call_delay_s",
    "queueing_delay_s",
    "mean_rtt_s",
    "loss_share",
    "retransmissions",
    "fairness",
    "completion_s",
    "page_median_s",
)
"""The metrics whose seeds have a chart, besides the goodput."""

FEWEST = 10
"""The least number of flows, of all seeds together, whose goodputs are drawn as a distribution."""

MOST_POINTS = 400


def spread(comparison: ComparisonRecord) -> list[ChartGroup]:
    """Charts of the differences between seeds and between flows.

    None for a single seed, or if all are equal.
    """
    groups = []
    if len(comparison.seeds) > 1 and not comparison.seeds_alike:
        made = tuple(metric_chart(comparison, key, height=240) for key in SPREAD if _varies(comparison, key))
        if made:
            text = "A light dot for each seed, the mean over the seeds and its 95 % confidence interval."
            groups.append(ChartGroup("seeds", "Seed by seed", text, made))
    if flows := _flow_goodputs(comparison):
        text = "Of all flows of all seeds, the share with at most this goodput."
        groups.append(ChartGroup("flows", "Goodput of every flow", text, (flows,)))
    return groups


def _varies(comparison: ComparisonRecord, key: str) -> bool:
    """True if a metric has more than one value in the runs."""
    return comparison.runs[key].drop_nans().n_unique() > 1


def metric_chart(comparison: ComparisonRecord, key: str, height: int = 300) -> Chart:
    """The mean of a metric for each label with its interval, and each seed's value as a light dot."""
    metric = metrics.metric(key)
    rows = comparison.summary.filter(pl.col("metric") == key)
    factor, unit = metrics.shown(metric, max(abs(value) for value in rows["mean"].to_list()))
    chosen = style.looks(comparison.labels)
    dots, halves, seen = [], [], []
    for row in rows.iter_rows(named=True):
        least, most = bounds(key)
        low, high = _interval(max(row["low"], least) * factor, min(row["high"], most) * factor, comparison)
        runs = comparison.runs.filter(pl.col("label") == row["label"])[key].drop_nans() * factor
        seeds = runs.to_list() if runs.len() > 1 and not comparison.seeds_alike else []
        mean = row["mean"] * factor
        dots.append(
            {
                "label": row["label"],
                "x": row["label"],
                "y": mean,
                "colour": chosen[row["label"]].colour,
                "seeds": seeds,
                "low": low,
                "high": high,
            }
        )
        halves.append((high - low) / 2 if low is not None and high is not None else 0.0)
        seen += [mean, *seeds]
    capacity, name = mean_capacity(comparison, payload=True) if key == GOODPUT else (math.nan, "")
    limit = capacity * factor
    known = math.isfinite(limit)
    title = metric.noun
    return {
        "title": "",
        "height": height,
        "x": {"label": "", "factors": rows["label"].to_list()},
        "y": {
            "label": f"{title} [{unit}]" if unit else title,
            "range": style.limits([*seen, limit] if known else seen, halves),
            "name": title,
            "unit": unit,
        },
        "dots": dots,
        "line": {"y": limit, "text": name} if known else None,
        "alternative": f"{metric.title}{f' in {unit}' if unit else ''}: "
        + "; ".join(f"{dot['label']} {dot['y']:.4g}" for dot in dots)
        + ".",
    }


def _interval(low: float, high: float, comparison: ComparisonRecord) -> tuple[float | None, float | None]:
    if math.isfinite(low) and math.isfinite(high) and not comparison.seeds_alike:
        return low, high
    return None, None


def _flow_goodputs(comparison: ComparisonRecord) -> Chart | None:
    """The distribution of the flows' goodputs by label.

    None if runs have a single flow, or if all runs together have few flows.
    """
    flows = comparison.table("flows").filter((pl.col("kind") != "udp") & pl.col(GOODPUT).is_finite())
    counts = flows.group_by("label").len()["len"]
    if counts.is_empty() or int(counts.min()) < max(FEWEST, 2 * len(comparison.seeds)):  # type: ignore[arg-type]
        return None
    metric = metrics.metric(GOODPUT)
    factor, unit = metrics.shown(metric, float(flows[GOODPUT].max()))  # type: ignore[arg-type]
    chosen = style.looks(comparison.labels)
    curves, medians = [], []
    for label in comparison.labels:
        values = np.sort(flows.filter(pl.col("label") == label)[GOODPUT].to_numpy()) * factor
        share = np.arange(1, values.size + 1) / values.size
        kept = np.unique(np.linspace(0, values.size - 1, min(MOST_POINTS, values.size)).round().astype(int))
        dash = chosen[label].dash if len(comparison.labels) > 1 else ()
        curves.append(
            {
                "label": label,
                "x": packed(np.append(values[0], values[kept])),
                "y": packed(np.append(0.0, share[kept])),
                "colour": chosen[label].colour,
                "width": 1.6,
                "dash": [3 * length for length in dash],
                "alpha": 1.0,
                "step": True,
            }
        )
        medians.append(f"{label} {np.median(values):.4g}")
    return {
        "title": "",
        "height": 300,
        "x": {"label": f"goodput of a flow [{unit}]", "name": "goodput", "unit": unit},
        "y": {"label": "ECDF of flows", "range": [0, 1.02], "name": "share", "unit": ""},
        "curves": curves,
        "legend": len(curves) > 1,
        "alternative": f"Distribution of the goodput of all flows in {unit}; medians: {'; '.join(medians)}.",
    }
