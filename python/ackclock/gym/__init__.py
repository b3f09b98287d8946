"""Congestion control as an environment for learning agents, by Gymnasium's interface.

`gymnasium.make("ackclock/Window-v0", scenario="single-flow")` gives one agent, `gymnasium.make_vec` many
worlds that one call steps on a pool of threads, and `WindowParallelEnv` several agents on one network by
PettingZoo's interface. Windows are in packets, times in seconds. `pip install ackclock[gym]` installs
Gymnasium and PettingZoo.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from ackclock.gym.registration import register

if TYPE_CHECKING:
    from ackclock.gym.environment import WindowEnv
    from ackclock.gym.logs import EpisodeLog, TensorBoard
    from ackclock.gym.observations import OBSERVATIONS, Step
    from ackclock.gym.onnx import load_onnx, save_onnx
    from ackclock.gym.parallel import WindowParallelEnv
    from ackclock.gym.policy import Layer, Policy, controller
    from ackclock.gym.rewards import AlphaFair, aurora, orca, power
    from ackclock.gym.vector import WindowVectorEnv

__all__ = [
    "OBSERVATIONS",
    "AlphaFair",
    "EpisodeLog",
    "Layer",
    "Policy",
    "Step",
    "TensorBoard",
    "WindowEnv",
    "WindowParallelEnv",
    "WindowVectorEnv",
    "aurora",
    "controller",
    "load_onnx",
    "orca",
    "power",
    "register",
    "save_onnx",
]

# The environments need Gymnasium, which is optional; rewards and policies do not.
_HOMES = {
    "AlphaFair": "rewards",
    "EpisodeLog": "logs",
    "Layer": "policy",
    "OBSERVATIONS": "observations",
    "Policy": "policy",
    "Step": "observations",
    "TensorBoard": "logs",
    "WindowEnv": "environment",
    "WindowParallelEnv": "parallel",
    "WindowVectorEnv": "vector",
    "aurora": "rewards",
    "controller": "policy",
    "load_onnx": "onnx",
    "orca": "rewards",
    "power": "rewards",
    "save_onnx": "onnx",
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
