"""The response vector of a run: the quantities that designed experiments on large networks evaluate.

`measured` returns its numbers by name, in base units; `RESPONSES` gives the meaning of each. Averages are
over the time after the warm-up. Tiers are those of `[topology.three_tier]`, from the backbone down to the
hosts; the links of other topologies are the one tier `network`. File classes are the groups of flows that
send files, by name. Path classes exist if routers or hosts of a tier use several `links` in turn: they are
named by the numbers of the links at both ends, the lower first, as `path_1_2`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ackclock.errors import InputError
from ackclock.measures import groups, statistics, transfers

if TYPE_CHECKING:
    from ackclock.measures.record import RunRecord

__all__ = ["RESPONSES", "Response", "file_classes", "measured", "path_classes", "table"]


@dataclass(frozen=True)
class Response:
    """A quantity of the vector, or one for each tier or class, which stands in braces."""

    key: str
    unit: str
    meaning: str


RESPONSES = (
    Response("flows_active", "flows", "connections requested and not finished, mean over time"),
    Response("flows_completed_per_s", "1/s", "files whose last packet was acknowledged, per second"),
    Response("given_up_share", "share", "files given up or cut off by a stop, of those that ended"),
    Response("failed_share", "share", "connections that did not come about, of those that ended"),
    Response("retransmission_rate", "share", "retransmissions, of the data packets sent"),
    Response("timeouts_per_s", "1/s", "expirations of retransmission timers, per second"),
    Response("window_packets", "packets", "congestion window, mean over time and over the active flows"),
    Response("smoothed_rtt_s", "s", "smoothed round-trip time, mean over time and over the active flows"),
    Response("goodput_all_bit_per_s", "bit/s", "payload delivered, of all flows together"),
    Response("utilisation_{tier}", "share", "time in which a link direction of the tier transmits, mean"),
    Response("queueing_delay_{tier}_s", "s", "wait of a packet for one link of the tier, mean over packets"),
    Response("loss_{tier}", "share", "packets lost at the links of the tier, of those offered to them"),
    Response(
        "goodput_{file class}_bit_per_s", "bit/s", "payload over time of a finished file, mean over files"
    ),
    Response("goodput_{path class}_bit_per_s", "bit/s", "the same over the files of a path class"),
    Response(
        "goodput_{file class}_{path class}_bit_per_s", "bit/s", "the same over the files of both classes"
    ),
    Response(
        "goodput_{long flows}_bit_per_s",
        "bit/s",
        "payload over time of a flow without an end, mean over flows",
    ),
    Response("fairness_{long flows}", "", "Jain's index of their goodputs, of two flows or more"),
)
"""Every quantity, in the order of the vector."""

TIERS = ("backbone", "pop", "access", "host")
NETWORK = "network"


Entry = tuple[str, dict[str, str], float]
"""A response: its key, its tier or classes, and its value."""


def measured(result: RunRecord) -> dict[str, float]:
    """The vector of one run, by name, in base units; a class without a finished file is NaN.

    Raises InputError for a scenario without `trace.interval`, or without a row for every transfer.
    """
    return {key.format(**of): value for key, of, value in _entries(result)}


def table(result: RunRecord) -> pl.DataFrame:
    """The vector as a table: `response`, `value`, `unit`, `meaning`. Raises InputError as `measured`."""
    about = {response.key: response for response in RESPONSES}
    rows = [
        (key.format(**of), value, about[key].unit, about[key].meaning) for key, of, value in _entries(result)
    ]
    return pl.DataFrame(rows, schema=["response", "value", "unit", "meaning"], orient="row")


def _entries(result: RunRecord) -> Iterator[Entry]:
    yield from ((key, {}, value) for key, value in _of_flows(result).items())
    yield from _of_tiers(result)
    yield from _of_classes(result)
    yield from _of_long_flows(result)


def _of_flows(result: RunRecord) -> dict[str, float]:
    if "network_series" not in result.tables:
        raise InputError("responses: expected series of the network: set trace.interval")
    series = result.network_series.filter(pl.col("time_s") > result.scenario.warm_up_s)
    sent = float(series["packets_sent"].sum())
    return {
        "flows_active": _mean(series["flows_active"]),
        **_ended(result),
        "retransmission_rate": float(series["retransmissions"].sum()) / sent if sent else math.nan,
        "timeouts_per_s": float(series["timeouts"].sum()) / _seconds(result),
        "window_packets": _mean(series["mean_cwnd_packets"]),
        "smoothed_rtt_s": _mean(series["mean_srtt_s"]),
        "goodput_all_bit_per_s": _mean(series["goodput_bit_per_s"]),
    }


def _seconds(result: RunRecord) -> float:
    return result.scenario.duration_s - result.scenario.warm_up_s


def _mean(column: pl.Series) -> float:
    values = column.to_numpy()
    values = values[np.isfinite(values)]
    return float(values.mean()) if values.size else math.nan


def _ended(result: RunRecord) -> dict[str, float]:
    """The rates and shares of files by their outcome. Only finished files have a known end."""
    files = result.transfers
    begun = files.filter(pl.col("start_s") >= result.scenario.warm_up_s)
    finished = files.filter(pl.col("finish_s") >= result.scenario.warm_up_s).height
    done = begun["finish_s"].is_finite().sum()
    ended = int(done) + int(begun["cut_off"].sum()) + int(begun["failed"].sum())
    return {
        "flows_completed_per_s": finished / _seconds(result),
        "given_up_share": int(begun["cut_off"].sum()) / ended if ended else math.nan,
        "failed_share": int(begun["failed"].sum()) / ended if ended else math.nan,
    }


def _of_tiers(result: RunRecord) -> Iterator[Entry]:
    links = result.columns("links")
    is_tiered = "three_tier" in json.loads(result.scenario.to_json())["topology"]
    tiers = np.array([_tier(str(name)) if is_tiered else NETWORK for name in links["name"]])
    numbers = {
        key: np.asarray(links[key], dtype=float)
        for key in (
            "utilisation", "mean_queueing_delay_s", "packets_forwarded", "packets_offered", "dropped_queue",
            "dropped_loss",
        )
    }  # fmt: skip
    for tier in [tier for tier in (*TIERS, NETWORK) if (tiers == tier).any()]:
        of = {key: values[tiers == tier] for key, values in numbers.items()}
        forwarded, offered = float(of["packets_forwarded"].sum()), float(of["packets_offered"].sum())
        waits = float((of["mean_queueing_delay_s"] * of["packets_forwarded"]).sum())
        lost = float((of["dropped_queue"] + of["dropped_loss"]).sum())
        here = {"tier": tier}
        yield "utilisation_{tier}", here, float(of["utilisation"].mean())
        yield "queueing_delay_{tier}_s", here, waits / forwarded if forwarded else math.nan
        yield "loss_{tier}", here, lost / offered if offered else math.nan


def _tier(link: str) -> str:
    """The tier of a link: that of its lower end."""
    return TIERS[max(end.count(".") for end in link.split("->"))]


def _of_classes(result: RunRecord) -> Iterator[Entry]:
    files = transfers.records(result)
    place = {int(flow): index for index, flow in enumerate(result.columns("flows")["flow"])}
    of_file = np.array([place[flow] for flow in files["flow"].to_list()], dtype=int)
    paths_of_flows = path_classes(result)
    by_file = np.array(file_classes(result), dtype=object)[of_file]
    by_path = np.array(paths_of_flows, dtype=object)[of_file]
    goodputs = files["payload_bits"].to_numpy() / files["time_s"].to_numpy()
    done = np.isfinite(goodputs)

    def mean(chosen: NDArray[np.bool_]) -> float:
        return float(goodputs[done & chosen].mean()) if (done & chosen).any() else math.nan

    names = list(dict.fromkeys(_groups(result, sends_files=True)))
    paths = sorted(set(paths_of_flows) - {""})
    for name in names:
        yield "goodput_{file class}_bit_per_s", {"file class": name}, mean(by_file == name)
    for path in paths:
        yield "goodput_{path class}_bit_per_s", {"path class": path}, mean(by_path == path)
    for name in names:
        for path in paths:
            both = {"file class": name, "path class": path}
            value = mean((by_file == name) & (by_path == path))
            yield "goodput_{file class}_{path class}_bit_per_s", both, value


def _of_long_flows(result: RunRecord) -> Iterator[Entry]:
    of_flow = np.array(file_classes(result), dtype=object)
    goodputs = np.asarray(result.columns("flows")["goodput_bit_per_s"], dtype=float)
    for name in dict.fromkeys(_groups(result, sends_files=False)):
        # A flow that has not begun has no goodput.
        mine = [rate for rate in goodputs[of_flow == name].tolist() if math.isfinite(rate)]
        here = {"long flows": name}
        yield "goodput_{long flows}_bit_per_s", here, float(np.mean(mine)) if mine else math.nan
        if (of_flow == name).sum() > 1:
            fairness = statistics.jain_index(mine) if len(mine) > 1 else math.nan
            yield "fairness_{long flows}", here, fairness


def _groups(result: RunRecord, *, sends_files: bool) -> Iterator[str]:
    """The groups of flows that send files, or those that send without an end."""
    for group in json.loads(result.scenario.to_json()).get("flow", []):
        has_files = bool(group.get("packets") or group.get("size"))
        if has_files == sends_files and not group.get("request"):
            yield str(group.get("name") or "tcp")


def file_classes(result: RunRecord) -> list[str]:
    """The file class of each flow, in the order of the table `flows`."""
    return groups.groups_of(map(str, result.columns("flows")["name"]), groups.group_names(result.scenario))


def path_classes(result: RunRecord) -> list[str]:
    """The path class of each flow, in the order of the table `flows`; empty where there is none."""
    flows = result.columns("flows")
    tiers = json.loads(result.scenario.to_json())["topology"].get("three_tier", {})
    several = [(depth, len(tiers.get(tier, {}).get("links", []))) for depth, tier in enumerate(TIERS)]
    # The lowest tier whose links differ.
    depth, number = max(((depth, count) for depth, count in several if count > 1), default=(0, 0))
    if not number:
        return [""] * len(flows["source"])

    def link_of(node: str) -> int:
        parts = node.split(".")
        return (int(parts[depth][1:]) - 1) % number + 1 if len(parts) > depth else 0

    found = []
    for source, destination in zip(flows["source"], flows["destination"], strict=True):
        ends = sorted((link_of(str(source)), link_of(str(destination))))
        found.append(f"path_{ends[0]}_{ends[1]}" if ends[0] else "")
    return found
