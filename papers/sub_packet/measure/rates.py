"""Section 2.4.2: TFRC, which paces, in competition with TCP, which bursts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ackclock.papers import Context, Each, Holds, Measured, Ordered, Values

from .fairness import onset
from .study import SEEDS, Case, Outcome, algorithms, by_seed, seconds_of, seeds, simulate_kinds

LOADS = (15, 20, 25, 33, 50, 70, 100, 150, 200, 400)
TRANSPORTS = {"tcp": "sack", "tfrc": "tfrc"}
HUNDRED = 100
"""The load of the loss rates that the paper gives: that of figure 3."""

Rates = Mapping[str, Mapping[str, Sequence[Outcome]]]
"""Runs by kind of sender and transport: the loads, and 100 flows with several seeds."""


def run(context: Context) -> Rates:
    """Figure 6."""
    loads = (25, 50, 200, 400) if context.quick else LOADS
    transports = TRANSPORTS | algorithms(context)
    cases = [
        replace(case, algorithm=algorithm)
        for algorithm in transports.values()
        for case in [
            *(
                case
                for n in loads
                if n != HUNDRED
                for case in seeds(Case(flows=n, seconds=seconds_of(context)), 1 if context.quick else SEEDS)
            ),
            *seeds(Case(seconds=seconds_of(context)), 2 if context.quick else SEEDS),
        ]
    ]
    found = simulate_kinds(context, cases)
    return {
        kind: {
            name: [outcome for outcome in outcomes if outcome.case.algorithm == algorithm]
            for name, algorithm in transports.items()
        }
        for kind, outcomes in found.items()
    }


def claims(found: Rates) -> dict[str, Measured]:
    """The section's statements, for either kind of sender."""
    measured: dict[str, Measured] = {}
    for kind, by_name in found.items():
        tcp, tfrc = by_name["tcp"], by_name["tfrc"]
        hundred = {name: [o for o in mine if o.case.flows == HUNDRED] for name, mine in by_name.items()}
        loss = {name: [100 * o.loss for o in mine] for name, mine in hundred.items()}
        busy = {name: [100 * o.utilisation for o in mine] for name, mine in hundred.items()}
        silent = {name: [100 * float(o.silent.mean()) for o in mine] for name, mine in hundred.items()}
        begins = {
            name: [onset(runs) for runs in by_seed(mine) if len(runs) > 1] for name, mine in by_name.items()
        }
        mean = {name: np.mean(values) for name, values in begins.items()}
        most = max(outcome.case.flows for outcome in tfrc)
        last = np.mean([outcome.short_term for outcome in tfrc if outcome.case.flows == most])
        measured |= {
            f"tfrc-fairer-{kind}": fairer(tcp, tfrc),
            f"tfrc-loss-{kind}": Values(loss["tfrc"]),
            f"loss-order-{kind}": Ordered(loss),
            f"utilisation-{kind}": Values(
                [abs(b - a) for a, b in zip(busy["tcp"], busy["tfrc"], strict=True)]
            ),
            f"fewer-locked-out-{kind}": Ordered(silent),
            f"tfrc-breaks-down-{kind}": Holds(
                [bool(ours < theirs) for ours, theirs in zip(begins["tfrc"], begins["tcp"], strict=True)],
                float(last),
                f"unfair below {mean['tfrc']:.1f} kbit/s, TCP below {mean['tcp']:.1f}; the number is "
                f"TFRC's index with {most} flows",
            ),
        }
    return measured


def fairer(tcp: Sequence[Outcome], tfrc: Sequence[Outcome]) -> Measured:
    """TFRC's index over 20 s less TCP's, load by load of the regime."""
    more: dict[str, list[float]] = {}
    for theirs, ours in zip(tcp, tfrc, strict=True):
        if ours.case.packets_per_rtt > 1:
            continue  # outside the regime
        more.setdefault(f"{ours.case.flows} flows", []).append(ours.short_term - theirs.short_term)
    mean = float(np.mean([value for values in more.values() for value in values]))
    return Each(more, f"mean difference {mean:+.3f}")
