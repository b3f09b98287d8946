"""Metrics: the quantities of one simulation that comparisons show, and their summaries over seeds.

Long because it lists every metric with its meaning.
"""

from __future__ import annotations

import functools
import itertools
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from ackclock._native import Scenario
from ackclock.measures import calls, statistics, users

if TYPE_CHECKING:
    from ackclock.measures.record import RunRecord

__all__ = [
    "KEYS",
    "METRICS",
    "Metric",
    "alike",
    "applicable",
    "bottleneck",
    "differences",
    "digits",
    "measure",
    "metric",
    "runs_table",
    "shown",
    "summary",
]


@dataclass(frozen=True)
class Metric:
    """A quantity of one simulation. Values are in base units (bit/s, s, packets, shares of one)."""

    key: str
    title: str
    unit: str
    """The unit displayed; `factor` converts base units into it. "bit/s" gets the prefix that fits."""
    factor: float
    digits: int
    better: Literal["higher", "lower", ""]
    meaning: str
    is_main: bool = True
    """True if the printed table has it; the report and the files have every metric."""
    is_of_whole_run: bool = False
    """True if it covers the whole run, False if it covers the time after the warm-up."""
    is_of_people: bool = False
    """True for what a person notices. Tables have it first, and say below what it means."""

    @property
    def noun(self) -> str:
        """The title within a sentence or on an axis: "mean RTT"."""
        return " ".join(word if word.isupper() else word.lower() for word in self.title.split())


METRICS = (
    Metric(
        "goodput_bit_per_s",
        "Goodput",
        "bit/s",
        1,
        1,
        "higher",
        "payload that reached the applications of all TCP flows, per second from first begin to last end",
    ),
    Metric(
        "throughput_bit_per_s",
        "Throughput",
        "bit/s",
        1,
        1,
        "higher",
        "the same with headers, as it passes on the wire",
        False,
    ),
    Metric(
        "utilisation",
        "Utilisation",
        "%",
        100,
        1,
        "higher",
        "share of the bottleneck's capacity in use, by all traffic",
    ),
    Metric("mean_rtt_s", "Mean RTT", "ms", 1e3, 1, "lower", "mean round-trip time over the TCP flows"),
    Metric(
        "queueing_delay_s",
        "Queueing delay",
        "ms",
        1e3,
        2,
        "lower",
        "mean wait of the packets that left the bottleneck's queue",
    ),
    Metric(
        "mean_queue_packets",
        "Mean queue",
        "packets",
        1,
        2,
        "",
        "mean number of packets waiting at the bottleneck",
        False,
    ),
    Metric(
        "loss_share",
        "Loss rate",
        "%",
        100,
        3,
        "lower",
        "share of the packets offered to the bottleneck that it dropped",
    ),
    Metric(
        "mean_cwnd_packets",
        "Window",
        "packets",
        1,
        2,
        "",
        "congestion window, mean over time and TCP flows",
        False,
    ),
    Metric(
        "retransmissions",
        "Retransmissions",
        "packets",
        1,
        1,
        "lower",
        "data packets retransmitted",
        is_of_whole_run=True,
    ),
    Metric(
        "fast_retransmits",
        "Loss episodes",
        "",
        1,
        1,
        "lower",
        "losses repaired without a timeout",
        False,
        is_of_whole_run=True,
    ),
    Metric(
        "timeouts",
        "Timeouts",
        "",
        1,
        1,
        "lower",
        "expirations of the retransmission timer",
        is_of_whole_run=True,
    ),
    Metric(
        "fairness",
        "Fairness",
        "",
        1,
        4,
        "higher",
        "Jain's index of the TCP flows' goodputs; only where all ask for the same, in the same time",
    ),
    Metric(
        "completion_s",
        "Flow completion time",
        "s",
        1,
        3,
        "lower",
        "mean time from start to finish of the files",
        is_of_whole_run=True,
    ),
    Metric(
        "call_delay_s",
        "Call delay, 95 %",
        "ms",
        1e3,
        1,
        "lower",
        "one-way delay that 95 % of the packets of a call do not exceed; of several calls the longest",
        is_of_people=True,
    ),
    Metric(
        "call_loss_share",
        "Call loss",
        "%",
        100,
        2,
        "lower",
        "share of the packets of a call that did not arrive; of several calls the largest",
        is_of_people=True,
    ),
    Metric(
        "call_freezes",
        "Call freezes",
        "",
        1,
        1,
        "lower",
        "times at which the picture of a call stood still; of several calls the sum",
        is_of_people=True,
    ),
    Metric(
        "page_median_s",
        "Page load time",
        "s",
        1,
        2,
        "lower",
        "time within which half of the pages requested are there, with the unfinished counted as longer "
        "(Kaplan and Meier); if fewer than half ever are, the longest that a user waited",
        is_of_people=True,
    ),
    Metric(
        "longest_stall_s",
        "Longest stall",
        "s",
        1,
        1,
        "lower",
        "median over users of the longest time without new data while a page was under way",
        is_of_people=True,
    ),
    Metric(
        "pages",
        "Pages got",
        "",
        1,
        1,
        "higher",
        "pages requested after the warm-up that users got",
        is_of_people=True,
    ),
    Metric(
        "finished_share",
        "Pages finished",
        "%",
        100,
        1,
        "higher",
        "the same as a share of the pages requested; the others are in no mean time",
        is_of_people=True,
    ),
    Metric(
        "page_s",
        "Mean load time",
        "s",
        1,
        2,
        "",
        "mean load time of the pages that users got, without those still missing, which are the slowest",
        is_of_people=True,
    ),
    Metric(
        "udp_goodput_bit_per_s",
        "UDP goodput",
        "bit/s",
        1,
        1,
        "",
        "payload of all UDP flows delivered, per second",
        False,
    ),
)
"""All metrics in the order of tables. A metric that does not apply to a scenario is NaN in every run."""

KEYS = tuple(metric.key for metric in METRICS)
"""The keys of all metrics, in their order."""

_BY_KEY = {metric.key: metric for metric in METRICS}


def metric(key: str) -> Metric:
    """The metric of this key. Raises KeyError."""
    return _BY_KEY[key]


def bottleneck(results: Iterable[RunRecord]) -> str:
    """The bottleneck: the link direction with the most drops.

    Among equals it is the one with the longest mean queue, then the one with the highest utilisation, then
    the first.
    """
    tables = [result.columns("links") for result in results]
    places: dict[str, list[tuple[float, float, float]]] = {}
    for links in tables:
        rows = zip(links["dropped_queue"], links["mean_queue_packets"], links["utilisation"], strict=True)
        for name, row in zip(links["name"], rows, strict=True):
            places.setdefault(str(name), []).append(row)

    def rank(name: str) -> tuple[float, ...]:
        drops, queues, shares = zip(*places[name], strict=True)
        means = (math.fsum(values) / len(values) for values in (queues, shares))
        return (sum(map(int, drops)), *(-1.0 if math.isnan(mean) else mean for mean in means))

    return max(places, key=rank)


def measure(result: RunRecord, link: str) -> dict[str, float]:
    """Every metric of one simulation, in base units; `link` is the bottleneck's name."""
    values = applicable(result, link)
    return {metric.key: float(values.get(metric.key, math.nan)) for metric in METRICS}


def applicable(result: RunRecord, link: str) -> dict[str, float]:
    """The metrics that apply to one simulation."""
    links = result.columns("links")
    place = list(links["name"]).index(link)
    offered = int(links["packets_offered"][place])
    dropped = int(links["dropped_queue"][place]) + int(links["dropped_loss"][place])
    values = {
        "utilisation": float(links["utilisation"][place]),
        "queueing_delay_s": float(links["mean_queueing_delay_s"][place]),
        "mean_queue_packets": float(links["mean_queue_packets"][place]),
        "loss_share": dropped / offered if offered else 0.0,
    }
    flows = result.columns("flows")
    # Flows that arrive after the end of the run, or after their stop, do not count.
    counts = (np.asarray(flows["packets_sent"]) > 0) | (np.asarray(flows["measured_s"]) > 0)
    is_udp = np.array([kind == "udp" for kind in flows["kind"]], dtype=bool)
    tcp, udp = _rows(flows, counts & ~is_udp), _rows(flows, counts & is_udp)
    warm_up_s = result.scenario.warm_up_s
    if tcp["start_s"].size:
        for key in ("goodput_bit_per_s", "throughput_bit_per_s"):
            values[key] = _together(tcp, key, warm_up_s)
        for key in ("retransmissions", "fast_retransmits", "timeouts"):
            values[key] = float(tcp[key].sum())
        for key in ("mean_rtt_s", "mean_cwnd_packets"):
            values[key] = _mean(tcp[key].tolist())
        goodputs = tcp["goodput_bit_per_s"].tolist()
        if len(goodputs) > 1 and all(map(math.isfinite, goodputs)) and alike(result.scenario):
            values["fairness"] = statistics.jain_index(goodputs)
        values["completion_s"] = _mean((tcp["finish_s"] - tcp["start_s"]).tolist())
    values |= calls.measured(result)
    if len(result.columns("users")["name"]):
        seen = users.measured(result)
        values |= {key: value for key, value in seen.items() if key in _BY_KEY}
    if udp["start_s"].size:
        values["udp_goodput_bit_per_s"] = _together(udp, "goodput_bit_per_s", warm_up_s)
    return values


UNLIKE = ("size", "think", "pool", "page", "film", "request", "response", "arrivals")
"""Keys of a group of flows that make its flows send different amounts, or at different times."""


@functools.lru_cache(maxsize=64)
def _alike(scenario: str) -> bool:
    tree = json.loads(scenario)
    groups, calls = tree.get("flow", []), tree.get("call", [])
    if groups and calls:
        return False
    if any(key in group for group in groups for key in UNLIKE):
        return False
    if len({json.dumps(group.get("packets")) for group in groups}) > 1:
        return False
    starts = {str(group.get("start", "0 s")) for group in (*groups, *calls)}
    if len(starts) > 1:
        return False
    topology = tree.get("topology", {})
    if graph := topology.get("graph"):
        return _on_like_paths(groups, graph.get("link", []))
    # On a parking lot flows cross one bottleneck, or all of them.
    return "parking_lot" not in topology


def _on_like_paths(groups: list[dict[str, Any]], links: list[dict[str, Any]]) -> bool:
    """True if the shortest paths of all flows cross links of the same kinds in the same order."""
    around: dict[str, list[tuple[str, str]]] = {}
    for link in links:
        kind = json.dumps({key: value for key, value in link.items() if key not in ("from", "to")})
        for start, end in ((link["from"], link["to"]), (link["to"], link["from"])):
            around.setdefault(start, []).append((end, kind))
    pairs = [
        pair
        for group in groups
        for pair in itertools.product(_names(group.get("from", "")), _names(group.get("to", "")))
        if pair[0] != pair[1]
    ]
    return len({_kinds_on_path(around, *pair) for pair in pairs}) <= 1


def _names(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


def _kinds_on_path(around: dict[str, list[tuple[str, str]]], start: str, end: str) -> tuple[str, ...]:
    """The links of a path with the fewest hops, without their ends."""
    reached: dict[str, tuple[str, ...]] = {start: ()}
    waiting = [start]
    for node in waiting:
        for neighbour, kind in around.get(node, []):
            if neighbour not in reached:
                reached[neighbour] = (*reached[node], kind)
                waiting.append(neighbour)
    return reached.get(end, ())


def alike(scenario: Scenario) -> bool:
    """True if all flows ask for the same, so that equal goodputs are fair."""
    return _alike(scenario.to_json())


MEASURED = (
    "start_s", "finish_s", "measured_s", "goodput_bit_per_s", "throughput_bit_per_s", "retransmissions",
    "fast_retransmits", "timeouts", "mean_rtt_s", "mean_cwnd_packets",
)  # fmt: skip
"""The columns of flows that metrics are about."""


def _rows(flows: Mapping[str, np.ndarray | list[str]], chosen: np.ndarray) -> dict[str, np.ndarray]:
    """Some of the flows: their measured columns."""
    return {name: np.asarray(flows[name])[chosen] for name in MEASURED}


def _together(flows: Mapping[str, np.ndarray], rate: str, warm_up_s: float) -> float:
    """The rate of all flows together: the sum of their bits over the time from first start to last end.

    Flows may follow one another, so that the sum of their own rates exceeds what the link carries.
    """
    begin = np.maximum(flows["start_s"], warm_up_s)
    end = begin + flows["measured_s"]
    bits = math.fsum((flows[rate] * flows["measured_s"]).tolist())
    seconds = float(end.max()) - float(begin.min())
    return bits / seconds if seconds > 0 else math.nan


def _mean(values: Sequence[float]) -> float:
    """The mean; NaN if one value is missing, so that no flow is left out unnoticed."""
    return math.fsum(values) / len(values) if values else math.nan


def runs_table(results: Sequence[RunRecord]) -> pl.DataFrame:
    """One row per run: label, seed, and every metric in base units."""
    link = bottleneck(results)
    rows = [{"label": result.label, "seed": result.seed, **measure(result, link)} for result in results]
    return pl.DataFrame(rows, schema_overrides={"seed": pl.UInt64})


def summary(runs: pl.DataFrame, labels: Sequence[str], extra: Sequence[str] = ()) -> pl.DataFrame:
    """Per label and metric: n, mean with its 95 % Student t interval, standard deviation, median, extremes.

    `n` counts the runs in which the metric exists; a metric that exists in none has no row. `extra` names
    further columns of `runs` to summarise.
    """
    rows = []
    for label in labels:
        mine = runs.filter(pl.col("label") == label)
        for key in (*KEYS, *extra):
            values = _finite(mine[key].to_list()) if key in mine.columns else []
            if not values:
                continue
            interval = statistics.mean_interval(values)
            column = pl.Series(values)
            rows.append(
                {
                    "label": label,
                    "metric": key,
                    "n": interval.n,
                    "mean": interval.estimate,
                    "low": interval.low,
                    "high": interval.high,
                    "standard_deviation": column.std() if len(values) > 1 else math.nan,
                    "median": column.median(),
                    "minimum": min(values),
                    "maximum": max(values),
                }
            )
    return pl.DataFrame(rows, schema=_SUMMARY_SCHEMA)


_SUMMARY_SCHEMA = {
    "label": pl.String, "metric": pl.String, "n": pl.UInt32,
    **dict.fromkeys(
        ("mean", "low", "high", "standard_deviation", "median", "minimum", "maximum"), pl.Float64
    ),
}  # fmt: skip


CONFIDENCE = 0.95
"""The confidence of an interval, and of all paired differences of one metric together."""


def differences(runs: pl.DataFrame, labels: Sequence[str]) -> pl.DataFrame:
    """Mean of first - second over common seeds with its interval, per metric and pair of labels.

    The intervals of one metric hold together at 95 %: each is taken at 1 - 0.05/pairs (Bonferroni), since
    among many pairs some exclude zero by chance.
    """
    rows = []
    pairs_in_all = max(1, math.comb(len(labels), 2))
    confidence = 1 - (1 - CONFIDENCE) / pairs_in_all
    by_label = {label: runs.filter(pl.col("label") == label) for label in labels}
    for metric in METRICS:
        for index, first in enumerate(labels):
            for second in labels[index + 1 :]:
                pairs = by_label[first].join(by_label[second], on="seed", how="inner", maintain_order="left")
                a, b = pairs[metric.key].to_list(), pairs[f"{metric.key}_right"].to_list()
                both = [(x, y) for x, y in zip(a, b, strict=True) if math.isfinite(x) and math.isfinite(y)]
                if not both:
                    continue
                interval = statistics.paired_difference(
                    [x for x, _ in both], [y for _, y in both], confidence
                )
                rows.append(
                    {
                        "metric": metric.key,
                        "first": first,
                        "second": second,
                        "n": interval.n,
                        "mean": interval.estimate,
                        "low": interval.low,
                        "high": interval.high,
                    }
                )
    schema = {"metric": pl.String, "first": pl.String, "second": pl.String, "n": pl.UInt32}
    return pl.DataFrame(rows, schema=schema | dict.fromkeys(("mean", "low", "high"), pl.Float64))


def _finite(values: Iterable[float]) -> list[float]:
    return [value for value in values if math.isfinite(value)]


TIMES = ("s", "ms", "us", "ns")
"""Units of time, each a thousandth of the one before."""

SIGNIFICANT = 3
"""The significant digits that the largest number of a column has at least, in table and figure."""


def digits(metric: Metric, largest: float) -> int:
    """The decimals of a displayed metric: its own, and more if the largest value is small in its unit."""
    value = abs(largest * shown(metric, largest)[0])
    if metric.unit in ("", "packets") or not 0 < value < math.inf:
        return metric.digits  # counts, and indices whose largest value is 1
    return max(metric.digits, min(6, SIGNIFICANT - 1 - math.floor(math.log10(value))))


def shown(metric: Metric, largest: float) -> tuple[float, str]:
    """The factor and unit in which to display a metric whose largest value is given.

    Mbit/s for 2e7 bit/s; times that are below a tenth of their usual unit have a smaller one: us for 3e-5 s.
    """
    if metric.unit in TIMES:
        begin = TIMES.index(metric.unit)
        for unit in TIMES[begin:]:
            factor = metric.factor * 1e3 ** (TIMES.index(unit) - begin)
            if largest * factor >= (0.1 if unit == metric.unit else 1) or largest == 0:
                return (metric.factor, metric.unit) if largest == 0 else (factor, unit)
    if metric.unit != "bit/s":
        return metric.factor, metric.unit
    for threshold, unit in ((1e9, "Gbit/s"), (1e7, "Mbit/s"), (1e3, "kbit/s")):
        if largest >= threshold:
            return 1 / {"G": 1e9, "M": 1e6, "k": 1e3}[unit[0]], unit
    return 1.0, "bit/s"
