"""The spaces of actions and observations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray

from ackclock.arguments import shown
from ackclock.errors import InputError
from ackclock.gym.observations import OBSERVATIONS

__all__ = ["action_space", "numbers", "observation_space", "one_number"]

Array = NDArray[np.float64]


def action_space(lowest: float, highest: float) -> Box[Any]:
    """One number between two bounds."""
    return Box(lowest, highest, (1,), np.float64)


def observation_space(names: Sequence[str]) -> Box[Any]:
    """From zero to the largest value of each observation."""
    largest = np.array([OBSERVATIONS[name].largest for name in names])
    return Box(np.zeros(len(names)), largest, dtype=np.float64)


def one_number(action: Any) -> float:
    """The number of one agent's action, of shape (1,). Raises InputError."""
    # An array with its attributes is what a step of some microseconds can afford to ask.
    if getattr(action, "shape", None) != (1,) and np.shape(action) != (1,):
        raise InputError(f"action: found {shown(action)}; expected an array of one number, of shape (1,)")
    try:
        return float(action[0])
    except (TypeError, ValueError):
        raise InputError(f"action: found {shown(action)}; expected a number in the array") from None


def numbers(actions: Any, count: int) -> Array:
    """The numbers of the actions of all agents, of shape (count, 1) or (count,). Raises InputError."""
    try:
        found = np.asarray(actions, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"actions: found {shown(actions)}; expected an array of numbers") from None
    if found.shape not in ((count, 1), (count,)):
        raise InputError(f"actions: found an array of shape {found.shape}; expected shape ({count}, 1)")
    return found.reshape(count)
