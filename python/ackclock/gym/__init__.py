"""Congestion control as an environment for learning agents, by Gymnasium's interface.

`gymnasium.make("ackclock/Window-v0", scenario="single-flow")` gives one agent, `gymnasium.make_vec` many
worlds that one call steps on a pool of threads. Windows are in packets, times in seconds. Needs Gymnasium:
`pip install ackclock[gym]`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from ackclock.gym.registration import register

if TYPE_CHECKING:
    from ackclock.gym.environment import WindowEnv
    from ackclock.gym.observations import OBSERVATIONS, Step
    from ackclock.gym.policy import LinearPolicy, controller
    from ackclock.gym.rewards import AlphaFair, aurora, orca, power
    from ackclock.gym.vector import WindowVectorEnv

__all__ = [
    "OBSERVATIONS",
    "AlphaFair",
    "LinearPolicy",
    "Step",
    "WindowEnv",
    "WindowVectorEnv",
    "aurora",
    "controller",
    "orca",
    "power",
    "register",
]

# The environments need Gymnasium, which is optional; rewards and policies do not.
_HOMES = {
    "AlphaFair": "rewards",
    "LinearPolicy": "policy",
    "OBSERVATIONS": "observations",
    "Step": "observations",
    "WindowEnv": "environment",
    "WindowVectorEnv": "vector",
    "aurora": "rewards",
    "controller": "policy",
    "orca": "rewards",
    "power": "rewards",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'ackclock.gym' has no attribute {name!r}")
    value: object = getattr(importlib.import_module(f"ackclock.gym.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


register()
