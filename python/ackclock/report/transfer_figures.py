"""Distributions of times for figures: panels of files, users or pages, a curve per algorithm."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ackclock.measures import heavy_tail, statistics, transfers, users
from ackclock.report import style
from ackclock.report.text import counted

if TYPE_CHECKING:
    from ackclock.report.record import ComparisonRecord

__all__ = ["FEWEST", "TimeCurve", "TimePanel", "TransferFigure", "transfer_figure", "user_figure"]

Floats = NDArray[np.float64]

FEWEST = 10
"""The least number of files for which a distribution is drawn."""

MOST_POINTS = 400
"""The most points of a curve."""


@dataclass(frozen=True)
class TimeCurve:
    """The distribution of one label's times."""

    label: str
    look: style.Look
    time_s: Floats
    """The times, rising."""
    share: Floats
    """The share of the files or users with at most this time; it rises from 0 to the share of those that have
    a time."""


@dataclass(frozen=True)
class TimePanel:
    """One class of files, or users, or their pages."""

    title: str
    curves: tuple[TimeCurve, ...]
    axis: str = "flow completion time [s]"
    share: str = "ECDF of files begun"


@dataclass(frozen=True)
class TransferFigure:
    """All panels, and the note next to them."""

    panels: tuple[TimePanel, ...]
    note: str


def transfer_figure(comparison: ComparisonRecord) -> TransferFigure | None:
    """Flow completion times of all seeds by label; None if few files were begun, or their rows were not kept.

    Mice and elephants have a panel each if the sizes have a heavy tail and both classes have enough files.
    """
    if any("transfers" not in result.tables for result in comparison.results):
        return None
    recorded: dict[str, list[pl.DataFrame]] = {label: [] for label in comparison.labels}
    for result in comparison.results:
        recorded[result.label].append(transfers.records(result))
    files = {label: pl.concat(parts) for label, parts in recorded.items() if parts}
    if not files or min(mine.height for mine in files.values()) < FEWEST:
        return None
    looks = style.looks(comparison.labels)
    note = "Of the files begun, the share transferred within a time; what did not finish is missing to 1."
    if len(comparison.seeds) > 1:
        note += " All seeds together."
    threshold = _threshold(next(iter(recorded.values())))
    split = {label: transfers.by_class(mine, threshold) for label, mine in files.items()}
    if any(mine.height < FEWEST for classes in split.values() for mine in classes.values()):
        return TransferFigure((_panel("", files, looks),), note)
    largest = math.floor(threshold)
    size = counted(largest, "packet")
    titles = {"mice": f"mice, up to {size}", "elephants": f"elephants, above {size}"}
    panels = [
        _panel(title, {label: classes[name] for label, classes in split.items()}, looks)
        for name, title in titles.items()
    ]
    return TransferFigure(tuple(panels), f"{note} Elephants are the tail of the sizes, by AEST.")


def _threshold(runs: list[pl.DataFrame]) -> float:
    """The size at which the tail of one label's sizes begins.

    NaN if the tail is not heavy or the files are too few.
    """
    sizes = np.concatenate(
        [files.sort("start_s", maintain_order=True)["packets"].to_numpy() for files in runs]
    )
    if sizes.size < heavy_tail.FEWEST:
        return math.nan
    tail = heavy_tail.aest(sizes)
    return tail.first_tail_point if tail.is_heavy else math.nan


def user_figure(comparison: ComparisonRecord) -> TransferFigure | None:
    """Users' longest stalls, and the times of pages, of all seeds by label; None if there are no users.

    There is no panel of pages if too few were requested, or their rows were not kept.
    """
    runs = {label: [r for r in comparison.results if r.label == label] for label in comparison.labels}
    stalls = {
        label: pl.concat([users.longest_stalls(result) for result in mine])
        for label, mine in runs.items()
        if mine
    }
    if not stalls or min(mine.len() for mine in stalls.values()) < FEWEST:
        return None
    looks = style.looks(comparison.labels)
    drawn = {label: statistics.cdf(mine.to_numpy()) for label, mine in stalls.items()}
    panels = [_curves("longest stall of each user", drawn, looks, "longest stall [s]", "ECDF of users")]
    pages = {
        label: pl.concat([users.records(result) for result in mine])
        for label, mine in runs.items()
        if mine and all("pages" in result.tables for result in mine)
    }
    if len(pages) == len(stalls) and min(mine.height for mine in pages.values()) >= FEWEST:
        drawn = {label: transfers.time_cdf(mine) for label, mine in pages.items()}
        panels.append(_curves("pages", drawn, looks, "page load time [s]", "ECDF of pages begun"))
    note = "A stall is a time without new data on any connection of a user while a page is under way."
    return TransferFigure(tuple(panels), note + (" All seeds together." if len(comparison.seeds) > 1 else ""))


def _panel(title: str, files: dict[str, pl.DataFrame], looks: dict[str, style.Look]) -> TimePanel:
    return _curves(title, {label: transfers.time_cdf(mine) for label, mine in files.items()}, looks)


def _curves(
    title: str, drawn: dict[str, tuple[Floats, Floats]], looks: dict[str, style.Look], *axes: str
) -> TimePanel:
    curves = []
    for label, (times, shares) in drawn.items():
        if times.size:
            kept = np.unique(np.linspace(0, times.size - 1, min(MOST_POINTS, times.size)).round().astype(int))
            time_s, share = np.append(times[0], times[kept]), np.append(0.0, shares[kept])
            curves.append(TimeCurve(label, looks[label], time_s, share))
    return TimePanel(title, tuple(curves), *axes)
