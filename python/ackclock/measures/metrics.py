"""Metrics: the quantities of one simulation that comparisons show, and their summaries over seeds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import polars as pl

from ackclock.measures import statistics, users

if TYPE_CHECKING:
    from ackclock.measures.record import RunRecord

__all__ = [
    "KEYS",
    "METRICS",
    "Metric",
    "applicable",
    "bottleneck",
    "differences",
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
    Metric("mean_rtt_s", "Round trip", "ms", 1e3, 1, "lower", "mean round-trip time over the TCP flows"),
    Metric(
        "queueing_delay_s",
        "Queueing",
        "ms",
        1e3,
        2,
        "lower",
        "mean wait of the packets that left the bottleneck's queue",
    ),
    Metric(
        "mean_queue_packets",
        "Queue",
        "packets",
        1,
        2,
        "",
        "mean number of packets waiting at the bottleneck",
        False,
    ),
    Metric(
        "loss_share",
        "Loss",
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
    Metric("retransmissions", "Sent again", "packets", 1, 1, "lower", "data packets sent again"),
    Metric(
        "fast_retransmits", "Loss episodes", "", 1, 1, "lower", "losses repaired without a timeout", False
    ),
    Metric("timeouts", "Timeouts", "", 1, 1, "lower", "expirations of the retransmission timer"),
    Metric("fairness", "Fairness", "", 1, 4, "higher", "Jain's index of the TCP flows' goodputs"),
    Metric("completion_s", "Completion", "s", 1, 3, "lower", "mean time from start to finish of the files"),
    Metric("page_s", "Page", "s", 1, 2, "lower", "mean time of the pages that users have got"),
    Metric(
        "longest_hang_s",
        "Longest hang",
        "s",
        1,
        1,
        "lower",
        "median over users of the longest time without new data while a page was under way",
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

_BY_KEY = {metric.key: metric for metric in METRICS}


def metric(key: str) -> Metric:
    """The metric of this key. Raises KeyError."""
    return _BY_KEY[key]


def bottleneck(results: Iterable[RunRecord]) -> str:
    """The bottleneck: the link direction with the most drops.

    Among equals it is the one with the longest mean queue, then the one with the highest utilisation.
    """
    links = pl.concat([result.links for result in results])
    totals = links.group_by("name", maintain_order=True).agg(
        pl.col("dropped_queue").sum(), pl.col("mean_queue_packets").mean(), pl.col("utilisation").mean()
    )
    best = totals.sort(
        ["dropped_queue", "mean_queue_packets", "utilisation"], descending=True, maintain_order=True
    )
    return str(best["name"][0])


def measure(result: RunRecord, link: str) -> dict[str, float]:
    """Every metric of one simulation, in base units; `link` is the bottleneck's name."""
    values = applicable(result, link)
    return {metric.key: float(values.get(metric.key, math.nan)) for metric in METRICS}


def applicable(result: RunRecord, link: str) -> dict[str, float]:
    """The metrics that apply to one simulation."""
    # Flows that arrive after the end of the run, or after their stop, do not count.
    flows = result.flows.filter((pl.col("packets_sent") > 0) | (pl.col("measured_s") > 0))
    tcp = flows.filter(pl.col("kind") != "udp")
    udp = flows.filter(pl.col("kind") == "udp")
    row = result.links.row(by_predicate=pl.col("name") == link, named=True)
    offered = row["packets_offered"]
    values = {
        "utilisation": row["utilisation"],
        "queueing_delay_s": row["mean_queueing_delay_s"],
        "mean_queue_packets": row["mean_queue_packets"],
        "loss_share": (row["dropped_queue"] + row["dropped_loss"]) / offered if offered else 0.0,
    }
    if tcp.height:
        for key in ("goodput_bit_per_s", "throughput_bit_per_s"):
            values[key] = _together(tcp, key, result.scenario.warm_up_s)
        for key in ("retransmissions", "fast_retransmits", "timeouts"):
            values[key] = float(tcp[key].sum())
        for key in ("mean_rtt_s", "mean_cwnd_packets"):
            values[key] = _mean(tcp[key].to_list())
        goodputs = tcp["goodput_bit_per_s"].to_list()
        if tcp.height > 1 and all(math.isfinite(value) for value in goodputs):
            values["fairness"] = statistics.jain_index(goodputs)
        values["completion_s"] = _mean((tcp["finish_s"] - tcp["start_s"]).to_list())
    if result.users.height:
        seen = users.measured(result)
        values |= {key: seen[key] for key in ("page_s", "longest_hang_s")}
    if udp.height:
        values["udp_goodput_bit_per_s"] = _together(udp, "goodput_bit_per_s", result.scenario.warm_up_s)
    return values


def _together(flows: pl.DataFrame, rate: str, warm_up_s: float) -> float:
    """The rate of all flows together: their bits over the time from the first start to the last end.

    Flows may follow one another, so that the sum of their own rates exceeds what the link carries.
    """
    begin = flows["start_s"].clip(lower_bound=warm_up_s)
    end = begin + flows["measured_s"]
    bits = math.fsum((flows[rate] * flows["measured_s"]).to_list())
    seconds = float(end.max()) - float(begin.min())  # type: ignore[arg-type]
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


def differences(runs: pl.DataFrame, labels: Sequence[str]) -> pl.DataFrame:
    """Mean of first - second over common seeds with its 95 % interval, per metric and pair of labels."""
    rows = []
    by_label = {label: runs.filter(pl.col("label") == label) for label in labels}
    for metric in METRICS:
        for index, first in enumerate(labels):
            for second in labels[index + 1 :]:
                pairs = by_label[first].join(by_label[second], on="seed", how="inner", maintain_order="left")
                a, b = pairs[metric.key].to_list(), pairs[f"{metric.key}_right"].to_list()
                both = [(x, y) for x, y in zip(a, b, strict=True) if math.isfinite(x) and math.isfinite(y)]
                if not both:
                    continue
                interval = statistics.paired_difference([x for x, _ in both], [y for _, y in both])
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


def shown(metric: Metric, largest: float) -> tuple[float, str]:
    """The factor and unit in which to display a metric whose largest value is given: Mbit/s for 2e7 bit/s."""
    if metric.unit != "bit/s":
        return metric.factor, metric.unit
    for threshold, unit in ((1e9, "Gbit/s"), (1e7, "Mbit/s"), (1e3, "kbit/s")):
        if largest >= threshold:
            return 1 / {"G": 1e9, "M": 1e6, "k": 1e3}[unit[0]], unit
    return 1.0, "bit/s"
