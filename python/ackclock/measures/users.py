"""What users of pools of connections saw: how long pages took, and how long nothing came.

A hang is a time without new data on any connection of a user while a page is under way: from asking for the
page or the last new packet to the next one. Before the warm-up ends nothing counts.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import polars as pl

from ackclock.measures import statistics

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ackclock.measures.record import RunRecord

__all__ = ["QUANTITIES", "hanging_share", "longest_hangs", "measured", "records", "summary"]

QUANTITIES = ("pages", "page_s", "longest_hang_s", "hang_share")
"""What is measured of the users of one run: see `measured`."""


def records(result: RunRecord) -> pl.DataFrame:
    """The table `pages` of what was asked for after the warm-up, with the `time_s` of each.

    A page that was not all there at the end of the run has NaN for its time.
    """
    began = result.pages.filter(pl.col("start_s") >= result.scenario.warm_up_s)
    return began.with_columns((pl.col("finish_s") - pl.col("start_s")).alias("time_s"))


def longest_hangs(result: RunRecord) -> pl.Series:
    """The longest hang of each user in seconds, rising; of users who waited for anything at all."""
    return result.users.filter(pl.col("waited_s") > 0)["longest_hang_s"].sort()


def hanging_share(result: RunRecord, at_least_s: float) -> float:
    """The share of users, of those who waited for anything, with a hang of this length; NaN without any."""
    hangs = longest_hangs(result)
    return float((hangs >= at_least_s).sum()) / hangs.len() if hangs.len() else math.nan


def measured(result: RunRecord) -> dict[str, float]:
    """The users of one run; NaN where nothing says it.

    `pages` got; their mean time `page_s`; the median over users of each one's longest hang,
    `longest_hang_s`; and `hang_share`, of all the time that users waited for pages, the part in hangs at
    least as long as the scenario's `hang_after`.
    """
    users = result.users
    got = users.filter(pl.col("pages") > 0)
    hangs, waited = longest_hangs(result), float(users["waited_s"].sum())
    pages = float(got["pages"].sum())
    seconds = float((got["mean_page_s"] * got["pages"]).sum())
    return {
        "pages": pages if users.height else math.nan,
        "page_s": seconds / pages if pages else math.nan,
        "longest_hang_s": _median(hangs),
        "hang_share": float(users["hang_s"].sum()) / waited if waited > 0 else math.nan,
    }


def _median(values: pl.Series) -> float:
    found = values.median()
    return float(found) if isinstance(found, float | int) else math.nan


def summary(results: Iterable[RunRecord], confidence: float = 0.95) -> pl.DataFrame:
    """Per label: means over its runs of every quantity of `measured`, with Student t intervals.

    Columns are `label`, `runs`, and a quantity's name with `_low` and `_high` for the ends of its interval.
    One run alone has none (NaN).
    """
    grouped: dict[str, list[dict[str, float]]] = {}
    for result in results:
        grouped.setdefault(result.label, []).append(measured(result))
    rows: list[dict[str, object]] = []
    for label, runs in grouped.items():
        row: dict[str, object] = {"label": label, "runs": len(runs)}
        for key in QUANTITIES:
            values = [run[key] for run in runs if math.isfinite(run[key])]
            if values:
                interval = statistics.mean_interval(values, confidence)
                row |= {key: interval.estimate, f"{key}_low": interval.low, f"{key}_high": interval.high}
        rows.append(row)
    numbers = [f"{key}{end}" for key in QUANTITIES for end in ("", "_low", "_high")]
    schema = {"label": pl.String, "runs": pl.UInt32, **dict.fromkeys(numbers, pl.Float64)}
    return pl.DataFrame([{key: row.get(key, math.nan) for key in schema} for row in rows], schema=schema)
