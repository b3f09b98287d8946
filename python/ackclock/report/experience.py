"""Tables of the experience of applications: calls, films, pages, and responses to requests."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ackclock.measures import censored
from ackclock.measures.groups import group_names, groups_of
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
    ("stalls", "Freezes", "", 1, 0),
    ("longest_stall_s", "Longest freeze", "ms", 1e3, 0),
)

_FILM_COLUMNS: Columns = (
    ("rate_bit_per_s", "Rate", "kbit/s", 1e-3, 0),
    ("utility", "Utility", "", 1, 2),
    ("switches", "Switches", "", 1, 0),
    ("startup_s", "Start-up", "s", 1, 2),
    ("stalls", "Freezes", "", 1, 0),
    ("longest_stall_s", "Longest freeze", "s", 1, 1),
    ("stall_share", "Frozen", "%", 100, 2),
    ("qoe_bit_per_s", "Quality of experience", "kbit/s", 1e-3, 0),
)

_PAGE_COLUMNS: Columns = (
    ("count", "Pages", "", 1, 0),
    ("done_share", "Finished", "%", 100, 1),
    ("p50_s", "Load time, 50 %", "s", 1, 2),
    ("p95_s", "95 %", "s", 1, 2),
    ("longest_s", "Longest", "s", 1, 2),
    ("visual_area_s", "Visual area", "s", 1, 2),
    ("stall_s", "Stalled", "s", 1, 2),
)

_RESPONSE_COLUMNS: Columns = (
    ("count", "Requests", "", 1, 0),
    ("done_share", "Answered", "%", 100, 1),
    ("p50_s", "Time, 50 %", "ms", 1e3, 1),
    ("p95_s", "95 %", "ms", 1e3, 1),
    ("p99_s", "99 %", "ms", 1e3, 1),
    ("longest_s", "Longest", "ms", 1e3, 1),
)


def experience_views(comparison: ComparisonRecord) -> list[View]:
    """A row per call, viewer of a film, group of users of pages and other flow of requests."""
    calls, films = comparison.table("calls"), comparison.table("films")
    responses = comparison.table("responses")
    if films.height and responses.height:
        responses = responses.join(films, on=["label", "seed", "flow"], how="anti", maintain_order="left")
    views = []
    if calls.height:
        views.append(entity_view(comparison, "Calls", _named(comparison, calls), _KEYS, _CALL_COLUMNS))
    if films.height:
        views.append(entity_view(comparison, "Films", _named(comparison, films), _KEYS, _FILM_COLUMNS))
    if (pages := _pages(comparison)).height:
        views.append(entity_view(comparison, "Pages", pages, ["label", "row"], _PAGE_COLUMNS))
    if responses.height:
        asked = responses.with_columns(start_s=pl.col("request_s"))
        times = _named(comparison, _percentiles(comparison, asked, "flow"))
        views.append(entity_view(comparison, "Requests", times, _KEYS, _RESPONSE_COLUMNS))
    return views


def _named(comparison: ComparisonRecord, table: pl.DataFrame) -> pl.DataFrame:
    """The table with the names of its flows in `row`."""
    names = comparison.table("flows").select("label", "seed", "flow", row="name")
    return table.join(names, on=["label", "seed", "flow"], how="left", maintain_order="left")


def _pages(comparison: ComparisonRecord) -> pl.DataFrame:
    """The pages of each group of users: their load times, and the means of what else a person notices."""
    pages = comparison.table("pages")
    if not pages.height:
        return pages
    users = comparison.table("users")
    row = pl.Series(groups_of(users["name"], group_names(comparison.scenario)), dtype=pl.String)
    whose = users.select("label", "seed", "user", row=row)
    pages = pages.join(whose, on=["label", "seed", "user"], how="left", maintain_order="left")
    if "visual_area_s" not in pages.columns:  # no page of known objects
        pages = pages.with_columns(visual_area_s=math.nan)
    noticed = pages.filter(pl.col("start_s") >= comparison.scenario.warm_up_s)
    means = noticed.group_by(["label", "seed", "row"]).agg(pl.col("visual_area_s", "stall_s").mean())
    times = _percentiles(comparison, pages, "row")
    return times.join(means, on=["label", "seed", "row"], how="left", maintain_order="left")


def _percentiles(comparison: ComparisonRecord, table: pl.DataFrame, of: str) -> pl.DataFrame:
    """The times from `start_s` to `finish_s`, by the column `of`, of what began after the warm-up.

    A page or request that is unfinished at the end of the run counts as longer than until then.
    """
    scenario = comparison.scenario
    rows = []
    begun = table.filter(pl.col("start_s") >= scenario.warm_up_s)
    for (label, seed, whose), mine in begun.group_by(["label", "seed", of], maintain_order=True):
        times = (mine["finish_s"] - mine["start_s"]).to_numpy()
        is_there = np.isfinite(times)
        waited = (scenario.duration_s - mine["start_s"]).to_numpy()[~is_there]
        percentiles = {
            key: censored.quantile(times[is_there], waited, share) for key, share in _SHARES.items()
        }
        share = float(is_there.mean())
        rows.append(
            {"label": label, "seed": seed, of: whose, "count": mine.height, "done_share": share} | percentiles
        )
    schema = {name: table[name].dtype for name in ("label", "seed", of)}
    return pl.DataFrame(rows, schema_overrides=schema)
