"""Remedies that the paper names without measuring them.

On its link: buffers by flow (2.4.1), XCP (2.4.3), the policies of section 6.2. On its users, whose files end:
Early Retransmit and admission control (2.3.1, 7). Early Retransmit (5): `early.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from ackclock.measures.statistics import mean_interval
from ackclock.papers import Context, Each, Measured, Ordered

from .early import EARLY
from .fairness import by_load
from .study import SEEDS, Case, Outcome, seeds, simulate_kinds
from .webusers import Downloads, run_downloads

LOADS = (50, 100, 200, 400)
SHOWN = 200
"""Flows of the table: half a packet per round trip with a full buffer."""
PER_FLOW = 10
"""Morris' packets of buffer for each flow (2.4.1)."""
ADMITTED = (40, 80, 120)
"""Connections at a time: 0.5, 1 and 1.5 times the number that have a packet per round trip each over 2 Mbps
and 500 ms. A connection that has sent nothing for 2 s makes room."""
PROPORTIONAL = "flow-proportional"
ON_THE_LINK: dict[str, Case] = {
    "drop-tail": Case(),
    "ten packets of buffer per flow": Case(queue=PROPORTIONAL, buffer=PER_FLOW * max(LOADS)),
    "Early Retransmit": Case(settings=EARLY),
    "protected retransmissions": Case(queue="protect"),
    "service classes, drops": Case(queue="classes"),
    "service classes, drops and transmission": Case(queue="classes(transmission=1)"),
    "drop budgets": Case(queue="budgets"),
    "XCP": Case(algorithm="sack+xcp", queue="xcp"),
}
ON_THE_USERS: dict[str, Mapping[str, object]] = {
    "Early Retransmit": dict(EARLY),
    **{
        f"admission of {flows}": {"topology.dumbbell.bottleneck.queue": f"admission(flows={flows},memory=2)"}
        for flows in ADMITTED
    },
}

OnTheLink = Mapping[str, Mapping[str, Sequence[Outcome]]]
"""By kind of sender and remedy."""


def run(context: Context) -> OnTheLink:
    """Every remedy at half a packet per round trip; buffers by flow at every load."""
    count = 1 if context.quick else SEEDS
    cases = [
        (name, case)
        for name, plain in ON_THE_LINK.items()
        for flows in (LOADS if name.startswith("ten packets") and not context.quick else (SHOWN,))
        for case in seeds(replace(plain, flows=flows), count)
    ]
    found = simulate_kinds(context, [case for _, case in cases])
    return {
        kind: {
            name: [one for (its, _), one in zip(cases, outcomes, strict=True) if its == name]
            for name in ON_THE_LINK
        }
        for kind, outcomes in found.items()
    }


def run_users(context: Context) -> dict[str, list[Downloads]]:
    """The users of section 2.2 with what concerns files that end."""
    return {name: run_downloads(context, settings) for name, settings in ON_THE_USERS.items()}


def claims(found: OnTheLink) -> dict[str, Measured]:
    """Morris' buffers, for either kind of sender."""
    measured: dict[str, Measured] = {}
    for kind, by_name in found.items():
        ten = by_name["ten packets of buffer per flow"]
        short = {name: np.mean(index) for name, index in by_load(ten, lambda one: one.short_term).items()}
        said = ", ".join(f"{index:.2f} with {name.partition(' over')[0]}" for name, index in short.items())
        measured[f"proportional-buffers-{kind}"] = Each(
            by_load(ten, lambda one: one.long_term), f"over 20 s {said}"
        )
    return measured


def claims_users(plain: Sequence[Downloads], found: Mapping[str, Sequence[Downloads]]) -> dict[str, Measured]:
    """Early Retransmit and admission control compared with the users' TCP and queue, seed by seed."""
    early = found["Early Retransmit"]
    measured: dict[str, Measured] = {
        "early-retransmit-downloads": Ordered(
            {"without": [one.small_mean_s for one in plain], "with": [one.small_mean_s for one in early]},
            f"timeouts per object {_both(plain, early, 'timeouts', 3)}",
        )
    }
    for flows in ADMITTED:
        admitted = found[f"admission of {flows}"]
        measured[f"admission-predictable-{flows}"] = Ordered(
            {"without": [one.small_spread for one in plain], "with": [one.small_spread for one in admitted]},
            f"mean time in s {_both(plain, admitted, 'small_mean_s', 2)}; "
            f"GB in two hours {_both(plain, admitted, 'gigabytes', 2)}",
        )
    return measured


def table_users(plain: Sequence[Downloads], found: Mapping[str, Sequence[Downloads]]) -> pl.DataFrame:
    """A row per remedy on the users: objects below 10 kB, means over seeds with intervals."""
    rows = []
    for name, runs in {"as they are": plain, **found}.items():
        row: dict[str, object] = {"users": name}
        for title, values in {
            "mean time, s": [one.small_mean_s for one in runs],
            "90th over 10th percentile": [one.small_spread for one in runs],
            "timeouts per object": [one.timeouts for one in runs],
            "GB in two hours": [one.gigabytes for one in runs],
        }.items():
            interval = mean_interval(values)
            row[title] = f"{interval.estimate:.2f} ± {interval.half_width:.2f}"
        rows.append(row)
    return pl.DataFrame(rows)


def _both(without: Sequence[Downloads], with_it: Sequence[Downloads], name: str, digits: int) -> str:
    """Means of a number, in words."""
    first, second = (np.mean([getattr(one, name) for one in runs]) for runs in (without, with_it))
    return f"{first:.{digits}f} without, {second:.{digits}f} with"


def table(found: OnTheLink) -> pl.DataFrame:
    """A row per remedy at half a packet per round trip: means over seeds."""
    rows = []
    for name in ON_THE_LINK:
        row: dict[str, object] = {"remedy": name}
        for kind, by_name in found.items():
            mine = [one for one in by_name[name] if one.case.flows == SHOWN]
            row[f"{kind}: loss"] = f"{100 * np.mean([one.loss for one in mine]):.0f} %"
            row[f"{kind}: silent"] = f"{100 * np.mean([one.silent.mean() for one in mine]):.0f} %"
            row[f"{kind}: index 20 s"] = f"{np.mean([one.short_term for one in mine]):.2f}"
            row[f"{kind}: index 1000 s"] = f"{np.mean([one.long_term for one in mine]):.2f}"
            row[f"{kind}: round trip"] = f"{np.mean([one.mean_rtt_s for one in mine]):.2f} s"
        rows.append(row)
    return pl.DataFrame(rows)
