"""Distributions of transfer times as figures need them: a panel per class of size, a curve per algorithm."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ackclock import style, tails, transfers

if TYPE_CHECKING:
    from ackclock.experiments import Comparison

__all__ = ["FEWEST", "TimeCurve", "TimePanel", "TransferFigure", "transfer_figure"]

Floats = NDArray[np.float64]

FEWEST = 10
"""With fewer files begun there is no distribution to draw."""

MOST_POINTS = 400
"""Of a curve; more cannot be told apart."""


@dataclass(frozen=True)
class TimeCurve:
    """The distribution of one label's transfer times."""

    label: str
    look: style.Look
    time_s: Floats
    """Rising."""
    share: Floats
    """Of the files begun, those finished by then; rises from 0 to the share that finished at all."""


@dataclass(frozen=True)
class TimePanel:
    """One class of files."""

    title: str
    curves: tuple[TimeCurve, ...]


@dataclass(frozen=True)
class TransferFigure:
    """All panels, and what to say beside them."""

    panels: tuple[TimePanel, ...]
    note: str


def transfer_figure(comparison: Comparison) -> TransferFigure | None:
    """Transfer times of all seeds by label; None where too few files were begun, or rows were not kept.

    Mice and elephants have a panel each if the sizes have a heavy tail and both classes enough files.
    """
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
    titles = {"mice": f"mice, up to {largest} packets", "elephants": f"elephants, above {largest} packets"}
    panels = [
        _panel(title, {label: classes[name] for label, classes in split.items()}, looks)
        for name, title in titles.items()
    ]
    return TransferFigure(tuple(panels), f"{note} Elephants are the tail of the sizes, by AEST.")


def _threshold(runs: list[pl.DataFrame]) -> float:
    """Where the tail of one label's sizes begins; NaN where it is not heavy or the files are too few."""
    sizes = np.concatenate(
        [files.sort("start_s", maintain_order=True)["packets"].to_numpy() for files in runs]
    )
    if sizes.size < tails.FEWEST:
        return math.nan
    tail = tails.aest(sizes)
    return tail.first_tail_point if tail.is_heavy else math.nan


def _panel(title: str, files: dict[str, pl.DataFrame], looks: dict[str, style.Look]) -> TimePanel:
    curves = []
    for label, mine in files.items():
        times, shares = transfers.time_cdf(mine)
        if times.size:
            kept = np.unique(np.linspace(0, times.size - 1, min(MOST_POINTS, times.size)).round().astype(int))
            time_s, share = np.append(times[0], times[kept]), np.append(0.0, shares[kept])
            curves.append(TimeCurve(label, looks[label], time_s, share))
    return TimePanel(title, tuple(curves))
