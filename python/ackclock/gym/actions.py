"""The meanings of an agent's action, a number between -1 and 1, and the bounds of its window."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["ACTIONS", "decide"]

Array = NDArray[np.float64]


def _factor(action: Array, cwnd: Array, largest: float) -> Array:
    """The window times 2 to the power of the action, as in Orca (Abbasloo, Yen and Chao, SIGCOMM 2020)."""
    del largest
    return cwnd * np.exp2(action)


def _window(action: Array, cwnd: Array, largest: float) -> Array:
    """A window between one packet (-1) and the largest (1), in equal ratios."""
    del cwnd
    return np.power(largest, (action + 1.0) / 2.0)


ACTIONS: dict[str, Callable[[Array, Array, float], Array]] = {
    "factor": _factor,
    "window": _window,
    # A rate in packets per second, in the way of a window; the window itself is the largest.
    "rate": _window,
}
"""What an action means: `factor`, `window`, or `rate` for the pacing rate."""


def decide(
    meaning: str, action: Array, cwnd: Array, largest_packets: float, largest_rate: float
) -> tuple[Array, Array]:
    """The rows (window, pacing rate or 0) for the simulator, and each window's excess over its bound."""
    action = np.clip(action, -1.0, 1.0)
    paced = meaning == "rate"
    asked = ACTIONS[meaning](action, cwnd, largest_rate if paced else largest_packets)
    rows = np.zeros((len(action), 2))
    if paced:
        rows[:, 0], rows[:, 1] = largest_packets, asked
        return rows, np.zeros(len(action))
    rows[:, 0] = np.clip(asked, 1.0, largest_packets)
    return rows, np.maximum(asked - largest_packets, 0.0)
