"""Many worlds stepped by one call, as a vector environment of Gymnasium."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from ackclock.gym import observations
from ackclock.gym.episodes import Episodes
from ackclock.gym.paths import Range
from ackclock.gym.rewards import Reward
from ackclock.gym.spaces import action_space, observation_space
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

    def __init__(
        self,
        scenario: Source = "single-flow",
        *,
        num_envs: int = 1,
        settings: Mapping[str, object] | None = None,
        ranges: Mapping[str, Range] | None = None,
        action: str = "factor",
        observe: Sequence[str] = observations.DEFAULT,
        reward: str | Reward = "aurora",
        interval_s: float | None = None,
        largest_window_packets: float = 10_000.0,
        largest_rate_packets_per_s: float = 1e6,
        threads: int = 1,
    ) -> None:
        self.episodes = Episodes(
            scenario,
            count=num_envs,
            settings=settings,
            ranges=ranges,
            action=action,
            observe=observe,
            reward=reward,
            interval_s=interval_s,
            largest_window_packets=largest_window_packets,
            largest_rate_packets_per_s=largest_rate_packets_per_s,
            threads=threads,
        )
        self.num_envs = num_envs * self.episodes.agents
        self.single_action_space = action_space()
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
        # A stream for each world: the paths of one do not depend on how often another has begun.
        if seed is not None or not self._random:
            self._random = self.np_random.spawn(self.episodes.count)
        self._over[:] = False
        drawn = [self.episodes.reset(world, random) for world, random in enumerate(self._random)]
        return self.episodes.observe(self.episodes.shown()), {"path": self._by_agent(drawn)}

    def step(self, actions: Array) -> tuple[Array, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """One step of every world; those whose episode was over begin the next one."""
        episodes = self.episodes
        begun = np.flatnonzero(self._over)
        step, over, excess = episodes.step(np.asarray(actions, dtype=float).reshape(self.num_envs))
        reward = np.array(episodes.reward(step), dtype=float)
        info: dict[str, Any] = {"facts": step.facts, "window_excess_packets": excess}
        if len(begun):
            drawn: list[dict[str, str] | None] = [None] * episodes.count
            for world in begun:
                drawn[world] = episodes.reset(int(world), self._random[world])
            info["path"] = self._by_agent(drawn)
            over[begun] = False
            reward[np.repeat(self._over, episodes.agents)] = 0.0
            step = episodes.shown()
        self._over = over
        truncated = np.repeat(over, episodes.agents)
        return episodes.observe(step), reward, np.zeros_like(truncated), truncated, info

    def _by_agent(self, values: Sequence[object]) -> NDArray[np.object_]:
        """An array with the value of an agent's world for each agent."""
        rows = np.empty(self.num_envs, dtype=object)
        rows[:] = [value for value in values for _ in range(self.episodes.agents)]
        return rows
