"""The policy of the page "Learning agents": trained, compared with CUBIC, and evaluated.

`python -m verification.comparisons.trained_policy` trains it, prints goodput and queueing delay on twenty
paths that it has not seen, and judges it by `ackclock evaluate --quick`; `--publish` renews the tables and
weights that the documentation shows. It takes a minute of CPU time.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

import ackclock
import ackclock.gym
from ackclock.evaluation.sentences import worst
from verification.comparisons.publication import folder, parser, print_and_publish

NAME = "trained-policy"

LINK = "topology.dumbbell.bottleneck"
OBSERVE = ("rtt_share", "loss_share")
RANGES: dict[str, Any] = {f"{LINK}.rate": ("5 Mbit/s", "20 Mbit/s"), f"{LINK}.delay": ("5 ms", "40 ms")}
WORLDS, STEPS, GENERATIONS = 64, 60, 10

UNSEEN_SEEDS = range(1001, 1021)
"""The first seed of the paths on which the policy is shown; those of training have the seeds from 0 on."""


def utility(step: Any) -> Any:
    """The logarithm of goodput over delay, less ten times the share of losses."""
    rate = np.maximum(step["goodput_packets_per_s"], 1.0)
    return np.log(rate) - np.log(np.maximum(step["rtt_share"], 1.0)) - 10 * step["loss_share"]


def trained() -> ackclock.gym.Policy:
    """The policy, by the cross-entropy method; the same on every machine with the same numpy."""
    envs = gymnasium.make_vec(
        "ackclock/Window-v0",
        num_envs=WORLDS,
        settings={"duration": "10 s", "warm_up": "0 s"},
        ranges=RANGES,
        observe=OBSERVE,
        reward=utility,
        largest_window_packets=500.0,
    )
    random = np.random.default_rng(1)
    mean, spread = np.array([-1.0, -1.0, 1.0]), np.full(3, 1.5)
    for generation in range(GENERATIONS):
        weights = random.normal(mean, spread, (WORLDS, 3))
        observed, info = envs.reset(seed=generation)
        rates = [float(path[f"{LINK}.rate"].split()[0]) for path in info["path"]]
        total = -STEPS * np.log(rates)  # a fast path is no merit of the policy
        for _ in range(STEPS):
            action = np.tanh((observed * weights[:, :-1]).sum(axis=1) + weights[:, -1])
            observed, reward, _, _, _ = envs.step(action[:, None])
            total += reward
        best = weights[np.argsort(total)[-8:]]
        mean, spread = best.mean(axis=0), best.std(axis=0) + 0.05
    return ackclock.gym.Policy.linear(mean, OBSERVE)


def unseen(learnt: Any) -> Iterator[list[str]]:
    """Each of twenty paths from the ranges of training, alone, over 20 s after a warm-up of 5 s."""
    yield ["path", "CUBIC, share of the link", "policy", "CUBIC, queueing delay", "policy"]
    means: list[list[float]] = []
    for seed in UNSEEN_SEEDS:
        path = ackclock.load_scenario(
            "single-flow", {"duration": "25 s", "warm_up": "5 s", "seed": seed, **laws()}
        )
        drawn = dict(path.drawn())
        rate_bit_per_s = float(drawn[f"{LINK}.rate"].split()[0]) * 1e6
        found = []
        for algorithm in ("cubic", learnt):
            run = ackclock.run(path, algorithm=algorithm)
            share = 100 * run.flows["goodput_bit_per_s"][0] / rate_bit_per_s
            found.append((share, 1e3 * run.links["mean_queueing_delay_s"][0]))
        (cubic, cubic_ms), (policy, policy_ms) = found
        means.append([cubic, policy, cubic_ms, policy_ms])
        shown = ", ".join(rounded(drawn[f"{LINK}.{key}"]) for key in ("rate", "delay"))
        yield [shown, f"{cubic:.1f} %", f"{policy:.1f} %", f"{cubic_ms:.1f} ms", f"{policy_ms:.1f} ms"]
    cubic, policy, cubic_ms, policy_ms = np.mean(means, axis=0)
    yield ["mean", f"{cubic:.1f} %", f"{policy:.1f} %", f"{cubic_ms:.1f} ms", f"{policy_ms:.1f} ms"]


def laws() -> dict[str, str]:
    """The ranges of training as the laws of a scenario."""
    return {
        f"draw.{path}": f'{{ uniform = {{ from = "{low}", to = "{high}" }} }}'
        for path, (low, high) in RANGES.items()
    }


def rounded(quantity: str) -> str:
    """A quantity with three digits."""
    number, unit = quantity.split(maxsplit=1)
    return f"{float(number):.3g} {unit}"


def judged(learnt: Any) -> Iterator[list[str]]:
    """The criteria of RFC 9743."""
    yield ["criterion", "class", "times the standards' cost", "where it does worst"]
    with tempfile.TemporaryDirectory() as store:
        done = ackclock.evaluate(learnt, store, quick=True)
        for each in done.judged:
            yield [
                each.criterion.title,
                each.verdict,
                f"{each.whole.times_worse.estimate:.2f}",
                worst(each, done.label),
            ]


def main() -> int:
    """Prints both tables, and publishes them with the weights if asked."""
    chosen = parser("trained_policy", __doc__).parse_args()
    policy = trained()
    learnt = ackclock.gym.controller(policy, name="policy", largest_window_packets=500.0)
    tables = {"unseen": unseen(learnt), "criteria": judged(learnt)}
    print_and_publish(NAME, tables, chosen.publish)
    if chosen.publish:
        policy.export(Path(folder(NAME)) / "policy.json", largest_window_packets=500.0)
    return 0


if __name__ == "__main__":
    sys.exit(main())
