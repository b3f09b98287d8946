"""Section 6.2: a gateway that protects retransmissions, over drop-tail and over SFQ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ackclock.papers import Context, Each, Measured

from .study import SEEDS, Case, Outcome, seconds_of, seeds, simulate_kinds

LOADS = (10, 20, 30, 40, 50, 60, 80, 100, 150)
QUEUES = {
    "droptail": "droptail",
    "sfq": "sfq(buckets=5,depth=5)",
    "droptail + gateway": "protect(reserve=0.2)",
    "sfq + gateway": "protect(buckets=5,depth=4,reserve=0.2)",
    "service classes": "classes",
    "service classes, transmission too": "classes(transmission=1)",
    "drop budgets": "budgets",
}
"""25 packets in all: five buckets of five; or five for retransmissions, and twenty or five times four.

The last three are the section's other policies, by the model; the paper does not measure them."""
PAIRS = {"droptail": "droptail + gateway", "sfq": "sfq + gateway"}
FURTHER = {
    "further-drops": "service classes",
    "further-transmission": "service classes, transmission too",
    "further-budgets": "drop budgets",
}
"""Claims that a policy by the model does better than protected retransmissions."""

Runs = Mapping[str, Mapping[tuple[str, int], Sequence[Outcome]]]
"""By kind of sender; by queue and number of flows, a run per seed."""


def run(context: Context) -> Runs:
    """Figure 12: 1 Mbps, 200 ms, 25 packets of 1000 bytes."""
    loads = (20, 60, 150) if context.quick else LOADS
    count = 2 if context.quick else SEEDS
    base = Case(packet_bytes=1000, buffer=25, seconds=seconds_of(context))
    cases = [
        replace(case, queue=queue, flows=flows)
        for queue in QUEUES.values()
        for flows in loads
        for case in seeds(base, count)
    ]
    found = simulate_kinds(context, cases)
    names = {specification: name for name, specification in QUEUES.items()}
    runs: dict[str, dict[tuple[str, int], list[Outcome]]] = {kind: {} for kind in found}
    for kind, outcomes in found.items():
        for outcome in outcomes:
            runs[kind].setdefault((names[str(outcome.case.queue)], outcome.case.flows), []).append(outcome)
    return runs


def fairness(outcomes: Sequence[Outcome]) -> float:
    """The short-term index, averaged over seeds."""
    return float(np.mean([outcome.short_term for outcome in outcomes]))


def claims(found: Runs) -> dict[str, Measured]:
    """True if protecting retransmissions improves on either queue, and the model on that, at every load."""
    measured: dict[str, Measured] = {}
    for kind, runs in found.items():
        loads = sorted({flows for _, flows in runs})
        compared = {f"gateway-{plain}": (plain, protected) for plain, protected in PAIRS.items()}
        compared |= {name: (PAIRS["droptail"], policy) for name, policy in FURTHER.items()}
        for name, (before, after) in compared.items():
            gains = {
                f"{n} flows": [
                    ours.short_term - theirs.short_term
                    for ours, theirs in zip(runs[after, n], runs[before, n], strict=True)
                ]
                for n in loads
            }
            mean = float(np.mean([gain for each in gains.values() for gain in each]))
            measured[f"{name}-{kind}"] = Each(gains, f"mean gain {mean:+.3f}")
    return measured
