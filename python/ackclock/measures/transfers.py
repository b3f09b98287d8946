"""Transfers: completion times, losses and goodputs of files, by classes of size.

Mice are the files of at most a threshold of packets, elephants all others. Transfers that begin after the
warm-up count, finished or not. A transfer's time runs from the opening of its connection to the
acknowledgment of its last packet.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ackclock.errors import InputError
from ackclock.measures import censored, heavy_tail, statistics

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


def records(result: RunRecord) -> pl.DataFrame:
    """The table `transfers` from the warm-up on, with three more columns.

    They are the `time_s` and the `payload_bits` of each transfer, and `until_end_s`, the time from its start
    to the end of the run. A transfer that did not finish has NaN for its time.
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
    measured = [
        pl.Series("time_s", finish - start),
        pl.Series("until_end_s", result.scenario.duration_s - start),
        pl.Series("payload_bits", payload_bits),
    ]
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

    They are the number of `transfers` begun; the `finished_share` of them; the mean time of those finished;
    the median time of all, in which those unfinished count as longer than until the end of the run (see
    `censored.median`); the coefficient of variation of those finished; `loss_share`, data packets lost over
    data packets sent, of all transfers; and `goodput_bit_per_s`, the payload of those finished over the sum
    of their times.
    """
    done = np.isfinite(files["finish_s"].to_numpy())
    times = files["time_s"].to_numpy()[done]
    seconds, bits = float(times.sum()), float(files["payload_bits"].to_numpy()[done].sum())
    return {
        "transfers": float(files.height),
        "finished_share": times.size / files.height if files.height else math.nan,
        "transfer_s": float(times.mean()) if times.size else math.nan,
        "median_transfer_s": censored.median(times, files["until_end_s"].to_numpy()[~done]),
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
    if "transfers" not in result.tables:
        raise InputError("classes by size need a row for every transfer: leave out `trace.transfers = false`")
    return records(result)


def time_cdf(files: pl.DataFrame) -> tuple[Floats, Floats]:
    """Times in s, rising, and the share of all files begun that took no longer; shapes (finished,).

    A file that did not finish counts as infinitely long, so the share may end below 1.
    """
    times = np.sort(files.filter(pl.col("time_s").is_finite())["time_s"].to_numpy())
    return times, np.arange(1, times.size + 1) / max(1, files.height)


def summary(results: Iterable[RunRecord], mice: Threshold, confidence: float = 0.95) -> pl.DataFrame:
    """The quantities of `measured` per label and class, with confidence intervals.

    All are means of the runs' own quantities, with Student t intervals over the runs, since transfers of one
    run share its queues; a single run has none (NaN). With "aest" each run has its own threshold; runs
    without one are left out.
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
        if values:
            found[key] = statistics.mean_interval(values, confidence)
    ends: Mapping[str, Callable[[statistics.Interval], float]] = {
        "": lambda interval: interval.estimate,
        "_low": lambda interval: interval.low,
        "_high": lambda interval: interval.high,
    }
    return {f"{key}{end}": of(interval) for key, interval in found.items() for end, of in ends.items()}
