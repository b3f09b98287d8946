"""The share, delay and losses of each competitor in a run that all share."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from ackclock.measures import statistics
from ackclock.measures.record import RunRecord

__all__ = ["COLUMNS", "flows_of", "measured", "summary"]

COLUMNS = (
    "share", "goodput_bit_per_s", "mean_rtt_s", "loss_share", "retransmissions", "timeouts", "fairness",
)  # fmt: skip
"""The quantities of a competitor. `fairness`, Jain's index over the competitors, is the same for all of
them."""


def flows_of(result: RunRecord, groups: Mapping[str, Sequence[str]]) -> dict[str, list[int]]:
    """The rows of each competitor's flows. A flow's name is that of its group and a number."""
    owner = {name: label for label, names in groups.items() for name in names}
    rows: dict[str, list[int]] = {label: [] for label in groups}
    for row, name in enumerate(result.columns("flows")["name"]):
        matching = [group for group in owner if str(name).startswith(group)]
        if matching:
            rows[owner[max(matching, key=len)]].append(row)
    return rows


def measured(results: Sequence[RunRecord], groups: Mapping[str, Sequence[str]]) -> pl.DataFrame:
    """A row for each run and competitor: `seed`, `label` and the quantities, in base units.

    The goodput is the sum over a competitor's flows after the warm-up; losses, retransmissions and timeouts
    count the whole run, as in the table of flows.
    """
    rows = [row for result in results for row in _of_run(result, groups)]
    schema = {"seed": pl.UInt64, "label": pl.String} | dict.fromkeys(COLUMNS, pl.Float64)
    return pl.DataFrame(rows, schema=schema)


def _of_run(result: RunRecord, groups: Mapping[str, Sequence[str]]) -> list[dict[str, object]]:
    flows = result.columns("flows")

    def column(name: str, rows: list[int]) -> np.ndarray:
        return np.asarray(flows[name], dtype=float)[rows]

    seconds = result.scenario.duration_s - result.scenario.warm_up_s
    found = flows_of(result, groups)
    bits = {
        label: float(np.nansum(column("goodput_bit_per_s", rows) * column("measured_s", rows)))
        for label, rows in found.items()
    }
    whole = math.fsum(bits.values())
    fairness = statistics.jain_index(list(bits.values()))
    table: list[dict[str, object]] = []
    for label, rows in found.items():
        sent = float(column("packets_sent", rows).sum())
        trips = column("mean_rtt_s", rows)
        known = trips[np.isfinite(trips)]
        table.append(
            {
                "seed": result.seed,
                "label": label,
                "share": bits[label] / whole if whole else math.nan,
                "goodput_bit_per_s": bits[label] / seconds,
                "mean_rtt_s": float(known.mean()) if known.size else math.nan,
                "loss_share": float(column("packets_lost", rows).sum()) / sent if sent else 0.0,
                "retransmissions": float(column("retransmissions", rows).sum()),
                "timeouts": float(column("timeouts", rows).sum()),
                "fairness": fairness,
            }
        )
    return table


def summary(table: pl.DataFrame, labels: Sequence[str]) -> pl.DataFrame:
    """Per competitor and quantity: n, and the mean over seeds with its 95 % Student t interval."""
    rows = []
    for label in labels:
        mine = table.filter(pl.col("label") == label)
        for key in COLUMNS:
            values = [value for value in mine[key].to_list() if math.isfinite(value)]
            if values:
                interval = statistics.mean_interval(values)
                bounds = {"mean": interval.estimate, "low": interval.low, "high": interval.high}
                rows.append({"label": label, "metric": key, "n": interval.n, **bounds})
    schema = {"label": pl.String, "metric": pl.String, "n": pl.UInt32}
    return pl.DataFrame(rows, schema=schema | dict.fromkeys(("mean", "low", "high"), pl.Float64))
