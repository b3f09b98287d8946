"""Section 2.4.3: whether other variants of TCP, and other queues, break down as well."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from ackclock import list_algorithms
from ackclock.papers import Context, Each, Holds, Measured

from .study import Case, Outcome, simulate_kinds

FLOWS = 200
"""Half a packet per round trip with a full buffer: below one without a doubt."""
NAMED = {
    "vegas": "vegas",
    "newreno": "newreno",
    "sack": "sack",
    "compound": "sack+compound",
    "cubic": "sack+cubic",
}
"""Those that the paper names."""
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
                found[name] = f"rack+{name}"
            case _:
                continue  # usual names of combinations
    return found


def run(context: Context) -> dict[str, list[Outcome]]:
    """Every algorithm, by kind of sender."""
    wanted = NAMED.values() if context.quick else {*NAMED.values(), *registered().values()}
    return simulate_kinds(context, [Case(flows=FLOWS, algorithm=name) for name in sorted(wanted)])


def breaks_down(outcome: Outcome) -> bool:
    """The paper's three signs: packets are lost, flows are silent for 20 s, and shares are unequal."""
    return outcome.loss > 0.1 and float(outcome.silent.mean()) > 0.05 and outcome.short_term < 0.9


def claims(found: Mapping[str, Sequence[Outcome]]) -> dict[str, Measured]:
    """Those that the paper names."""
    measured: dict[str, Measured] = {}
    for kind, outcomes in found.items():
        by_name = {outcome.case.algorithm: outcome for outcome in outcomes}
        for name, specification in NAMED.items():
            outcome = by_name[specification]
            measured[f"breakdown-{name}-{kind}"] = Holds(
                [breaks_down(outcome)],
                100 * outcome.loss,
                f"the number is its loss in %; {100 * outcome.silent.mean():.0f} % of flows silent, "
                f"index {outcome.short_term:.2f}",
            )
    return measured


def table(found: Mapping[str, Sequence[Outcome]]) -> pl.DataFrame:
    """A row per algorithm, those that keep flows going best first."""
    clockwork, random = (
        {outcome.case.algorithm: outcome for outcome in found[kind]} for kind in ("clockwork", "random")
    )
    titles = {specification: name for name, specification in registered().items()}
    rows = []
    for name in sorted(clockwork, key=lambda key: -random[key].short_term):
        row: dict[str, object] = {"algorithm": titles.get(name, name), "as": name}
        for kind, outcome in (("clockwork", clockwork[name]), ("random", random[name])):
            row[f"{kind}: loss"] = f"{100 * outcome.loss:.0f} %"
            row[f"{kind}: silent"] = f"{100 * outcome.silent.mean():.0f} %"
            row[f"{kind}: index"] = f"{outcome.short_term:.2f}"
        row["breaks down"] = breaks_down(clockwork[name]) and breaks_down(random[name])
        rows.append(row)
    return pl.DataFrame(rows)


def run_queues(context: Context) -> dict[str, list[Outcome]]:
    """RED and SFQ under the same settings, by kind of sender."""
    loads = (100,) if context.quick else QUEUE_LOADS
    cases = [Case(flows=flows) for flows in loads]
    return simulate_kinds(
        context, [replace(case, queue=queue) for case in cases for queue in ("droptail", *QUEUES)]
    )


def claims_queues(found: Mapping[str, Sequence[Outcome]]) -> dict[str, Measured]:
    """Whether RED and SFQ behave like drop-tail."""
    measured: dict[str, Measured] = {}
    for kind, outcomes in found.items():
        plain = {o.case.flows: o for o in outcomes if o.case.queue == "droptail"}
        for queue in QUEUES:
            mine = [outcome for outcome in outcomes if outcome.case.queue == queue]
            apart = [
                (
                    outcome.short_term - plain[outcome.case.flows].short_term,
                    float(outcome.silent.mean() - plain[outcome.case.flows].silent.mean()),
                )
                for outcome in mine
            ]
            text = "; ".join(
                f"{o.case.flows} flows: index {a:+.2f}, silent {b:+.2f}"
                for o, (a, b) in zip(mine, apart, strict=True)
            )
            farther = [max(abs(a), abs(b)) for a, b in apart]
            by_load = {f"{o.case.flows} flows": [far] for o, far in zip(mine, farther, strict=True)}
            measured[f"{queue}-alike-{kind}"] = Each(by_load, text)
    return measured
