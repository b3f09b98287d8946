"""Packets per CPU-second, compared with the simulator in which Aurora was trained, for `benches.learning`.

CLONE is a clone of https://github.com/PCCproject/PCC-RL, whose `network_sim.py` is run as it is. Both have
the same path, in the middle of the ranges of Aurora's training but without random losses, and one sender at
nine tenths of its rate: with a pacing rate as in Aurora, or with a window. A step is half a round trip in
Aurora and a round trip here. Nothing is asserted; CPU times are those of this process, in one run.
"""

from __future__ import annotations

import contextlib
import io
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

import ackclock.gym as ag

PACKETS_PER_S = 300
"""The rate of the link, in packets of 1500 bytes."""

DELAY_MS = 275
"""The delay of each direction."""

QUEUE_PACKETS = 55
SENT = 0.9
"""The rate of the sender, as a share of the link's."""

SECONDS = 10.0
"""CPU time of each measurement."""

Measured = tuple[float, float]
"""Steps and packets per CPU-second."""


def aurora(clone: Path) -> Measured:
    """Aurora's simulator in its own environment, with its step, observations and reward."""
    sys.modules["gym"] = gymnasium
    for part in ("spaces", "utils", "utils.seeding", "envs", "envs.registration"):
        sys.modules[f"gym.{part}"] = sys.modules[f"gymnasium.{part}"]
    sys.path.insert(0, str(clone / "src" / "gym"))
    import network_sim  # type: ignore[import-not-found]  # noqa: PLC0415 - of the clone

    random.seed(1)
    with contextlib.redirect_stdout(io.StringIO()):
        env = network_sim.SimulatedNetworkEnv()
        links = [network_sim.Link(PACKETS_PER_S, DELAY_MS / 1e3, QUEUE_PACKETS, 0.0) for _ in range(2)]
        sender = network_sim.Sender(SENT * PACKETS_PER_S, links, 0, env.features, history_len=env.history_len)
        env.links, env.senders = links, [sender]
        env.net, env.run_dur = network_sim.Network([sender], links), 3 * DELAY_MS / 1e3
    still = np.zeros(1)

    def step() -> float:
        env.step(still)
        env.event_record["Events"].clear()
        return float(sender.acked)

    return measured(step)


def ours(worlds: int, action: str) -> Measured:
    """The measurement of `ackclock.gym` on the path of Aurora's simulator, with one world or many."""
    settings: dict[str, Any] = {
        "duration": "100000 s",
        "warm_up": "0 s",
        "trace.interval": "100000 s",
        "tcp.mss": "1460 bytes",
        "topology.dumbbell.bottleneck.rate": f"{PACKETS_PER_S * 1500 * 8} bit/s",
        "topology.dumbbell.bottleneck.delay": f"{DELAY_MS} ms",
        "topology.dumbbell.bottleneck.buffer": f"{QUEUE_PACKETS} packets",
        "topology.dumbbell.access.rate": "1 Gbit/s",
        "topology.dumbbell.access.delay": "0 ms",
    }
    largest, rate = 1e4, SENT * PACKETS_PER_S
    number = {"rate": 2 * np.log(rate) / np.log(largest) - 1, "packets": rate * 2 * DELAY_MS / 1e3}[action]
    env: Any = ag.WindowVectorEnv(
        "single-flow",
        num_envs=worlds,
        settings=settings,
        action=action,
        largest_rate_packets_per_s=largest,
        largest_window_packets=1000.0,
        reward="aurora",
    )
    env.reset(seed=1)
    actions = np.full((worlds, 1), number)
    column = list(ag.OBSERVATIONS).index("delivered_packets")

    def step() -> float:
        return float(env.step(actions)[4]["facts"][:, column].sum())

    steps, packets = measured(step)
    return steps * worlds, packets


def measured(step: Callable[[], float]) -> Measured:
    """Steps and packets of `step`, which gives packets, per CPU-second; the first second is not counted."""
    spans(step, 1.0)
    return spans(step, SECONDS)


def spans(step: Callable[[], float], seconds: float) -> Measured:
    """As `measured`, from the beginning."""
    steps, packets, spent, begun = 0, 0.0, 0.0, time.process_time()
    while spent < seconds:
        packets += step()
        steps += 1
        spent = time.process_time() - begun
    return steps / spent, packets / spent


def is_clone(folder: Path) -> bool:
    """True if the files of PCC-RL lie there: a bare repository has none."""
    return (folder / "src" / "gym" / "network_sim.py").is_file()


def rows_beside(clone: Path) -> list[list[str]]:
    """Packets per CPU-second of Aurora's simulator and of ours, and the quotient."""
    _, theirs = aurora(clone)
    rows = [["packets, Aurora's network_sim.py", f"{theirs:,.0f}", ""]]
    for action, word in (("rate", "pacing rate"), ("packets", "window")):
        for worlds in (1, 16):
            _, packets = ours(worlds, action)
            name = f"packets, {worlds} world{'s' if worlds > 1 else ''}, by {word}"
            bound = "30 times Aurora's" if worlds > 1 else ""
            rows.append([name, f"{packets:,.0f} ({packets / theirs:.1f} times Aurora's)", bound])
    return rows
