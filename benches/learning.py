"""`python -m benches.learning [--clone CLONE] [--publish]`: steps of learning agents per CPU-second.

One world as a `gymnasium.Env` and sixty-four as a native `VectorEnv` of one thread, round trip by round trip,
with ten packets in flight and with forty; and, where CLONE is a clone of
https://github.com/PCCproject/PCC-RL, packets compared with the simulator in which Aurora was trained
(`benches.aurora`). CPU times are those of this process, in one run. Nothing is asserted.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

import ackclock.gym as ag
from benches.aurora import is_clone, measured, rows_beside
from verification.comparisons.publication import print_and_publish

PATH: dict[str, Any] = {
    "duration": "100000 s",
    "warm_up": "0 s",
    "trace.interval": "100000 s",
    "topology.dumbbell.bottleneck.rate": "20 Mbit/s",
    "topology.dumbbell.bottleneck.delay": "10 ms",
}
"""A round trip of 30 ms, which 50 packets fill."""

WORLDS = 64

Row = list[str]


def one_world(packets: int) -> float:
    """Steps per CPU-second of an environment."""
    env: Any = gymnasium.make("ackclock/Window-v0", settings=PATH, action="packets").unwrapped
    env.reset(seed=1)
    action = np.array([float(packets)])

    def step() -> float:
        env.step(action)
        return 0.0

    return measured(step)[0]


def many_worlds(packets: int) -> float:
    """Steps of all worlds per CPU-second of a vector environment."""
    envs = ag.WindowVectorEnv("single-flow", num_envs=WORLDS, settings=PATH, action="packets")
    envs.reset(seed=1)
    actions = np.full((WORLDS, 1), float(packets))

    def step() -> float:
        envs.step(actions)
        return 0.0

    return WORLDS * measured(step)[0]


def steps() -> Iterator[Row]:
    """Steps of a round trip."""
    for packets, single, vector in ((10, "100,000", "300,000"), (40, "", "")):
        yield [f"steps, one world, {packets} packets a step", f"{one_world(packets):,.0f}", single]
        yield [f"steps, {WORLDS} worlds, {packets} packets a step", f"{many_worlds(packets):,.0f}", vector]


def main() -> int:
    """Prints a table, and publishes it if asked."""
    parser = argparse.ArgumentParser(prog="python -m benches.learning", description=__doc__)
    parser.add_argument("--clone", type=Path, help="a clone of PCC-RL, to measure Aurora's simulator too")
    parser.add_argument("--publish", action="store_true", help="renew what the documentation shows")
    chosen = parser.parse_args()
    if chosen.publish and chosen.clone is None:
        parser.error("--publish needs --clone: the table is published whole")
    if chosen.clone is not None and not is_clone(chosen.clone):
        print(f"nothing is measured: {chosen.clone} has no src/gym/network_sim.py of PCC-RL")
        return 2
    rows = [["per CPU-second", "measured", "bound"], *steps()]
    if chosen.clone is not None:
        rows += rows_beside(chosen.clone)
    print_and_publish("learning", {"speed": rows}, chosen.publish)
    return 0


if __name__ == "__main__":
    sys.exit(main())
