"""Quantities of one run that several criteria measure.

All are finite: a run without an outcome, such as a file that never ends, counts as the worst.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ackclock.evaluation.criterion import Measure
from ackclock.evaluation.networks import BOTTLENECK
from ackclock.measures.record import RunRecord
from ackclock.measures.statistics import jain_index

__all__ = [
    "DELAY_95",
    "FAIRNESS",
    "GOODPUT",
    "LOSS",
    "LOWEST_SHARE",
    "UTILISATION",
    "completion_times",
    "delay_quantile",
    "goodputs",
    "link_value",
    "loss_of",
    "loss_share",
    "shares",
]

Floats = NDArray[np.float64]

GOODPUT = Measure("goodput", "goodput", "Mbit/s", 1e-6, 2, "higher", 1e3)
UTILISATION = Measure("utilisation", "utilisation", "%", 100, 1, "higher", 0.001)
DELAY_95 = Measure("delay_95_s", "queueing delay, 95th percentile", "ms", 1e3, 1, "lower", 0.005)
LOSS = Measure("loss", "packets lost", "%", 100, 2, "lower", 0.001)
FAIRNESS = Measure("jain", "Jain's index", "", 1, 3, "higher", 0.02)
LOWEST_SHARE = Measure("lowest", "lowest share of the fair one", "%", 100, 0, "higher", 0.02)


def link_value(result: RunRecord, column: str, link: str = BOTTLENECK) -> float:
    """A value of the bottleneck's row."""
    links = result.columns("links")
    return float(links[column][list(links["name"]).index(link)])


def loss_share(result: RunRecord) -> float:
    """The share of the packets offered to the bottleneck that its queue dropped."""
    offered = link_value(result, "packets_offered")
    return link_value(result, "dropped_queue") / offered if offered else 0.0


def loss_of(result: RunRecord, name: str) -> float:
    """The share of the packets sent by the flows of a group that were lost, over the whole run."""
    flows = result.columns("flows")
    mine = _named(result, name)
    sent = float(np.asarray(flows["packets_sent"], dtype=float)[mine].sum())
    return float(np.asarray(flows["packets_lost"], dtype=float)[mine].sum()) / sent if sent else 0.0


def delay_quantile(result: RunRecord, quantile: float = 0.95) -> float:
    """A quantile of the bottleneck's queueing delay in s, over the time after the warm-up."""
    place = list(result.columns("links")["name"]).index(BOTTLENECK)
    series = result.columns("link_series")
    chosen = (np.asarray(series["link"]) == place) & (
        np.asarray(series["time_s"]) >= result.scenario.warm_up_s
    )
    queue = np.asarray(series["queue_bytes"], dtype=float)[chosen]
    if not queue.size:
        return 0.0
    return float(np.quantile(queue, quantile)) * 8 / link_value(result, "rate_bit_per_s")


def _named(result: RunRecord, name: str) -> NDArray[np.bool_]:
    """True for the flows of a group; the flows of a group of several have numbers behind the group's name."""
    names = result.columns("flows")["name"]
    return np.array([str(each).rstrip("0123456789") == name for each in names], dtype=bool)


def goodputs(result: RunRecord, name: str) -> Floats:
    """The goodputs in bit/s of the flows of a group, zero where a flow has none."""
    rates = np.asarray(result.columns("flows")["goodput_bit_per_s"], dtype=float)[_named(result, name)]
    found: Floats = np.nan_to_num(rates, nan=0.0)
    return found


def shares(result: RunRecord, name: str) -> dict[str, float]:
    """Fairness among the flows of a group: Jain's index, and the lowest goodput over the mean one."""
    rates = goodputs(result, name)
    mean = float(rates.mean())
    return {FAIRNESS.key: jain_index(rates), LOWEST_SHARE.key: float(rates.min()) / mean if mean else 0.0}


def completion_times(result: RunRecord, name: str) -> Floats:
    """The times in s from start to finish of a group's files.

    An unfinished file counts until the end of the run.
    """
    flows = result.columns("flows")
    mine = _named(result, name)
    start = np.asarray(flows["start_s"], dtype=float)[mine]
    finish = np.asarray(flows["finish_s"], dtype=float)[mine]
    end = result.scenario.duration_s
    begun = start < end
    taken: Floats = np.where(np.isfinite(finish), finish, end)[begun] - start[begun]
    return taken
