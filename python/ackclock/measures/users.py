"""Users of pools of connections: the times of their pages, and their stalls.

A stall is a time without new data on any connection of a user while a page is under way: from the request for
the page, or from the last new packet, to the next new packet. Nothing before the end of the warm-up counts.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ackclock.measures import censored, statistics

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ackclock.measures.record import RunRecord

__all__ = [
    "QUANTITIES",
    "longest_stalls",
    "measured",
    "records",
    "stalled_share",
    "summary",
]

QUANTITIES = ("pages", "finished_share", "page_median_s", "page_s", "longest_stall_s", "stall_share")
"""The quantities of the users of one run: see `measured`."""


def records(result: RunRecord) -> pl.DataFrame:
    """The table `pages` of the pages requested after the warm-up, with two more columns.

    They are the `time_s` of each page and `until_end_s`, the time from the request to the end of the run. A
    page has NaN for its time if it is incomplete at the end of the run, or if the connection of one of its
    objects failed: nobody gets it.
    """
    began = result.pages.filter(pl.col("start_s") >= result.scenario.warm_up_s)
    return began.with_columns(
        time_s=pl.when(pl.col("failed_objects") == 0)
        .then(pl.col("finish_s") - pl.col("start_s"))
        .otherwise(math.nan),
        until_end_s=result.scenario.duration_s - pl.col("start_s"),
    )


def longest_stalls(result: RunRecord) -> pl.Series:
    """The longest stall of each user who waited for a page, in seconds, rising."""
    return result.users.filter(pl.col("waited_s") > 0)["longest_stall_s"].sort()


def stalled_share(result: RunRecord, at_least_s: float) -> float:
    """The share of the users who waited for a page with a stall of this length or more; NaN without any."""
    stalls = longest_stalls(result)
    return float((stalls >= at_least_s).sum()) / stalls.len() if stalls.len() else math.nan


def measured(result: RunRecord) -> dict[str, float]:
    """The quantities of the users of one run; NaN without users or pages to take them from.

    They are the number of `pages` that users got, and `finished_share`, their share of those requested;
    `page_median_s`, the time within which half of those requested are there, unfinished ones included (see
    `censored.median`); `page_s`, the mean time of those that users got, which leaves out the slowest;
    `longest_stall_s`, the median over users of each user's longest stall; and `stall_share`, the part of the
    time that users wait for pages which is in stalls at least as long as the scenario's `stall_after`.
    """
    users = result.users
    stalls, waited = longest_stalls(result), float(users["waited_s"].sum())
    pages = _of_pages(records(result)) if "pages" in result.tables else _without_rows(users)
    return {
        **(pages if users.height else dict.fromkeys(pages, math.nan)),
        "longest_stall_s": _median(stalls),
        "stall_share": float(users["stall_s"].sum()) / waited if waited > 0 else math.nan,
    }


def _of_pages(pages: pl.DataFrame) -> dict[str, float]:
    times = pages["time_s"].to_numpy()
    is_there = np.isfinite(times)
    there = times[is_there]
    return {
        "pages": float(there.size),
        "finished_share": there.size / times.size if times.size else math.nan,
        "page_median_s": censored.median(there, pages["until_end_s"].to_numpy()[~is_there]),
        "page_s": float(there.mean()) if there.size else math.nan,
    }


def _without_rows(users: pl.DataFrame) -> dict[str, float]:
    """The quantities known without a row for every page, abandoned objects included."""
    got = users.filter(pl.col("pages") > 0)
    pages, seconds = float(got["pages"].sum()), float((got["mean_page_s"] * got["pages"]).sum())
    return {
        "pages": pages,
        "finished_share": math.nan,
        "page_median_s": math.nan,
        "page_s": seconds / pages if pages else math.nan,
    }


def _median(values: pl.Series) -> float:
    found = values.median()
    return float(found) if isinstance(found, float | int) else math.nan


def summary(results: Iterable[RunRecord], confidence: float = 0.95) -> pl.DataFrame:
    """Means of every quantity of `measured` over the runs of each label, with Student t intervals.

    Columns are `label`, `runs`, and a quantity's name with `_low` and `_high` for the ends of its interval,
    which is NaN for a single run.
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
