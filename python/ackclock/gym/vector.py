"""Many worlds stepped by one call, as a vector environment of Gymnasium."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from ackclock.gym.episodes import EXCESS, episodes
from ackclock.gym.observations import Step
from ackclock.gym.spaces import action_space, numbers, observation_space
from ackclock.scenarios.load import Source

__all__ = ["WindowVectorEnv"]

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]


class WindowVectorEnv(VectorEnv[Array, Array, NDArray[Any]]):
    """As `WindowEnv`, with a row for each agent of `num_envs` worlds, world by world, on `threads` threads.

    Agents of one world share its network and the end of its episode. An episode that is over begins anew with
    the next step, whose action and reward do not count (Gymnasium's next-step mode). The same seed gives the
    same bytes on any number of threads.
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012 - as Gymnasium has it

    def __init__(self, scenario: Source = "single-flow", *, num_envs: int = 1, **options: Any) -> None:
        self.episodes = episodes(scenario, num_envs, options)
        self.num_envs = num_envs * self.episodes.agents
        self.single_action_space = action_space(self.episodes.lowest, self.episodes.highest)
        self.single_observation_space = observation_space(self.episodes.observed)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self._random: list[np.random.Generator] = []
        self._over: Flags = np.zeros(num_envs, dtype=bool)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Begins an episode in each world; `info["path"]` has the values drawn for each."""
        super().reset(seed=seed, options=options)
        # Each world has its own stream: the paths of one do not depend on how often another has begun.
        if seed is not None or not self._random:
            self._random = self.np_random.spawn(self.episodes.count)
        self._over[:] = False
        drawn = [self.episodes.reset(world, random) for world, random in enumerate(self._random)]
        return self.episodes.observe(), {"path": self._by_agent(drawn)}

    def step(self, actions: Array) -> tuple[Array, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """One step of every world; those whose episode was over begin the next one."""
        worlds = self.episodes
        begun = np.flatnonzero(self._over)
        over = worlds.step(numbers(actions, self.num_envs))
        facts = worlds.facts.copy()
        reward: Array = np.array(worlds.reward(Step(facts.T)), dtype=np.float64)
        info: dict[str, Any] = {"facts": facts, "window_excess_packets": facts[:, EXCESS]}
        if len(begun):
            drawn: list[dict[str, str] | None] = [None] * worlds.count
            for world in begun:
                drawn[world] = worlds.reset(int(world), self._random[world])
            info["path"] = self._by_agent(drawn)
            over[begun] = False
            reward[np.repeat(self._over, worlds.agents)] = 0.0
        self._over = over
        truncated = np.repeat(over, worlds.agents)
        return worlds.observe(), reward, np.zeros_like(truncated), truncated, info

    def _by_agent(self, values: Sequence[object]) -> NDArray[np.object_]:
        """An array with a value for each agent: the value of the agent's world."""
        rows = np.empty(self.num_envs, dtype=object)
        rows[:] = [value for value in values for _ in range(self.episodes.agents)]
        return rows
