"""Tables of the experience of applications: calls, films, pages, and responses to requests."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ackclock.measures import censored, statistics
from ackclock.measures.groups import group_names, groups_of
from ackclock.report.tables import View, entity_view

if TYPE_CHECKING:
    from ackclock.report.record import ComparisonRecord

__all__ = ["experience_document", "experience_views"]

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

_CALL_NOTE = "Delays of calls are one way, of the packets that arrived."

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
    ("count", "Requested", "", 1, 0),
    ("done_share", "Finished", "%", 100, 1),
    ("p50_s", "Load time, 50 %", "s", 1, 2),
    ("p95_s", "95 %", "s", 1, 2),
    ("longest_s", "Longest", "s", 1, 2),
    ("visual_area_s", "Visual area", "s", 1, 2),
    ("stall_s", "Stalled", "s", 1, 2),
)

_PAGE_NOTE = (
    "Load times are of all pages requested; a page that is unfinished at the end of the run counts as longer "
    "than until then. Stalled: the sum of the times of at least stall_after without new data while a page "
    "was under way, the mean of the pages; a shorter wait is no stall, and may be the longest of a user."
)

_RESPONSE_COLUMNS: Columns = (
    ("count", "Requests", "", 1, 0),
    ("done_share", "Answered", "%", 100, 1),
    ("p50_s", "Time, 50 %", "ms", 1e3, 1),
    ("p95_s", "95 %", "ms", 1e3, 1),
    ("p99_s", "99 %", "ms", 1e3, 1),
    ("longest_s", "Longest", "ms", 1e3, 1),
)


@dataclass(frozen=True)
class Experience:
    """The experience of one kind of application: a row for each of its users and run."""

    key: str
    title: str
    table: pl.DataFrame
    """With the columns `label`, `seed`, the keys of a row, and `row`, its name."""
    keys: tuple[str, ...]
    columns: Columns
    note: str = ""

    def view(self, comparison: ComparisonRecord) -> View:
        """The table, with means over the seeds."""
        table = self.table
        if comparison.is_comparison and table.height:
            several = table["row"].n_unique() > 1
            name = pl.format("{}, {}", "row", "label") if several else pl.col("label")
            # What is compared stands in neighbouring lines.
            order = {each: place for place, each in enumerate(table["row"].unique(maintain_order=True))}
            table = table.sort(pl.col("row").replace_strict(order), maintain_order=True).with_columns(
                row=name
            )
        view = entity_view(comparison, self.title, table, list(self.keys), self.columns)
        return replace(view, note=f"{self.note} {view.note}".strip())

    def document(self) -> list[dict[str, Any]]:
        """An object for each row, with the mean over the seeds and its interval for each column."""
        columns = [column[0] for column in self.columns]
        grouped = self.table.group_by(self.keys, maintain_order=True).agg(pl.col(columns))
        return [
            {"label": row["label"], "name": row["row"], **{key: _mean(row[key]) for key in columns}}
            for row in grouped.iter_rows(named=True)
        ]


def _mean(values: list[float]) -> dict[str, float] | None:
    """The mean with its interval; None if the quantity is missing in a run."""
    if not all(map(math.isfinite, values)):
        return None
    found = statistics.mean_interval([float(value) for value in values])
    return {"n": found.n, "mean": found.estimate, "low": found.low, "high": found.high}


def experience_views(comparison: ComparisonRecord) -> list[View]:
    """A row per call, viewer of a film, group of users of pages and other flow of requests.

    In a comparison a row is a label's group, whose calls and films are averaged.
    """
    return [each.view(comparison) for each in _experiences(comparison)]


def experience_document(comparison: ComparisonRecord) -> dict[str, list[dict[str, Any]]]:
    """The same for programs, in base units."""
    return {each.key: each.document() for each in _experiences(comparison)}


def _experiences(comparison: ComparisonRecord) -> list[Experience]:
    calls, films = comparison.table("calls"), comparison.table("films")
    responses = comparison.table("responses")
    if films.height and responses.height:
        responses = responses.join(films, on=["label", "seed", "flow"], how="anti", maintain_order="left")
    found = []
    if calls.height:
        # Datagrams of a constant rate are no frames, and have no rate to ramp up to.
        calls = calls.with_columns(ramp_s=pl.when(pl.col("frames") > 0).then("ramp_s").otherwise(math.nan))
        found.append(_of_flows(comparison, "Calls", calls, _CALL_COLUMNS, _CALL_NOTE))
    if films.height:
        found.append(_of_flows(comparison, "Films", films, _FILM_COLUMNS))
    if (pages := _pages(comparison)).height:
        found.append(Experience("pages", "Pages", pages, ("label", "row"), _PAGE_COLUMNS, _PAGE_NOTE))
    if responses.height:
        found.append(_requests(comparison, responses))
    return found


def _of_flows(
    comparison: ComparisonRecord, title: str, table: pl.DataFrame, columns: Columns, note: str = ""
) -> Experience:
    """A row per flow of a run, or per group of a comparison, which may have hundreds of calls."""
    named = _named(comparison, table)
    if not comparison.is_comparison:
        return Experience(title.lower(), title, named, tuple(_KEYS), columns, note)
    means = named.group_by(["label", "seed", "row"], maintain_order=True).agg(
        pl.col([column[0] for column in columns]).cast(pl.Float64).mean()
    )
    return Experience(title.lower(), title, means, ("label", "row"), columns, note)


def _requests(comparison: ComparisonRecord, responses: pl.DataFrame) -> Experience:
    """The times of all requests of a flow, or of a group in a comparison."""
    asked = responses.with_columns(start_s=pl.col("request_s"))
    if comparison.is_comparison:
        keys: tuple[str, ...] = ("label", "row")
        times = _percentiles(comparison, _named(comparison, asked), "row")
    else:
        keys = tuple(_KEYS)
        times = _named(comparison, _percentiles(comparison, asked, "flow"))
    return Experience("requests", "Requests", times, keys, _RESPONSE_COLUMNS)


def _named(comparison: ComparisonRecord, table: pl.DataFrame) -> pl.DataFrame:
    """The table with the names of its flows in `row`, of their groups in a comparison."""
    names = comparison.table("flows").select("label", "seed", "flow", row="name")
    if comparison.is_comparison:
        groups = groups_of(names["row"], group_names(comparison.scenario))
        names = names.with_columns(row=pl.Series(groups, dtype=pl.String))
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
    # In the order of the users, as everywhere; the table has that of arrivals.
    pages = pages.sort(pl.col("label").cast(pl.Enum(comparison.labels)), "seed", "user", maintain_order=True)
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
