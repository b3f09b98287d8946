"""What became of files: times, losses and goodputs of transfers, by classes of size.

Mice are the files of at most so many packets, elephants all others. Counted are the transfers that began
after the warm-up, finished or not. Times are from asking for the connection to the acknowledgment of the
last packet.
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
"""What is measured of a class in one run: see `measured`."""

RESAMPLES = 2000


def records(result: RunRecord) -> pl.DataFrame:
    """The table `transfers` of what began after the warm-up, with `time_s` and the `payload_bits` of each.

    A transfer that did not finish has NaN for its time.
    """
    # Columns by hand: on the little tables of a short run, a query takes longer than all the rest of it.
    files, flows = result.transfers, result.flows
    finish, start = files["finish_s"].to_numpy(), files["start_s"].to_numpy()
    with np.errstate(divide="ignore", invalid="ignore"):
        packet_bits = 8 * flows["bytes_delivered"].to_numpy() / flows["packets_delivered"].to_numpy()
    place = np.searchsorted(flows["flow"].to_numpy(), files["flow"].to_numpy())
    measured = [
        pl.Series("time_s", finish - start),
        pl.Series("payload_bits", files["packets"].to_numpy() * packet_bits[place]),
    ]
    everything = files.hstack(measured)
    from_s = result.scenario.warm_up_s
    return everything if from_s <= 0 else everything.filter(pl.col("start_s") >= from_s)


def threshold_packets(files: pl.DataFrame, mice: Threshold) -> float:
    """The packets of the largest mouse; NaN where AEST is asked for and finds no tail in the sizes.

    AEST takes files in the order of `start_s`.
    """
    if mice != "aest":
        return float(mice)
    sizes = files.sort("start_s", "flow", maintain_order=True)["packets"].to_numpy()
    return heavy_tail.aest(sizes).first_tail_point if sizes.size >= heavy_tail.FEWEST else math.nan


def by_class(files: pl.DataFrame, threshold: float) -> dict[str, pl.DataFrame]:
    """The mice and the elephants among `files`; none of either where the threshold is NaN."""
    packets = files["packets"].to_numpy()
    return {
        "mice": files.filter(pl.Series(packets <= threshold)),
        "elephants": files.filter(pl.Series(packets > threshold)),
    }


def measured(files: pl.DataFrame) -> dict[str, float]:
    """One class in one run, in base units; NaN where nothing says it.

    `transfers` begun; `finished_share` of them; mean and median time of the finished; its coefficient of
    variation; `loss_share`, data packets lost over data packets sent, of all transfers; and
    `goodput_bit_per_s`, the payload of the finished over all their time.
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
    """What `measured` says of the mice and of the elephants among `files`, as `mice_transfer_s`."""
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
    """A `measure` for sweeps: every quantity of `measured` for mice and elephants, as `mice_transfer_s`.

    With "aest" the threshold is found in each run, from its own sizes, and is one of the numbers:
    `mice_threshold_packets`. A run whose sizes show no tail has NaN for all of them.
    """

    mice: Threshold

    def __call__(self, result: RunRecord) -> dict[str, float]:
        """The numbers of one run. Raises InputError where the scenario records no transfers."""
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

    What did not finish counts as taking for ever, so the share may end below 1.
    """
    times = np.sort(files.filter(pl.col("finish_s").is_finite())["time_s"].to_numpy())
    return times, np.arange(1, times.size + 1) / max(1, files.height)


def summary(results: Iterable[RunRecord], mice: Threshold, confidence: float = 0.95) -> pl.DataFrame:
    """Per label and class: means and medians of the finished transfers' times, and more, with intervals.

    Means, shares, goodputs and coefficients of variation are means of the runs' own, with Student t
    intervals over the runs. The median is that of all transfers together; its interval is a percentile
    bootstrap that draws whole runs, since transfers of one run met the same queues. From one run alone the
    median's interval draws transfers, as if independent, and the others have none (NaN).
    With "aest" each run has its own threshold; a label's runs without one are left out.
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

    One run alone is resampled value by value. The same seed gives the same interval. `n` counts the runs.
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
    """The median of values that each stand as often as their run was drawn."""
    standing = np.cumsum(times_drawn[owner])
    total = int(standing[-1])
    middle = np.searchsorted(standing, [(total + 1) // 2, total // 2 + 1])
    return float(ordered[middle].mean())
