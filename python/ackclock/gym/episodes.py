"""Worlds of one scenario: their episodes, actions and observations, which all environments share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ackclock._native import Scenario, Worlds
from ackclock.arguments import check
from ackclock.errors import InputError, unknown
from ackclock.gym import observations, paths, rewards
from ackclock.gym.observations import COLUMNS, OBSERVATIONS
from ackclock.gym.paths import Range
from ackclock.gym.rewards import Reward
from ackclock.scenarios import own_code
from ackclock.scenarios.load import Source, load_scenario

__all__ = ["AGENT", "EXCESS", "Episodes", "Options", "episodes"]

AGENT = "agent"
"""The algorithm of the flows whose windows the agent sets."""

EXCESS = COLUMNS["window_excess_packets"]

Array = NDArray[np.float64]

LARGEST_SEED = 2**31


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of the environments; `threads` belongs to the vector environment alone."""

    settings: Mapping[str, object] | None = None
    ranges: Mapping[str, Range] | None = None
    action: str = "factor"
    observe: Sequence[str] = observations.DEFAULT
    reward: str | Reward = "aurora"
    interval_s: float | None = None
    each_acknowledgment: bool = False
    largest_window_packets: float = 10_000.0
    largest_rate_packets_per_s: float = 1e6
    threads: int = 1

    def check(self) -> None:
        """Raises InputError for a value that no environment can have."""
        for field in fields(self):
            check(field.name, getattr(self, field.name))
        if self.action not in Worlds.actions():
            raise unknown("action", self.action, Worlds.actions())
        for name, value in [
            ("interval_s", self.interval_s),
            ("largest_window_packets", self.largest_window_packets - 1),
            ("largest_rate_packets_per_s", self.largest_rate_packets_per_s - 1),
            ("threads", self.threads),
        ]:
            if value is not None and not 0 < value < float("inf"):
                raise InputError(f"{name}: too small, or not finite")


class Episodes:
    """Many worlds, stepped by one call, with one row of every array for each agent, world by world."""

    def __init__(self, scenario: Source, count: int, options: Options) -> None:
        options.check()
        check("num_envs", count)
        self.scenario = _with_agent(load_scenario(scenario, options.settings, custom=[AGENT]))
        own = next(filter(own_code.is_reference, self.scenario.algorithm_names()), None)
        if own is not None:
            raise InputError(
                f"{self.scenario.name}: {own} is a class in a file; flows next to an agent have built-in "
                "algorithms"
            )
        self.ranges = dict(options.ranges or {})
        self.reward = rewards.named(options.reward)
        self.observed = observations.checked(options.observe)
        self.columns = [COLUMNS[name] for name in self.observed]
        of_packets = options.action == "packets"
        self.lowest, self.highest = (1.0, options.largest_window_packets) if of_packets else (-1.0, 1.0)
        self.count = count
        try:
            self.worlds = Worlds(
                self.scenario,
                AGENT,
                count,
                action=options.action,
                largest_window_packets=options.largest_window_packets,
                largest_rate_packets_per_s=options.largest_rate_packets_per_s,
                interval_s=options.interval_s,
                each_acknowledgment=options.each_acknowledgment,
                threads=options.threads,
            )
        except ValueError as error:
            raise InputError(str(error)) from None
        self.agents = self.worlds.agents
        self.facts = np.zeros((count * self.agents, len(OBSERVATIONS)))

    def reset(self, world: int, random: np.random.Generator) -> dict[str, str]:
        """Begins an episode of one world with a seed and values drawn from `random`; returns the values."""
        drawn = {"seed": str(random.integers(LARGEST_SEED)), **paths.draw(self.ranges, random)}
        rows = slice(world * self.agents, (world + 1) * self.agents)
        scenario = self.scenario.with_values(list(drawn.items()))
        self.facts[rows] = self.worlds.reset(world, scenario)
        # The seed draws the values for which the scenario's own table `draw` has laws.
        return {**drawn, **dict(scenario.drawn())}

    def step(self, actions: Array) -> NDArray[np.bool_]:
        """Steps every world that is not over, and fills `facts`; whether each is over."""
        try:
            return np.array(self.worlds.step(actions, self.facts))
        except ValueError as error:
            raise InputError(str(error)) from None

    def observe(self) -> Array:
        """The chosen observations, a row for each agent."""
        return self.facts[:, self.columns]


def episodes(scenario: Source, count: int, options: Mapping[str, Any]) -> Episodes:
    """The worlds of an environment with these options, fields of `Options`. Raises InputError."""
    known = [field.name for field in fields(Options)]
    for name in options:
        if name not in known:
            raise unknown("option", name, known)
    return Episodes(scenario, count, Options(**options))


def _with_agent(scenario: Scenario) -> Scenario:
    """The scenario if it names the agent.

    Otherwise a copy in which flows that name no algorithm have the agent.
    """
    named = any(name.rpartition("+")[2].strip() == AGENT for name in scenario.algorithm_names())
    return scenario if named else scenario.with_custom([AGENT]).with_value("tcp.algorithm", AGENT)
