"""Worlds of one scenario: their episodes, actions and facts, which both environments show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ackclock._native import Scenario, Worlds
from ackclock.errors import InputError, unknown
from ackclock.gym import observations, paths, rewards
from ackclock.gym.actions import ACTIONS, decide
from ackclock.gym.observations import FACTS, Step
from ackclock.gym.paths import Range
from ackclock.gym.rewards import Reward
from ackclock.scenarios.load import Source, load_scenario

__all__ = ["AGENT", "Episodes"]

AGENT = "agent"
"""The algorithm of the flows whose windows the agent sets."""

Array = NDArray[np.float64]

LARGEST_SEED = 2**31


class Episodes:
    """Many worlds, stepped by one call, with one row of every array for each agent, world by world."""

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
        largest_window_packets: float = 10_000.0,
        largest_rate_packets_per_s: float = 1e6,
        threads: int = 1,
    ) -> None:
        if action not in ACTIONS:
            raise unknown("action", action, ACTIONS)
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
        self.action, self.reward = action, rewards.named(reward)
        self.observed = observations.checked(observe)
        self.largest_window_packets = largest_window_packets
        self.largest_rate_packets_per_s = largest_rate_packets_per_s
        self.count = count
        try:
            self.worlds = Worlds(
                self.scenario, AGENT, count, interval_s=interval_s, paced=action == "rate", threads=threads
            )
        except ValueError as error:
            raise InputError(str(error)) from None
        self.agents = self.worlds.agents
        rows = count * self.agents
        self.facts = np.zeros((rows, len(FACTS)))
        self.most_packets_per_s = np.zeros(rows)

    def reset(self, world: int, random: np.random.Generator) -> dict[str, str]:
        """Begins an episode of one world with a seed and values drawn from `random`; the values."""
        drawn = {"seed": str(random.integers(LARGEST_SEED)), **paths.draw(self.ranges, random)}
        rows = slice(world * self.agents, (world + 1) * self.agents)
        self.facts[rows] = self.worlds.reset(world, self.scenario.with_values(list(drawn.items())))
        self.most_packets_per_s[rows] = 0.0
        return drawn

    def step(self, actions: Array) -> tuple[Step, NDArray[np.bool_], Array]:
        """Steps every world that is not over: facts, ends, and the windows' excess over their bound."""
        cwnd = self.facts[:, FACTS["cwnd_packets"]]
        rows, excess = decide(
            self.action, actions, cwnd, self.largest_window_packets, self.largest_rate_packets_per_s
        )
        over = self.worlds.step(rows, self.facts)
        step = self.shown()
        return step, np.array(over), excess

    def shown(self) -> Step:
        """The facts of the latest step."""
        step = Step(self.facts.copy(), self.most_packets_per_s)
        self.most_packets_per_s = np.maximum(self.most_packets_per_s, step["goodput_packets_per_s"])
        step.most_packets_per_s = self.most_packets_per_s
        return step

    def observe(self, step: Step) -> Array:
        """The observations that the agent has chosen."""
        return observations.observe(step, self.observed)


def _with_agent(scenario: Scenario) -> Scenario:
    """The scenario where it names the agent; otherwise with the agent for flows that name no algorithm."""
    named = any(name.rpartition("+")[2].strip() == AGENT for name in scenario.algorithm_names())
    return scenario if named else scenario.with_custom([AGENT]).with_value("tcp.algorithm", AGENT)
