"""Transfers: completion times, losses and goodputs of files, by classes of size.

Mice are the files of at most a threshold of packets, elephants all others. Transfers that begin after the
warm-up count, finished or not. A transfer's time runs from the opening of its connection to the
acknowledgment of its last packet.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ackclock.errors import InputError
from ackclock.measures import heavy_tail, statistics

if TYPE_CHECKING:
    from ackclock.measures.record import RunRecord

__all__ = [
    "CLASSES",
    "QUANTITIES",
    "ByClass",
    "Threshold",
    "by_class",
    "by_class_measured",
    "records",
    "summary",
    "threshold_packets",
    "time_cdf",
]

Floats = NDArray[np.float64]

CLASSES = ("mice", "elephants")
"""The classes of files by size."""

Threshold = float | Literal["aest"]
"""The packets of the largest mouse, or "aest": the first tail point of the sizes themselves."""

QUANTITIES = (
    "transfers",
    "finished_share",
    "transfer_s",
    "median_transfer_s",
    "transfer_cov",
    "loss_share",
    "goodput_bit_per_s",
)
"""The quantities of a class in one run: see `measured`."""

RESAMPLES = 2000


def records(result: RunRecord) -> pl.DataFrame:
    """The table `transfers` from the warm-up on, with the `time_s` and the `payload_bits` of each transfer.

    A transfer that did not finish has NaN for its time.
    """
    # Plain arrays: on the small tables of a short run, a query takes longer than everything else.
    files, flows = result.transfers, result.flows
    finish, start = files["finish_s"].to_numpy(), files["start_s"].to_numpy()
    with np.errstate(divide="ignore", invalid="ignore"):
        packet_bits = 8 * flows["bytes_delivered"].to_numpy() / flows["packets_delivered"].to_numpy()
    place = np.searchsorted(flows["flow"].to_numpy(), files["flow"].to_numpy())
    payload_bits = files["packets"].to_numpy() * packet_bits[place]
    # Datagrams of QUIC are no packets of its file, of which a flow has one.
    is_quic = (flows["kind"] == "quic").to_numpy()[place]
    if is_quic.any():
        payload_bits = np.where(is_quic, 8.0 * flows["bytes_delivered"].to_numpy()[place], payload_bits)
    measured = [pl.Series("time_s", finish - start), pl.Series("payload_bits", payload_bits)]
    everything = files.hstack(measured)
    from_s = result.scenario.warm_up_s
    return everything if from_s <= 0 else everything.filter(pl.col("start_s") >= from_s)


def threshold_packets(files: pl.DataFrame, mice: Threshold) -> float:
    """The packets of the largest mouse; NaN if AEST is to find it and the sizes have no tail.

    AEST takes files in the order of `start_s`.
    """
    if mice != "aest":
        return float(mice)
    sizes = files.sort("start_s", "flow", maintain_order=True)["packets"].to_numpy()
    return heavy_tail.aest(sizes).first_tail_point if sizes.size >= heavy_tail.FEWEST else math.nan


def by_class(files: pl.DataFrame, threshold: float) -> dict[str, pl.DataFrame]:
    """The mice and the elephants among `files`; both are empty if the threshold is NaN."""
    packets = files["packets"].to_numpy()
    return {
        "mice": files.filter(pl.Series(packets <= threshold)),
        "elephants": files.filter(pl.Series(packets > threshold)),
    }


def measured(files: pl.DataFrame) -> dict[str, float]:
    """The quantities of one class in one run, in base units; NaN without transfers to take them from.

    They are the number of `transfers` begun; the `finished_share` of them; the mean and the median time of
    those finished, and the coefficient of variation; `loss_share`, data packets lost over data packets sent,
    of all transfers; and `goodput_bit_per_s`, the payload of those finished over the sum of their times.
    """
    done = np.isfinite(files["finish_s"].to_numpy())
    times = files["time_s"].to_numpy()[done]
    seconds, bits = float(times.sum()), float(files["payload_bits"].to_numpy()[done].sum())
    return {
        "transfers": float(files.height),
        "finished_share": times.size / files.height if files.height else math.nan,
        "transfer_s": float(times.mean()) if times.size else math.nan,
        "median_transfer_s": float(np.median(times)) if times.size else math.nan,
        "transfer_cov": statistics.coefficient_of_variation(times) if times.size > 1 else math.nan,
        "loss_share": _loss_share(files),
        "goodput_bit_per_s": bits / seconds if seconds > 0 else math.nan,
    }


def by_class_measured(files: pl.DataFrame, threshold: float) -> dict[str, float]:
    """The quantities of `measured` for mice and for elephants, named as `mice_transfer_s`."""
    return {
        f"{name}_{key}": value
        for name, mine in by_class(files, threshold).items()
        for key, value in measured(mine).items()
    }


def _loss_share(files: pl.DataFrame) -> float:
    sent = float(files["packets_sent"].sum())
    return float(files["packets_lost"].sum()) / sent if sent > 0 else math.nan


@dataclass(frozen=True)
class ByClass:
    """A `measure` for sweeps: each quantity of `measured` for mice and elephants, named as `mice_transfer_s`.

    With "aest" each run's own sizes give the threshold, which becomes a quantity as well:
    `mice_threshold_packets`. A run whose sizes have no tail has NaN for all quantities.
    """

    mice: Threshold

    def __call__(self, result: RunRecord) -> dict[str, float]:
        """The quantities of one run. Raises InputError if the scenario does not record transfers."""
        files = _recorded(result)
        threshold = threshold_packets(files, self.mice)
        values = by_class_measured(files, threshold)
        if math.isnan(threshold):
            values = dict.fromkeys(values, math.nan)
        return {"mice_threshold_packets": threshold, **values} if self.mice == "aest" else values


def _recorded(result: RunRecord) -> pl.DataFrame:
    if result.transfers.is_empty() and result.transfer_classes.height:
        raise InputError("classes by size need a row for every transfer: leave out `trace.transfers = false`")
    return records(result)


def time_cdf(files: pl.DataFrame) -> tuple[Floats, Floats]:
    """Times in s, rising, and the share of all files begun that took no longer; shapes (finished,).

    A file that did not finish counts as infinitely long, so the share may end below 1.
    """
    times = np.sort(files.filter(pl.col("finish_s").is_finite())["time_s"].to_numpy())
    return times, np.arange(1, times.size + 1) / max(1, files.height)


def summary(results: Iterable[RunRecord], mice: Threshold, confidence: float = 0.95) -> pl.DataFrame:
    """The quantities of `measured` per label and class, with confidence intervals.

    All but the median are means of the runs' own quantities, with Student t intervals over the runs. The
    median is that of all transfers together; its interval is a percentile bootstrap that draws whole runs,
    since transfers of one run share its queues. With a single run the median's interval draws transfers as if
    they were independent, and the others have no interval (NaN).
    With "aest" each run has its own threshold; runs without one are left out.
    """
    grouped: dict[str, list[pl.DataFrame]] = {}
    for result in results:
        grouped.setdefault(result.label, []).append(_recorded(result))
    rows: list[dict[str, object]] = []
    for label, runs in grouped.items():
        split = [by_class(files, threshold_packets(files, mice)) for files in runs]
        for name in CLASSES:
            mine = [classes[name] for classes in split if classes[name].height]
            row = _summarised(mine, confidence) if mine else {}
            rows.append({"label": label, "class": name, "runs": len(mine), **row})
    numbers = [f"{key}{end}" for key in QUANTITIES for end in ("", "_low", "_high")]
    schema = {"label": pl.String, "class": pl.String, "runs": pl.UInt32, **dict.fromkeys(numbers, pl.Float64)}
    return pl.DataFrame([{key: row.get(key, math.nan) for key in schema} for row in rows], schema=schema)


def _summarised(runs: Sequence[pl.DataFrame], confidence: float) -> dict[str, float]:
    found: dict[str, statistics.Interval] = {}
    each = [measured(files) for files in runs]
    for key in QUANTITIES:
        values = [numbers[key] for numbers in each if math.isfinite(numbers[key])]
        if values and key != "median_transfer_s":
            found[key] = statistics.mean_interval(values, confidence)
    times = [files.filter(pl.col("finish_s").is_finite())["time_s"].to_numpy() for files in runs]
    if any(mine.size for mine in times):
        found["median_transfer_s"] = pooled_median([mine for mine in times if mine.size], confidence)
    ends: Mapping[str, Callable[[statistics.Interval], float]] = {
        "": lambda interval: interval.estimate,
        "_low": lambda interval: interval.low,
        "_high": lambda interval: interval.high,
    }
    return {f"{key}{end}": of(interval) for key, interval in found.items() for end, of in ends.items()}


def pooled_median(runs: Sequence[Floats], confidence: float = 0.95, seed: int = 0) -> statistics.Interval:
    """The median of all runs' values together, with a percentile bootstrap that draws whole runs.

    A single run is resampled value by value. Equal seeds give equal intervals. `n` counts the runs.
    """
    if len(runs) == 1:
        return statistics.median_interval(runs[0], confidence, seed)
    values = np.concatenate(runs)
    order = np.argsort(values, kind="stable")
    owner = np.repeat(np.arange(len(runs)), [mine.size for mine in runs])[order]
    ordered = values[order]
    source = np.random.default_rng(seed)
    median = partial(_weighted_median, ordered, owner)
    drawn = [
        median(np.bincount(source.integers(len(runs), size=len(runs)), minlength=len(runs)))
        for _ in range(RESAMPLES)
    ]
    tail = (1 - confidence) / 2
    low, high = np.quantile(drawn, [tail, 1 - tail])
    return statistics.Interval(float(np.median(values)), float(low), float(high), len(runs), confidence)


def _weighted_median(ordered: Floats, owner: NDArray[np.intp], times_drawn: NDArray[np.intp]) -> float:
    """The median of values that each count as often as their run was drawn."""
    counted = np.cumsum(times_drawn[owner])
    total = int(counted[-1])
    middle = np.searchsorted(counted, [(total + 1) // 2, total // 2 + 1])
    return float(ordered[middle].mean())
