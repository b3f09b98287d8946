"""Several agents on one network, as a parallel environment of PettingZoo."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium.spaces import Box
from gymnasium.utils.seeding import np_random
from numpy.typing import NDArray
from pettingzoo import ParallelEnv

from ackclock.arguments import shown
from ackclock.errors import InputError
from ackclock.gym.episodes import EXCESS, episodes
from ackclock.gym.observations import Step
from ackclock.gym.spaces import action_space, observation_space, one_number
from ackclock.scenarios.load import Source

__all__ = ["WindowParallelEnv"]

Array = NDArray[np.float64]


class WindowParallelEnv(ParallelEnv[str, Array, Array]):  # type: ignore[misc]
    """As `WindowEnv`, for all flows of a scenario whose algorithm is `agent`: `agent_0`, `agent_1`, ..

    They share the network and the end of the episode. A step lasts for the longest of their smoothed
    round-trip times, or for `interval_s` seconds. Raises InputError, ScenarioError.
    """

    metadata: dict[str, Any] = {"render_modes": [], "name": "ackclock/Window-v0"}  # noqa: RUF012 - as PettingZoo has it
    render_mode = None

    def __init__(self, scenario: Source, **options: Any) -> None:
        self.episodes = episodes(scenario, 1, options)
        self.possible_agents = [f"agent_{index}" for index in range(self.episodes.agents)]
        self.agents: list[str] = []
        self._random = np_random()[0]

    @functools.cache  # noqa: B019 - PettingZoo asks for the same object each time
    def action_space(self, agent: str) -> Box[Any]:
        """One number, whose bounds depend on the meaning of actions."""
        del agent
        return action_space(self.episodes.lowest, self.episodes.highest)

    @functools.cache  # noqa: B019 - PettingZoo asks for the same object each time
    def observation_space(self, agent: str) -> Box[Any]:
        """From zero to the largest value of each observation."""
        del agent
        return observation_space(self.episodes.observed)

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Array], dict[str, dict[str, Any]]]:
        """Begins an episode; each agent's `info["path"]` has the values drawn for it."""
        del options
        if seed is not None:
            self._random = np_random(seed)[0]
        path = self.episodes.reset(0, self._random)
        self.agents = self.possible_agents[:]
        return self._by_agent(self.episodes.observe()), {agent: {"path": path} for agent in self.agents}

    def step(
        self, actions: dict[str, Array]
    ) -> tuple[
        dict[str, Array], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]
    ]:
        """Carries out an action of each agent; `info` has all observations of an agent."""
        given: object = actions
        if not isinstance(given, Mapping) or set(given) != set(self.agents):
            raise InputError(f"actions: found {shown(actions)}; expected an action of each of {self.agents}")
        numbers = np.array([one_number(actions[agent]) for agent in self.agents], dtype=float)
        over = bool(self.episodes.step(numbers)[0])
        facts = self.episodes.facts.copy()
        rewards = np.broadcast_to(self.episodes.reward(Step(facts.T)), len(facts)).tolist()
        agents = self.agents
        infos = {
            agent: {"facts": row, "window_excess_packets": float(row[EXCESS])}
            for agent, row in zip(agents, facts, strict=True)
        }
        observed = self._by_agent(self.episodes.observe())
        self.agents = [] if over else agents
        return (
            observed,
            dict(zip(agents, rewards, strict=True)),
            dict.fromkeys(agents, False),
            dict.fromkeys(agents, over),
            infos,
        )

    def _by_agent(self, rows: Array) -> dict[str, Array]:
        return dict(zip(self.possible_agents, rows, strict=True))
