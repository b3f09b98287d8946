"""The draft's measures (4.5) of one run."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ackclock.evaluation.criterion import Measure
from ackclock.evaluation.quantities import LOSS, UTILISATION, link_value, loss_share
from ackclock.measures.record import RunRecord

__all__ = ["BASIC", "DELAY", "basic", "delivered"]

DELAY = Measure("mean_delay_s", "queueing delay, mean", "ms", 1e3, 2, "lower", 0.001)

BASIC = (UTILISATION, LOSS, DELAY)


def basic(result: RunRecord) -> Mapping[str, float]:
    """Utilisation, drop rate and mean queueing delay of the central link."""
    return {
        UTILISATION.key: link_value(result, "utilisation"),
        LOSS.key: loss_share(result),
        DELAY.key: float(np.nan_to_num(link_value(result, "mean_queueing_delay_s"))),
    }


def delivered(result: RunRecord, name: str) -> float:
    """The bytes of a group's flows that were delivered per second of the run."""
    flows = result.columns("flows")
    mine = np.array([str(each).rstrip("0123456789") == name for each in flows["name"]], dtype=bool)
    return float(np.asarray(flows["bytes_delivered"], dtype=float)[mine].sum()) / result.scenario.duration_s
