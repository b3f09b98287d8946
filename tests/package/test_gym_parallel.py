"""`ackclock.gym.WindowParallelEnv`: PettingZoo's own check, and the same steps as the vector's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("pettingzoo", reason="needs PettingZoo: pip install ackclock[gym]")

from pettingzoo.test import parallel_api_test

import ackclock.gym as ag

SHARED: dict[str, Any] = {
    "name": "shared",
    "duration": "3 s",
    "topology": {
        "dumbbell": {
            "pairs": 3,
            "bottleneck": {"rate": "12 Mbit/s", "delay": "20 ms", "buffer": "60 packets"},
            "access": {"rate": "100 Mbit/s", "delay": "1 ms"},
        }
    },
    "flow": [{"count": 2, "algorithm": "agent"}, {"name": "cubic", "algorithm": "cubic"}],
}


@pytest.mark.parametrize("options", [{}, {"action": "rate", "interval_s": 0.1, "reward": lambda _step: 1.0}])
def test_pettingzoos_check_passes(options: dict[str, Any]) -> None:
    parallel_api_test(ag.WindowParallelEnv(SHARED, **options), num_cycles=60)


def test_agents_of_one_world_are_rows_of_the_vector() -> None:
    options: dict[str, Any] = {"action": "window", "largest_window_packets": 100.0, "interval_s": 0.5}
    together = ag.WindowParallelEnv(SHARED, **options)
    rows = ag.WindowVectorEnv(SHARED, **options)
    together.reset(seed=1)
    rows.reset(seed=1)
    for step in range(6):
        actions = {"agent_0": np.array([0.0]), "agent_1": np.array([-0.5])}
        observed, rewards, terminated, truncated, infos = together.step(actions)
        expected, reward, _, truncation, _ = rows.step(np.array([[0.0], [-0.5]]))
        assert np.array_equal(np.array(list(observed.values())), expected)
        assert list(rewards.values()) == reward.tolist()
        assert not any(terminated.values())
        assert list(truncated.values()) == truncation.tolist() == [step == 5] * 2
        assert set(infos) == {"agent_0", "agent_1"}
    assert together.agents == []
