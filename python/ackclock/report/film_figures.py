"""The rate and the buffer of films over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock.report import style
from ackclock.report.curves import Curve, Floats, Panel, TimeFigure, thinned
from ackclock.report.quantities import QUANTITIES

if TYPE_CHECKING:
    import polars as pl

    from ackclock.measures.record import RunRecord

__all__ = ["film_figures"]

MOST_CURVES = 6
"""The most viewers that have curves; more would hide each other."""


def film_figures(results: list[RunRecord], points: int) -> list[TimeFigure]:
    """The figures of the first seed: a curve per viewer; of a comparison, of the first viewer of each run."""
    curves: list[tuple[str, pl.DataFrame]] = []
    note = ""
    for result in results:
        table = result.tables["segments"]
        viewers = table["flow"].unique(maintain_order=True).to_list() if table.width else []
        shown = viewers[: 1 if len(results) > 1 else MOST_CURVES]
        if len(viewers) > len(shown):
            note = f"The first {len(shown)} viewers." if len(shown) > 1 else "The first viewer of each run."
        names = dict(zip(result.flows["flow"], result.flows["name"], strict=True))
        for flow in shown:
            label = result.label if len(results) > 1 else names[flow]
            curves.append((label, table.filter(table["flow"] == flow)))
    if not curves:
        return []
    looks = style.looks([label for label, _ in curves])
    figures = []
    for key, drawn, is_step in (("film-rate", _rate, True), ("film-buffer", _buffer, False)):
        quantity = QUANTITIES[key]
        made = []
        for label, segments in curves:
            time, value = thinned(*drawn(segments), points)
            made.append(Curve(label, looks[label], time, value * quantity.factor, is_step=is_step))
        figures.append(TimeFigure(quantity, (Panel("", tuple(made)),), note))
    return figures


def _rate(segments: pl.DataFrame) -> tuple[Floats, Floats]:
    return segments["request_s"].to_numpy(), segments["rate_bit_per_s"].to_numpy()


def _buffer(segments: pl.DataFrame) -> tuple[Floats, Floats]:
    """The buffer at each request, when it is empty or the segment complete, and with the segment."""
    columns = ("request_s", "finish_s", "buffer_at_request_s", "buffer_s")
    request, finish, at_request, full = (segments[name].to_numpy() for name in columns)
    # The first segment finds an empty buffer.
    length = full[0] if full.size else 0.0
    before = full - length
    played_until = np.minimum(request + np.maximum(at_request - before, 0.0), finish)
    time = np.stack([request, played_until, finish, finish], axis=1).ravel()
    value = np.stack([at_request, before, before, full], axis=1).ravel()
    known = np.isfinite(time)
    return time[known], value[known]
