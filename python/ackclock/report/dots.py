"""Dots with intervals: a metric of each label, and the shares of flows, over all seeds."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ackclock.measures import metrics
from ackclock.measures.metric_columns import bounds
from ackclock.report import style
from ackclock.report.canvas import new_figure
from ackclock.report.capacity import fair_share_bit_per_s, mean_capacity
from ackclock.report.text import for_figures

if TYPE_CHECKING:
    from ackclock.report.record import ComparisonRecord

__all__ = ["LIMITED", "flow_shares", "metric_dots"]

LIMITED = ("goodput_bit_per_s", "throughput_bit_per_s")
"""Metrics that the capacity of the bottleneck limits."""

SEED_SPREAD = 0.22
"""The height over which the dots of seeds spread, in rows."""


def metric_dots(comparison: ComparisonRecord, key: str, width: float | str | None = None) -> Figure:
    """A row per label: a light dot for each seed, the mean and its 95 % interval; the capacity as a line."""
    metric = metrics.metric(key)
    rows = comparison.summary.filter(pl.col("metric") == key)
    factor, unit = metrics.shown(metric, float(rows["mean"].abs().max() or 0))  # type: ignore[arg-type]
    figure, (axis,) = new_figure(height=0.75 + 0.34 * rows.height, width=width)
    chosen = style.looks(comparison.labels)
    seen, halves = [], []
    for place, row in enumerate(rows.iter_rows(named=True)):
        values = comparison.runs.filter(pl.col("label") == row["label"])[key].drop_nans().to_numpy() * factor
        half = (row["high"] - row["low"]) / 2 * factor
        has_interval = math.isfinite(half) and not comparison.seeds_alike
        least, most = bounds(key)
        low, high = max(row["low"], least) * factor, min(row["high"], most) * factor
        mean = row["mean"] * factor
        look = chosen[row["label"]]
        if values.size > 1:
            heights = place + SEED_SPREAD * (np.arange(values.size) / (values.size - 1) - 0.5) * 2
            axis.plot(values, heights, ".", color=look.colour, alpha=0.35, markersize=3.5, zorder=2)
        axis.errorbar(
            mean, place, xerr=[[mean - low], [high - mean]] if has_interval else None, fmt=look.marker,
            color=look.colour, markersize=6, capsize=3, linewidth=1.2, zorder=3,
        )  # fmt: skip
        seen += [*values.tolist(), mean, high if has_interval else mean]
        halves.append(half if has_interval else 0.0)
    if key in LIMITED:
        capacity, name = mean_capacity(comparison, payload=key == LIMITED[0])
        if math.isfinite(capacity):
            mark(axis, capacity * factor, name)
            seen.append(capacity * factor)
    axis.set_xlim(*style.limits(seen, halves))
    axis.set_yticks(range(rows.height), [for_figures(label) for label in rows["label"]])
    axis.set_ylim(rows.height - 0.5, -0.5)
    axis.grid(visible=False, axis="y")
    axis.set_xlabel(f"{metric.noun}{f' [{unit}]' if unit else ''}")
    return figure


def flow_shares(comparison: ComparisonRecord, width: float | str | None = None) -> Figure | None:
    """The goodput of every flow in every seed, a row per label with its median; None without a fair share."""
    fair = fair_share_bit_per_s(comparison)
    if not math.isfinite(fair):
        return None
    metric = metrics.metric("goodput_bit_per_s")
    flows = comparison.table("flows").filter(pl.col("goodput_bit_per_s").is_finite())
    if flows.is_empty():
        return None
    factor, unit = metrics.shown(metric, float(flows["goodput_bit_per_s"].max()))  # type: ignore[arg-type]
    figure, (axis,) = new_figure(height=0.75 + 0.34 * len(comparison.labels), width=width)
    chosen = style.looks(comparison.labels)
    for place, label in enumerate(comparison.labels):
        values = np.sort(flows.filter(pl.col("label") == label)["goodput_bit_per_s"].to_numpy()) * factor
        if not values.size:
            continue
        heights = place + 0.3 * np.sin(2.399963 * np.arange(values.size))  # spread, and equal in every run
        colour = chosen[label].colour
        axis.plot(values, heights, ".", color=colour, alpha=0.5, markersize=3.5, zorder=2)
        axis.plot([np.median(values)] * 2, [place - 0.38, place + 0.38], color=colour, linewidth=2, zorder=3)
    mark(axis, fair * factor, "fair share")
    axis.set_xlim(0, 1.06 * max(fair * factor, float(flows["goodput_bit_per_s"].max()) * factor))  # type: ignore[arg-type]
    axis.set_yticks(range(len(comparison.labels)), [for_figures(label) for label in comparison.labels])
    axis.set_ylim(len(comparison.labels) - 0.5, -0.5)
    axis.grid(visible=False, axis="y")
    axis.set_xlabel(f"goodput of each flow [{unit}]")
    return figure


def mark(axis: Axes, value: float, text: str) -> None:
    """A vertical line at a value that the network sets, with its name above."""
    axis.axvline(value, color="#555555", linewidth=0.9, linestyle=(0, (4, 2)), zorder=1)
    axis.annotate(
        text, (value, 1), xycoords=("data", "axes fraction"), xytext=(0, 2), textcoords="offset points",
        ha="center", va="bottom", fontsize=7, color="#555555",
    )  # fmt: skip
