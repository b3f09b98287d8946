"""Section 2.4.3: whether other variants of TCP, and other queues, break down as well."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from ackclock import list_algorithms
from ackclock.papers import Context, Each, Holds, Measured

from .study import SEEDS, Case, Outcome, seeds, simulate_kinds

OTHER_SEEDS = 3
"""Of the algorithms that the paper does not name."""
FLOWS = 200
"""Half a packet per round trip with a full buffer: below one without a doubt."""
NAMED = {
    "vegas": "vegas",
    "newreno": "newreno",
    "sack": "sack",
    "compound": "sack+compound",
    "cubic": "sack+cubic",
}
"""Those that the paper names, and XCP, with its routers."""
XCP, XCP_SENDER = "xcp", "sack+xcp"
QUEUES = ("red", "sfq")
QUEUE_LOADS = (50, 100, 200)


def registered() -> dict[str, str]:
    """A specification for every recovery, transport, slow start, avoidance and model of the registry."""
    found = {}
    for algorithm in list_algorithms():
        name = algorithm.name
        match algorithm.kind:
            case "recovery" | "transport":
                found[name] = name
            case "slow start":
                found[f"{name} (slow start)"] = f"sack+{name}+reno"
            case "avoidance":
                found[f"{name} (avoidance)"] = f"sack+{name}"
            case "controller":
                # XCP without its routers is standard TCP.
                found[name] = XCP_SENDER if name == XCP else f"rack+{name}"
            case _:
                continue  # usual names of combinations
    return found


def run(context: Context) -> dict[str, list[Outcome]]:
    """Every algorithm, by kind of sender; those that the paper names with the most seeds."""
    named = [Case(flows=FLOWS, algorithm=name) for name in NAMED.values()]
    named.append(Case(flows=FLOWS, algorithm=XCP_SENDER, queue=XCP))
    others = {*registered().values()} - {case.algorithm for case in named}
    cases = [case for each in named for case in seeds(each, 1 if context.quick else SEEDS)]
    if not context.quick:
        for name in sorted(others):
            cases += seeds(Case(flows=FLOWS, algorithm=name), OTHER_SEEDS)
    return simulate_kinds(context, cases)


def breaks_down(outcome: Outcome) -> bool:
    """The paper's three signs: packets are lost, flows are silent for 20 s, and shares are unequal."""
    return outcome.loss > 0.1 and float(outcome.silent.mean()) > 0.05 and outcome.short_term < 0.9


def claims(found: Mapping[str, Sequence[Outcome]]) -> dict[str, Measured]:
    """Those that the paper names."""
    measured: dict[str, Measured] = {}
    for kind, outcomes in found.items():
        for name, (specification, queue) in {
            **{name: (specification, "droptail") for name, specification in NAMED.items()},
            XCP: (XCP_SENDER, XCP),
        }.items():
            mine = [o for o in outcomes if (o.case.algorithm, o.case.queue) == (specification, queue)]
            loss, silent, index = (
                float(np.mean(values))
                for values in (
                    [o.loss for o in mine],
                    [o.silent.mean() for o in mine],
                    [o.short_term for o in mine],
                )
            )
            measured[f"breakdown-{name}-{kind}"] = Holds(
                [breaks_down(outcome) for outcome in mine],
                100 * loss,
                f"the number is its loss in %; {100 * silent:.0f} % of flows silent, index {index:.2f}",
            )
    return measured


def table(found: Mapping[str, Sequence[Outcome]]) -> pl.DataFrame:
    """A row per algorithm, those that keep flows going best first: means over seeds."""
    by_kind = {
        kind: {
            name: [one for one in outcomes if one.case.algorithm == name]
            for name in dict.fromkeys(one.case.algorithm for one in outcomes)
        }
        for kind, outcomes in found.items()
    }
    titles = {specification: name for name, specification in registered().items()}

    def index(name: str) -> float:
        return float(np.mean([one.short_term for one in by_kind["random"][name]]))

    rows = []
    for name in sorted(by_kind["random"], key=lambda name: -index(name)):
        row: dict[str, object] = {"algorithm": titles.get(name, name), "as": name}
        broken = []
        for kind, by_name in by_kind.items():
            mine = by_name[name]
            broken.append(sum(map(breaks_down, mine)))
            row["seeds"] = len(mine)
            row[f"{kind}: loss"] = f"{100 * np.mean([one.loss for one in mine]):.1f} %"
            row[f"{kind}: silent"] = f"{100 * np.mean([one.silent.mean() for one in mine]):.0f} %"
            row[f"{kind}: index"] = f"{np.mean([one.short_term for one in mine]):.2f}"
            row[f"{kind}: breaks down"] = f"{broken[-1]} of {len(mine)}"
        row["breaks down"] = all(count == row["seeds"] for count in broken)
        rows.append(row)
    return pl.DataFrame(rows)


def run_queues(context: Context) -> dict[str, list[Outcome]]:
    """RED and SFQ under the same settings, by kind of sender."""
    loads = (100,) if context.quick else QUEUE_LOADS
    count = 1 if context.quick else SEEDS
    cases = [case for flows in loads for case in seeds(Case(flows=flows), count)]
    return simulate_kinds(
        context, [replace(case, queue=queue) for case in cases for queue in ("droptail", *QUEUES)]
    )


def claims_queues(found: Mapping[str, Sequence[Outcome]]) -> dict[str, Measured]:
    """True if RED and SFQ behave like drop-tail."""
    measured: dict[str, Measured] = {}
    for kind, outcomes in found.items():
        plain = {(o.case.flows, o.case.seed): o for o in outcomes if o.case.queue == "droptail"}
        for queue in QUEUES:
            mine = [outcome for outcome in outcomes if outcome.case.queue == queue]
            apart: dict[str, list[tuple[float, float]]] = {}
            for outcome in mine:
                theirs = plain[outcome.case.flows, outcome.case.seed]
                apart.setdefault(f"{outcome.case.flows} flows", []).append(
                    (
                        outcome.short_term - theirs.short_term,
                        float(outcome.silent.mean() - theirs.silent.mean()),
                    )
                )
            text = "; ".join(
                "{}: index {:+.2f}, silent {:+.2f}".format(load, *np.mean(both, axis=0))
                for load, both in apart.items()
            )
            farther = {load: [max(abs(a), abs(b)) for a, b in both] for load, both in apart.items()}
            measured[f"{queue}-alike-{kind}"] = Each(farther, text)
    return measured
