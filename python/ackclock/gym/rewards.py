"""Rewards from the literature: functions from the facts of a step to one number for each agent.

A user's reward is any function of a `Step`, whose observations are numbers in `WindowEnv` and arrays
with one for each agent in `WindowVectorEnv`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ackclock.errors import unknown
from ackclock.gym.observations import Step

__all__ = ["REWARDS", "AlphaFair", "Reward", "aurora", "named", "orca", "power"]

Number = Any
"""A number, or an array with one for each agent."""
Reward = Callable[[Step], Number]


def aurora(step: Step) -> Number:
    """10 throughput - 1000 latency - 2000 loss, in packets per second, seconds and a share.

    N. Jay et al., A Deep Reinforcement Learning Perspective on Internet Congestion Control, ICML 2019.
    """
    return 10.0 * step["goodput_packets_per_s"] - 1000.0 * step["rtt_mean_s"] - 2000.0 * step["loss_share"]


def _share(part: Number, whole: Number) -> Number:
    """`part / whole`; zero if the whole is zero."""
    return np.where(whole > 0, part, 0.0) / np.where(whole > 0, whole, 1.0)


LOSS_WEIGHT = 5.0
DELAY_MARGIN = 1.25


def orca(step: Step) -> Number:
    """(Throughput - 5 × rate of losses) / delay, as a share of the best throughput over the least delay.

    A delay up to 1.25 times the least counts as the least. S. Abbasloo, C.-Y. Yen and H. J. Chao, Classic
    Meets Modern: A Pragmatic Learning-Based Congestion Control for the Internet, SIGCOMM 2020; the two
    constants are those of its authors' code (`envwrapper.py`, `params.json`).
    """
    losses = _share(step["lost_packets"], step["duration_s"])
    delay = np.maximum(step["rtt_share"] / DELAY_MARGIN, 1.0)
    gain = step["goodput_packets_per_s"] - LOSS_WEIGHT * losses
    return _share(gain, step["most_goodput_packets_per_s"]) / delay


def power(step: Step) -> Number:
    """Throughput over delay, as a share of the best throughput over the least delay.

    L. Kleinrock, Power and Deterministic Rules of Thumb for Probabilistic Problems in Computer
    Communications, ICC 1979.
    """
    return step["goodput_share"] / np.maximum(step["rtt_share"], 1.0)


@dataclass(frozen=True)
class AlphaFair:
    """The alpha-fair utility of the throughput in packets per second, of at least one.

    J. Mo and J. Walrand, Fair End-to-End Window-Based Congestion Control, IEEE/ACM Transactions on
    Networking 8(5), 2000.
    """

    alpha: float = 1.0

    def __call__(self, step: Step) -> Number:
        """The utility of each agent."""
        rate = np.maximum(step["goodput_packets_per_s"], 1.0)
        if self.alpha == 1.0:
            return np.log(rate)
        return np.power(rate, 1.0 - self.alpha) / (1.0 - self.alpha)


REWARDS: dict[str, Reward] = {"aurora": aurora, "orca": orca, "power": power, "alpha-fair": AlphaFair()}


def named(reward: str | Reward) -> Reward:
    """A reward by its name, or the caller's own. Raises InputError."""
    if not isinstance(reward, str):
        return reward
    if reward not in REWARDS:
        raise unknown("reward", reward, REWARDS)
    return REWARDS[reward]
