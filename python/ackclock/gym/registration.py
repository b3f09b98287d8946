"""The environments' names in Gymnasium's registry."""

from __future__ import annotations

import importlib
import importlib.util

__all__ = ["register"]

WINDOW = "ackclock/Window-v0"


def register() -> None:
    """Registers the environments, once; does nothing where Gymnasium is not installed."""
    if importlib.util.find_spec("gymnasium") is None:
        return
    registration = importlib.import_module("gymnasium.envs.registration")

    if WINDOW not in registration.registry:
        registration.register(
            id=WINDOW,
            entry_point="ackclock.gym.environment:WindowEnv",
            vector_entry_point="ackclock.gym.vector:WindowVectorEnv",
            disable_env_checker=True,
        )
