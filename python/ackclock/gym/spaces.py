"""The spaces of actions and observations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.spaces import Box

from ackclock.gym.observations import OBSERVATIONS

__all__ = ["action_space", "observation_space"]


def action_space(lowest: float, highest: float) -> Box[Any]:
    """One number between two bounds."""
    return Box(lowest, highest, (1,), np.float64)


def observation_space(names: Sequence[str]) -> Box[Any]:
    """From zero to the largest value of each observation."""
    largest = np.array([OBSERVATIONS[name].largest for name in names])
    return Box(np.zeros(len(names)), largest, dtype=np.float64)
