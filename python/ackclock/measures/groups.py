"""Summaries by group of flows, with percentiles of completion times, and by link."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ackclock._native import Scenario
from ackclock.errors import unknown
from ackclock.measures import metrics

if TYPE_CHECKING:
    from ackclock.measures.record import RunRecord

__all__ = ["PERCENTILES", "group_names", "groups_of", "has_several", "runs_table", "summary"]

PERCENTILES = (50, 95, 99)
"""The percentiles of completion times."""

COMPLETION = tuple(f"completion_p{percent}_s" for percent in PERCENTILES)

OF_GROUP = (
    "flows",
    "goodput_bit_per_s",
    "mean_rtt_s",
    "retransmissions",
    "timeouts",
    "completion_s",
    *COMPLETION,
)
OF_LINK = ("utilisation", "queueing_delay_s", "mean_queue_packets", "loss_share")


def group_names(scenario: Scenario) -> list[str]:
    """The names of the scenario's groups of flows, in its order."""
    tree = json.loads(scenario.to_json())
    usual = {"flow": "tcp", "udp": "udp", "call": "call"}
    names = [str(group.get("name") or usual[kind]) for kind in usual for group in tree.get(kind, [])]
    return list(dict.fromkeys(names))


def has_several(scenario: Scenario) -> bool:
    """True if the scenario has more than one group of flows with congestion control."""
    return len(json.loads(scenario.to_json()).get("flow", [])) > 1


def groups_of(flows: Iterable[str], groups: Sequence[str]) -> list[str]:
    """The group of each flow: the flow's name is that of the group, or the group's and a number.

    A flow without a group is a group by itself.
    """
    longest = sorted(groups, key=len, reverse=True)
    known = set(groups)
    bare = {name for name in groups if not name[-1:].isdigit()}
    is_plain = len(bare) == len(
        known
    )  # then what stands before the number is the group, for millions of flows

    def group_of(flow: str) -> str:
        if flow in known:
            return flow
        if is_plain and (head := flow.rstrip("0123456789")) in bare:
            return head
        return next((name for name in longest if re.fullmatch(re.escape(name) + r"[\d.:-]+", flow)), flow)

    return [group_of(flow) for flow in flows]


def runs_table(results: Sequence[RunRecord], links: Sequence[str] = ()) -> pl.DataFrame:
    """A row per run and group of flows, then per run and named link, with the quantities that each has.

    Goodput and round-trip time are means over the flows, `retransmissions` and `timeouts` sums, and
    completion times refer to files that begin after the warm-up: a percentile that falls on an unfinished
    file is NaN, and so is the mean if any file is unfinished. Raises InputError for a link that does not
    exist.
    """
    rows = [row for result in results for row in (*_groups(result), *_links(result, links))]
    schema = {"label": pl.String, "seed": pl.UInt64, "group": pl.String}
    every = schema | dict.fromkeys((*OF_GROUP, *OF_LINK), pl.Float64)
    return pl.DataFrame([{key: row.get(key, math.nan) for key in every} for row in rows], schema=every)


def _groups(result: RunRecord) -> Iterable[dict[str, object]]:
    flows = result.columns("flows")
    names = group_names(result.scenario)
    of_flow = np.array(groups_of(map(str, flows["name"]), names))
    of_file, times = np.empty(0), np.empty(0)
    if (files := result.tables.get("transfers")) is not None:
        files = files.filter(pl.col("start_s") >= result.scenario.warm_up_s)
        place = {int(flow): index for index, flow in enumerate(flows["flow"])}
        of_file = np.array([of_flow[place[flow]] for flow in files["flow"].to_list()])
        times = (files["finish_s"] - files["start_s"]).to_numpy()
    for name in dict.fromkeys([*names, *of_flow.tolist()]):
        chosen = of_flow == name
        if not chosen.any():
            continue
        column = {key: np.asarray(flows[key], dtype=float)[chosen] for key in OF_GROUP[1:5]}
        mine = times[of_file == name] if times.size else times
        yield {
            "label": result.label, "seed": result.seed, "group": name, "flows": float(chosen.sum()),
            **{key: _mean(column[key]) for key in ("goodput_bit_per_s", "mean_rtt_s")},
            **{key: float(column[key].sum()) for key in ("retransmissions", "timeouts")},
            "completion_s": _mean(mine), **_percentiles(mine),
        }  # fmt: skip


def _mean(values: np.ndarray) -> float:
    return float(values.mean()) if values.size else math.nan


def _percentiles(times: np.ndarray) -> dict[str, float]:
    """The least time within which this many percent of the files are complete; NaN where too few ever are."""
    if not times.size:
        return dict.fromkeys(COMPLETION, math.nan)
    rising = np.sort(np.where(np.isfinite(times), times, np.inf))
    found = {}
    for percent, key in zip(PERCENTILES, COMPLETION, strict=True):
        value = float(rising[math.ceil(percent * rising.size / 100) - 1])
        found[key] = value if math.isfinite(value) else math.nan
    return found


def _links(result: RunRecord, links: Sequence[str]) -> Iterable[dict[str, object]]:
    known = list(map(str, result.columns("links")["name"]))
    for link in links:
        if link not in known:
            raise unknown("link direction", link, known)
        values = metrics.measure(result, link)
        head = {"label": result.label, "seed": result.seed, "group": link}
        yield head | {key: values[key] for key in OF_LINK}


def summary(runs: pl.DataFrame, labels: Sequence[str]) -> pl.DataFrame:
    """As `metrics.summary`, per label, group and metric."""
    parts = []
    for group in runs["group"].unique(maintain_order=True).to_list():
        mine = runs.filter(pl.col("group") == group)
        table = metrics.summary(mine, labels, ("flows", *COMPLETION))
        parts.append(table.select("label", pl.lit(group).alias("group"), pl.exclude("label")))
    return pl.concat(parts) if parts else pl.DataFrame()
