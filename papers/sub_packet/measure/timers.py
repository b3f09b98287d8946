"""Which least timeout and which senders each figure needs: both of either, over one link of 1 Mbps."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import polars as pl

from ackclock.papers import Context

from .fairness import onset
from .study import RFC_2988_TIMEOUT, Case, Outcome, seeds, simulate
from .validation import BASE, LOADS, QUICK_LOADS, READINGS, distance, heavy

TIMEOUTS = {"0.2 s": "", "1 s": RFC_2988_TIMEOUT}
SENDERS = {"clockwork": 0.0, "random overhead": 0.5}
HUNDRED = 100


def run(context: Context) -> pl.DataFrame:
    """A row per least timeout and kind of sender: what figures 2, 3 and 9 show."""
    loads = QUICK_LOADS if context.quick else LOADS
    combinations = list(product(TIMEOUTS.items(), SENDERS.items()))
    cases = [
        case
        for (_, timeout), (_, random) in combinations
        for flows in loads
        for case in seeds(
            Case(flows=flows, random=random, least_timeout=timeout, epochs=True), _seeds(context)
        )
    ]
    found = iter(simulate(context, cases))
    rows = []
    for (timeout, _), (senders, _) in combinations:
        outcomes = [next(found) for _ in range(len(loads) * _seeds(context))]
        rows.append({"least timeout": timeout, "senders": senders, **_row(outcomes)})
    return pl.DataFrame(rows)


def _seeds(context: Context) -> int:
    return 1 if context.quick else 2


def _row(outcomes: Sequence[Outcome]) -> dict[str, object]:
    hundred = [o for o in outcomes if o.case.flows == HUNDRED] or list(outcomes)
    begins = np.mean(
        [onset([o for o in outcomes if o.case.seed == s]) for s in {o.case.seed for o in outcomes}]
    )
    return {
        "loss [%]": f"{100 * np.mean([o.loss for o in hundred]):.1f}",
        "locked out [%]": f"{100 * np.mean([o.silent.mean() for o in hundred]):.0f}",
        "top 40 % get [%]": f"{100 * np.mean([o.part(0, 0.4).mean() for o in hundred]):.0f}",
        "least index 1000 s": f"{min(o.long_term for o in outcomes):.2f}",
        "unfair below [kbit/s]": f"{begins:.0f}",
        "full model, distance": _distance(outcomes, "full"),
        "failures to b*, distance": _distance(outcomes, BASE),
    }


def _distance(outcomes: Sequence[Outcome], reading: str) -> str:
    return f"{np.mean([distance(outcome, READINGS[reading]) for outcome in heavy(outcomes)]):.3f}"
