"""Tables of the experience of applications: calls, films, and responses to requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ackclock.measures import censored
from ackclock.report.tables import View, entity_view

if TYPE_CHECKING:
    from ackclock.report.record import ComparisonRecord

__all__ = ["experience_views"]

Columns = tuple[tuple[str, str, str, float, int], ...]

_KEYS = ["label", "flow", "row"]

_SHARES = {"p50_s": 0.5, "p95_s": 0.95, "p99_s": 0.99, "longest_s": 1.0}
"""The percentiles of a request's time."""

_CALL_COLUMNS: Columns = (
    ("delay_p50_s", "Delay, 50 %", "ms", 1e3, 1),
    ("delay_p95_s", "95 %", "ms", 1e3, 1),
    ("delay_p98_s", "98 %", "ms", 1e3, 1),
    ("delay_max_s", "Longest", "ms", 1e3, 1),
    ("loss", "Lost", "%", 100, 2),
    ("loss_of_seconds_max", "Lost, worst second", "%", 100, 1),
    ("rate_bit_per_s", "Rate", "kbit/s", 1e-3, 1),
    ("ramp_s", "Ramp-up", "s", 1, 0),
    ("freezes", "Freezes", "", 1, 0),
    ("longest_freeze_s", "Longest freeze", "ms", 1e3, 0),
)

_FILM_COLUMNS: Columns = (
    ("rate_bit_per_s", "Rate", "kbit/s", 1e-3, 0),
    ("utility", "Utility", "", 1, 2),
    ("switches", "Switches", "", 1, 0),
    ("startup_s", "Start-up", "s", 1, 2),
    ("freezes", "Freezes", "", 1, 0),
    ("longest_freeze_s", "Longest freeze", "s", 1, 1),
    ("frozen_share", "Frozen", "%", 100, 2),
    ("qoe_bit_per_s", "Quality of experience", "kbit/s", 1e-3, 0),
)

_RESPONSE_COLUMNS: Columns = (
    ("requests", "Requests", "", 1, 0),
    ("answered_share", "Answered", "%", 100, 1),
    ("p50_s", "Time, 50 %", "ms", 1e3, 1),
    ("p95_s", "95 %", "ms", 1e3, 1),
    ("p99_s", "99 %", "ms", 1e3, 1),
    ("longest_s", "Longest", "ms", 1e3, 1),
)


def experience_views(comparison: ComparisonRecord) -> list[View]:
    """A row per call, per viewer of a film, and per other flow of requests, where a run has any."""
    calls, films = comparison.table("calls"), comparison.table("films")
    responses = comparison.table("responses")
    if films.height and responses.height:
        responses = responses.join(films, on=["label", "seed", "flow"], how="anti", maintain_order="left")
    views = []
    if calls.height:
        views.append(entity_view(comparison, "Calls", _named(comparison, calls), _KEYS, _CALL_COLUMNS))
    if films.height:
        views.append(entity_view(comparison, "Films", _named(comparison, films), _KEYS, _FILM_COLUMNS))
    if responses.height:
        times = _named(comparison, _percentiles(comparison, responses))
        views.append(entity_view(comparison, "Requests", times, _KEYS, _RESPONSE_COLUMNS))
    return views


def _named(comparison: ComparisonRecord, table: pl.DataFrame) -> pl.DataFrame:
    """The table with the names of its flows in `row`."""
    names = comparison.table("flows").select("label", "seed", "flow", row="name")
    return table.join(names, on=["label", "seed", "flow"], how="left", maintain_order="left")


def _percentiles(comparison: ComparisonRecord, responses: pl.DataFrame) -> pl.DataFrame:
    """The times from request to response, by flow, of the requests after the warm-up.

    A request without a response at the end of the run counts as longer than until then.
    """
    scenario = comparison.scenario
    rows = []
    asked = responses.filter(pl.col("request_s") >= scenario.warm_up_s)
    for (label, seed, flow), mine in asked.group_by(["label", "seed", "flow"], maintain_order=True):
        times = (mine["finish_s"] - mine["request_s"]).to_numpy()
        is_there = np.isfinite(times)
        waited = (scenario.duration_s - mine["request_s"]).to_numpy()[~is_there]
        percentiles = {
            key: censored.quantile(times[is_there], waited, share) for key, share in _SHARES.items()
        }
        share = float(is_there.mean())
        rows.append(
            {"label": label, "seed": seed, "flow": flow, "requests": mine.height, "answered_share": share}
            | percentiles
        )
    schema = {name: responses[name].dtype for name in ("label", "seed", "flow")}
    return pl.DataFrame(rows, schema_overrides=schema)
