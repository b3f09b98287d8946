"""One agent's flow, as an environment of Gymnasium."""

from __future__ import annotations

from operator import itemgetter
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from ackclock.errors import InputError
from ackclock.gym.episodes import EXCESS, episodes
from ackclock.gym.observations import Step
from ackclock.gym.spaces import action_space, observation_space, one_number
from ackclock.scenarios.load import Source

__all__ = ["WindowEnv"]

Array = NDArray[np.float64]


class WindowEnv(gymnasium.Env[Array, Array]):
    """An agent that sets the window, or the pacing rate, of one flow.

    The agent controls the flow whose algorithm is `agent`, or the flow that names no algorithm; other flows
    compete. A step is a round trip, or `interval_s` seconds. An episode is truncated at the end of the
    scenario's duration. The options are those of the page "Learning agents". Raises InputError,
    ScenarioError.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 - as Gymnasium has it

    def __init__(self, scenario: Source = "single-flow", **options: Any) -> None:
        self.episodes = episodes(scenario, 1, options)
        if self.episodes.agents != 1:
            raise InputError(
                f"{self.episodes.scenario.name}: {self.episodes.agents} flows are the agent's, this "
                "environment has one; gymnasium.make_vec has a row for each"
            )
        self.action_space = action_space(self.episodes.lowest, self.episodes.highest)
        self.observation_space = observation_space(self.episodes.observed)
        # A step takes some microseconds, in which each look-up counts.
        self._step, self._reward = self.episodes.worlds.step_one, self.episodes.reward
        columns = self.episodes.columns
        self._chosen = (
            itemgetter(*columns) if len(columns) > 1 else itemgetter(slice(columns[0], columns[0] + 1))
        )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Begins an episode; `info["path"]` has the values drawn for it."""
        super().reset(seed=seed, options=options)
        path = self.episodes.reset(0, self.np_random)
        return self.episodes.observe()[0], {"path": path}

    def step(self, action: Array) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Carries out an action; `info` has all observations, and the window's excess over its bound."""
        try:
            values, over = self._step(one_number(action))
        except ValueError as error:
            raise InputError(str(error)) from None
        info = {"facts": values, "window_excess_packets": values[EXCESS]}
        return np.array(self._chosen(values)), float(self._reward(Step(values))), False, over, info
