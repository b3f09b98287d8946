"""The tables in which a user's competitors stand next to the paper's TCP."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import polars as pl

from ackclock.papers import Context

from .fairness import Fairness, needed, onset
from .rates import HUNDRED, Rates
from .study import Outcome, by_seed, first
from .webusers import Runs

PAPER = "the paper's TCP"
NUMBERS: Mapping[str, Callable[[Outcome], float]] = {
    "lost, %": lambda outcome: 100 * outcome.loss,
    "locked out of 20 s, %": lambda outcome: 100 * float(outcome.silent.mean()),
    "top 40 % get, %": lambda outcome: 100 * float(outcome.part(0, 0.4).mean()),
    "index over 20 s": lambda outcome: outcome.short_term,
    "index of the run": lambda outcome: outcome.long_term,
}


def fairness(
    context: Context, found: Mapping[str, Fairness], buffers: Mapping[str, Mapping[str, Sequence[Outcome]]]
) -> None:
    """Figures 2, 3 and 5."""
    cases = [(name, kind) for name, one in found.items() for kind in one.slices]
    hundred = [
        {"senders": kind, "algorithm": name, **_means(found[name].slices[kind])} for name, kind in cases
    ]
    context.answer("Figure 3: 100 flows over 1 Mbps", pl.DataFrame(hundred))
    rows = [
        {
            "senders": kind,
            "algorithm": name,
            "unfair below, kbit/s": _short(
                [onset(mine) for mine in by_seed(_at_1_mbps(found[name].by_share[kind]))]
            ),
            "least index of a run": _short([min(o.long_term for o in found[name].by_share[kind])]),
            "buffer that makes 100 flows fair, packets per flow": _short(
                [needed([o for o in first(buffers[name][kind]) if o.case.flows == HUNDRED])]
            ),
        }
        for name, kind in cases
    ]
    context.answer("Figures 2 and 5: where slices of 20 s become unfair", pl.DataFrame(rows))


def hangs(context: Context, found: Mapping[str, Runs]) -> None:
    """Figure 4: the median of the longest hangs."""
    rows = []
    for name, by_kind in found.items():
        for kind, runs in by_kind.items():
            keys = dict.fromkeys((one.users, one.connections) for one in runs)
            medians = {
                f"{users} users, {connections} each": _short(
                    [float(np.median(one.longest_s)) for one in runs if (one.users, one.connections) == key]
                )
                for key in keys
                for users, connections in [key]
            }
            rows.append({"senders": kind, "algorithm": name, **medians})
    context.answer("Figure 4: median of the longest hangs, s", pl.DataFrame(rows))


def rates(context: Context, found: Rates) -> None:
    """Figure 6 at 100 flows."""
    rows = [
        {"senders": kind, "algorithm": name, **_means([o for o in outcomes if o.case.flows == HUNDRED])}
        for kind, by_name in found.items()
        for name, outcomes in by_name.items()
    ]
    context.answer("Figure 6: 100 flows over 1 Mbps", pl.DataFrame(rows))


def _at_1_mbps(outcomes: Sequence[Outcome]) -> list[Outcome]:
    return [o for o in outcomes if o.case.rate_bit_s == 1e6 and o.case.flows >= 10]


def _means(outcomes: Sequence[Outcome]) -> dict[str, str]:
    return {name: _short([number(outcome) for outcome in outcomes]) for name, number in NUMBERS.items()}


def _short(values: Sequence[float]) -> str:
    mean = float(np.mean(values)) if values else float("nan")
    return "–" if np.isnan(mean) else f"{mean:.3g}"
