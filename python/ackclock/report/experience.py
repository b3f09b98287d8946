"""Tables of the experience of applications: calls, and responses to requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from ackclock.report.tables import View, entity_view

if TYPE_CHECKING:
    from ackclock.report.record import ComparisonRecord

__all__ = ["experience_views"]

Columns = tuple[tuple[str, str, str, float, int], ...]

_KEYS = ["label", "flow", "row"]

_CALL_COLUMNS: Columns = (
    ("delay_p50_s", "Delay, 50 %", "ms", 1e3, 1),
    ("delay_p95_s", "95 %", "ms", 1e3, 1),
    ("delay_p99_s", "99 %", "ms", 1e3, 1),
    ("delay_max_s", "Longest", "ms", 1e3, 1),
    ("loss", "Lost", "%", 100, 2),
    ("loss_of_seconds_max", "Lost, worst second", "%", 100, 1),
)

_RESPONSE_COLUMNS: Columns = (
    ("responses", "Responses", "", 1, 0),
    ("p50_s", "Time, 50 %", "ms", 1e3, 1),
    ("p95_s", "95 %", "ms", 1e3, 1),
    ("p99_s", "99 %", "ms", 1e3, 1),
    ("longest_s", "Longest", "ms", 1e3, 1),
)


def experience_views(comparison: ComparisonRecord) -> list[View]:
    """A row per call, and a row per flow of requests, where a run has any."""
    calls, responses = comparison.table("calls"), comparison.table("responses")
    views = []
    if calls.height:
        views.append(entity_view(comparison, "Calls", _named(comparison, calls), _KEYS, _CALL_COLUMNS))
    if responses.height:
        times = _named(comparison, _percentiles(comparison, responses))
        views.append(entity_view(comparison, "Requests", times, _KEYS, _RESPONSE_COLUMNS))
    return views


def _named(comparison: ComparisonRecord, table: pl.DataFrame) -> pl.DataFrame:
    """The table with the names of its flows in `row`."""
    names = comparison.table("flows").select("label", "seed", "flow", row="name")
    return table.join(names, on=["label", "seed", "flow"], how="left", maintain_order="left")


def _percentiles(comparison: ComparisonRecord, responses: pl.DataFrame) -> pl.DataFrame:
    """The times from request to response, by flow, of the answered requests after the warm-up."""
    answered = responses.filter(
        pl.col("finish_s").is_finite() & (pl.col("request_s") >= comparison.scenario.warm_up_s)
    ).with_columns(time_s=pl.col("finish_s") - pl.col("request_s"))
    return answered.group_by(["label", "seed", "flow"], maintain_order=True).agg(
        responses=pl.len(),
        p50_s=pl.col("time_s").quantile(0.50),
        p95_s=pl.col("time_s").quantile(0.95),
        p99_s=pl.col("time_s").quantile(0.99),
        longest_s=pl.col("time_s").max(),
    )
