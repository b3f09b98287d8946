"""Scenarios in which competitors share the bottleneck: every group of flows once for each of them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ackclock._native import Scenario
from ackclock.errors import InputError
from ackclock.scenarios.algorithms import Factory, class_name, with_algorithm

__all__ = ["TOGETHER", "Together", "together"]

TOGETHER = "together"
"""The label of the runs that all competitors share."""


@dataclass(frozen=True)
class Together:
    """A scenario with all competitors in it."""

    scenario: Scenario
    factories: Mapping[str, Factory]
    groups: Mapping[str, tuple[str, ...]]
    """The names of each competitor's groups of flows."""


def together(scenario: Scenario, variants: Mapping[str, str | Factory]) -> Together:
    """The scenario with each group of flows that names no algorithm repeated for every competitor.

    The groups of a competitor have its label in front of their names. A dumbbell gets a further pair for each
    further flow. Raises InputError if competitors would not share a bottleneck.
    """
    if len(variants) < 2:
        raise InputError("together: at least two algorithms are needed, as in: reno cubic --together")
    if TOGETHER in variants:
        raise InputError(
            f'together: the label "{TOGETHER}" is that of the runs that all share; choose another'
        )
    tree = json.loads(scenario.to_json())
    dealt = [group for group in tree.get("flow", []) if not _names_algorithm(group)]
    _check(scenario, tree, dealt)
    factories: dict[str, Factory] = {}
    groups: dict[str, list[str]] = {label: [] for label in variants}
    repeated = []
    for group in tree["flow"]:
        if _names_algorithm(group):
            repeated.append(group)
            continue
        for label, algorithm in variants.items():
            spec = algorithm
            if not isinstance(algorithm, str):
                spec, name = class_name(label, algorithm)
                factories[name] = algorithm
            own = f"{label}-{group.get('name', 'tcp')}"
            groups[label].append(own)
            repeated.append({**group, "name": own, "algorithm": spec})
    tree["flow"] = repeated
    _grow_pairs(tree, dealt, len(variants))
    made = Scenario.from_json(json.dumps(tree), list(factories))
    _, needed = with_algorithm(made, None, factories)
    return Together(made, needed, {label: tuple(names) for label, names in groups.items()})


def _names_algorithm(group: Mapping[str, Any]) -> bool:
    return "algorithm" in group or "algorithms" in group


def _has_ends(group: Mapping[str, Any]) -> bool:
    return "from" in group and "to" in group


def _check(scenario: Scenario, tree: Mapping[str, Any], dealt: list[dict[str, Any]]) -> None:
    if not dealt:
        found = "every group of flows names its algorithm" if tree.get("flow") else "it has no TCP flows"
        raise InputError(
            f'scenario "{scenario.name}": {found}; together, competitors need a [[flow]] without '
            "`algorithm`, which is repeated for each of them"
        )
    topology = next(iter(tree["topology"]))
    for group in dealt:
        if topology != "dumbbell" and not _has_ends(group):
            named = f'scenario "{scenario.name}", flow "{group.get("name", "tcp")}"'
            raise InputError(
                f"{named}: competitors would take other paths through [topology.{topology}]; together, its "
                "flows need `from` and `to`, or a dumbbell"
            )


def _grow_pairs(tree: dict[str, Any], dealt: list[dict[str, Any]], competitors: int) -> None:
    """A dumbbell with further pairs: one for each further flow, or in proportion if flows share pairs."""
    dumbbell = tree["topology"].get("dumbbell")
    if dumbbell is None:
        return
    free = [group for group in (*tree["flow"], *tree.get("udp", [])) if not _has_ends(group)]
    after = sum(int(group.get("count", 1)) for group in free)
    more = (competitors - 1) * sum(int(group.get("count", 1)) for group in dealt if not _has_ends(group))
    pairs, before = int(dumbbell.get("pairs", 1)), after - more
    if more:
        dumbbell["pairs"] = pairs + more if pairs >= before else math.ceil(pairs * after / before)
