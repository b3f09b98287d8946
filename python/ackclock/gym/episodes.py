"""Worlds of one scenario: their episodes, actions and observations, which all environments show."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ackclock._native import Scenario, Worlds
from ackclock.errors import InputError, unknown
from ackclock.gym import observations, paths, rewards
from ackclock.gym.observations import COLUMNS, OBSERVATIONS
from ackclock.gym.paths import Range
from ackclock.gym.rewards import Reward
from ackclock.scenarios.load import Source, load_scenario

__all__ = ["AGENT", "EXCESS", "Episodes", "episodes"]

AGENT = "agent"
"""The algorithm of the flows whose windows the agent sets."""

EXCESS = COLUMNS["window_excess_packets"]

Array = NDArray[np.float64]

LARGEST_SEED = 2**31


class Episodes:
    """Many worlds, stepped by one call, with one row of every array for each agent, world by world.

    The parameters after `count` are the options of the environments, `threads` that of the vector alone.
    """

    def __init__(
        self,
        scenario: Source,
        *,
        count: int,
        settings: Mapping[str, object] | None = None,
        ranges: Mapping[str, Range] | None = None,
        action: str = "factor",
        observe: Sequence[str] = observations.DEFAULT,
        reward: str | Reward = "aurora",
        interval_s: float | None = None,
        each_acknowledgment: bool = False,
        largest_window_packets: float = 10_000.0,
        largest_rate_packets_per_s: float = 1e6,
        threads: int = 1,
    ) -> None:
        if action not in Worlds.actions():
            raise unknown("action", action, Worlds.actions())
        for name, value in [
            ("interval_s", interval_s),
            ("largest_window_packets", largest_window_packets - 1),
            ("largest_rate_packets_per_s", largest_rate_packets_per_s - 1),
            ("count and threads", min(count, threads)),
        ]:
            if value is not None and not 0 < value < float("inf"):
                raise InputError(f"{name}: too small, or not finite")
        self.scenario = _with_agent(load_scenario(scenario, settings, custom=[AGENT]))
        self.ranges = dict(ranges or {})
        self.reward = rewards.named(reward)
        self.observed = observations.checked(observe)
        self.columns = [COLUMNS[name] for name in self.observed]
        self.lowest, self.highest = (1.0, largest_window_packets) if action == "packets" else (-1.0, 1.0)
        self.count = count
        try:
            self.worlds = Worlds(
                self.scenario,
                AGENT,
                count,
                action=action,
                largest_window_packets=largest_window_packets,
                largest_rate_packets_per_s=largest_rate_packets_per_s,
                interval_s=interval_s,
                each_acknowledgment=each_acknowledgment,
                threads=threads,
            )
        except ValueError as error:
            raise InputError(str(error)) from None
        self.agents = self.worlds.agents
        self.facts = np.zeros((count * self.agents, len(OBSERVATIONS)))

    def reset(self, world: int, random: np.random.Generator) -> dict[str, str]:
        """Begins an episode of one world with a seed and values drawn from `random`; the values."""
        drawn = {"seed": str(random.integers(LARGEST_SEED)), **paths.draw(self.ranges, random)}
        rows = slice(world * self.agents, (world + 1) * self.agents)
        scenario = self.scenario.with_values(list(drawn.items()))
        self.facts[rows] = self.worlds.reset(world, scenario)
        # The seed draws what the scenario's own table `draw` has laws for.
        return {**drawn, **dict(scenario.drawn())}

    def step(self, actions: Array) -> NDArray[np.bool_]:
        """Steps every world that is not over, and fills `facts`; whether each is over."""
        return np.array(self.worlds.step(actions, self.facts))

    def observe(self) -> Array:
        """The chosen observations, a row for each agent."""
        return self.facts[:, self.columns]


def episodes(scenario: Source, count: int, options: Mapping[str, Any]) -> Episodes:
    """The worlds of an environment with these options, parameters of `Episodes`. Raises InputError."""
    known = [name for name in inspect.signature(Episodes).parameters if name not in {"scenario", "count"}]
    for name in options:
        if name not in known:
            raise unknown("option", name, known)
    return Episodes(scenario, count=count, **options)


def _with_agent(scenario: Scenario) -> Scenario:
    """The scenario where it names the agent; otherwise with the agent for flows that name no algorithm."""
    named = any(name.rpartition("+")[2].strip() == AGENT for name in scenario.algorithm_names())
    return scenario if named else scenario.with_custom([AGENT]).with_value("tcp.algorithm", AGENT)
