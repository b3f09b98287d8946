"""The statements of section 3 on the model itself."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ackclock.models import COUNTER_LIMIT, SubPacketModel, mathis
from ackclock.papers import Holds, Measured, Values


def claims() -> dict[str, Measured]:
    """From the model alone; nothing is simulated."""
    model = SubPacketModel()
    p = np.array([0.05, 0.1, 0.15, 0.2])
    found = model.at(p)
    backed_off = sum((found.of(f"b*({k}r)") for k in (1, 2, 3)), start=np.zeros_like(p))
    near = SubPacketModel("approximate").idle(np.array([0.49, 0.499, 0.4999]))["b*"]
    return {
        "model-shift": Holds(
            [bool(backed_off[3] > 2 * backed_off[1] and found.throughput[3] < found.throughput[1] / 2)],
            float(backed_off[3]),
            f"p = 0.05, 0.1, 0.15, 0.2: share of epochs waiting with the timer backed off "
            f"{_listed(backed_off)}; packets per epoch {_listed(found.throughput)}",
        ),
        "model-limit": Values(
            [_limit(model)],
            f"mean wait of b* at p = 0.49, 0.499, 0.4999: {_listed(near)}; with the back-offs counted, idle "
            f"times have no limit from {COUNTER_LIMIT:.3f} on",
        ),
        "tcp-friendly": Values([float(mathis(1 - 1e-12))]),
    }


def _listed(values: NDArray[np.float64]) -> str:
    return ", ".join(f"{value:.3g}" for value in values)


def _limit(model: SubPacketModel) -> float:
    """The loss rate at which the mean wait, extrapolated from where it is finite, has no limit."""
    p = np.array([0.4, 0.45, 0.49])
    inverse = 1 / model.idle(p)["b*"]
    slope, offset = np.polyfit(p, inverse, 1)
    return float(-offset / slope)
