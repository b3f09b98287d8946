"""One agent's flow, as an environment of Gymnasium."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from ackclock.errors import InputError
from ackclock.gym import observations
from ackclock.gym.episodes import Episodes
from ackclock.gym.paths import Range
from ackclock.gym.rewards import Reward
from ackclock.gym.spaces import action_space, observation_space
from ackclock.scenarios.load import Source

__all__ = ["WindowEnv"]

Array = NDArray[np.float64]


class WindowEnv(gymnasium.Env[Array, Array]):
    """An agent that sets the window, or the pacing rate, of one flow.

    The agent has the flow whose algorithm is `agent`, or the flow that names none; other flows compete. A
    step is a round trip, or `interval_s` seconds. `action` is `factor` (the window times 2 to the power of
    the action), `window` or `rate`. `ranges` draws values of the scenario anew in each episode. An episode is
    truncated at the end of the scenario's duration. Raises InputError, ScenarioError.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 - as Gymnasium has it

    def __init__(
        self,
        scenario: Source = "single-flow",
        *,
        settings: Mapping[str, object] | None = None,
        ranges: Mapping[str, Range] | None = None,
        action: str = "factor",
        observe: Sequence[str] = observations.DEFAULT,
        reward: str | Reward = "aurora",
        interval_s: float | None = None,
        largest_window_packets: float = 10_000.0,
        largest_rate_packets_per_s: float = 1e6,
    ) -> None:
        self.episodes = Episodes(
            scenario,
            count=1,
            settings=settings,
            ranges=ranges,
            action=action,
            observe=observe,
            reward=reward,
            interval_s=interval_s,
            largest_window_packets=largest_window_packets,
            largest_rate_packets_per_s=largest_rate_packets_per_s,
        )
        if self.episodes.agents != 1:
            raise InputError(
                f"{self.episodes.scenario.name}: {self.episodes.agents} flows are the agent's, this "
                "environment has one; gymnasium.make_vec has a row for each"
            )
        self.action_space = action_space()
        self.observation_space = observation_space(self.episodes.observed)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Begins an episode; `info["path"]` has the values drawn for it."""
        super().reset(seed=seed, options=options)
        path = self.episodes.reset(0, self.np_random)
        return self.episodes.observe(self.episodes.shown())[0], {"path": path}

    def step(self, action: Array) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Carries out an action; `info` has the facts, and the window's excess over its bound."""
        episodes = self.episodes
        step, over, excess = episodes.step(np.asarray(action, dtype=float).reshape(1))
        info = {"facts": step.facts[0], "window_excess_packets": float(excess[0])}
        reward = float(episodes.reward(step)[0])
        return episodes.observe(step)[0], reward, False, bool(over[0]), info
