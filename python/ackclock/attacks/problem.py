"""An attack's question: which runs a path needs, and what their rows say of it."""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ackclock._native import Scenario
from ackclock.attacks.laws import PREFIX, SAMPLE, broken
from ackclock.attacks.networks import OMNISCIENT, sender, table
from ackclock.attacks.objective import (
    QUANTITIES,
    RAW,
    Facts,
    Where,
    difference,
    harm_left,
    natural,
    others_share,
)
from ackclock.attacks.runner import Runner, Trial
from ackclock.attacks.space import Path, Space
from ackclock.attacks.yardstick import Yardstick, omniscient
from ackclock.errors import ScenarioError
from ackclock.scenarios.algorithms import Factory, class_name, with_algorithm
from ackclock.scenarios.load import load_scenario
from ackclock.sweeps.task import Measure

__all__ = ["PLAINER", "Judged", "Problem"]

Algorithm = str | Factory

PLAINER = 0.01
"""The share that one change less is worth, so that the plainest path wins among equals."""

CANNOT = 2.0
"""The share of a path that the scenario's reader refuses."""


@dataclass(frozen=True)
class Judged:
    """A path with its outcome on one seed."""

    path: Path
    share: float
    """The share of the quantity that is left: below 1 is damage."""
    values: Mapping[str, Mapping[str, float]]
    """The quantities by label, as conditions name them."""

    @property
    def score(self) -> float:
        """The share with the price of each change: less is better."""
        return self.share + PLAINER * len(self.path)


@dataclass(frozen=True)
class Problem:
    """The algorithms, the objective and the space of an attack."""

    contenders: Mapping[str, Algorithm]
    """The algorithms under attack: one, or several that a condition compares."""
    space: Space
    quantity: str = "goodput"
    """The quantity that is attacked, or in which two algorithms differ."""
    victim: str = ""
    """The algorithm whose flows are harmed; none if the algorithm's own flows are."""
    than: str = ""
    """The algorithm whose quantity on the same path is the measure; none for the omniscient sender."""
    company: str = ""
    """The algorithm with whose flows each path is shared, if there is one."""
    differ: bool = False
    where: Where | None = None
    own: bool = False
    """True if the caller's own function says what is left."""
    law: str = ""
    """The specification of which a law is to be broken, if one is."""
    others: Mapping[str, Algorithm] = field(default_factory=dict)
    """Further algorithms by label: references and competitors."""

    @property
    def label(self) -> str:
        """The algorithm under attack."""
        return next(iter(self.contenders))

    @property
    def is_condition(self) -> bool:
        """True if the attack has found something only where a condition holds, or a law is broken."""
        return self.where is not None or bool(self.law)

    @property
    def measure(self) -> Measure | None:
        """The measure of a run that the question needs beyond the facts."""
        return functools.partial(broken, self.law) if self.law else None

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The algorithms that run on each path, in order."""
        reference = self.space.constraint.reference
        named = (*self.contenders, self.victim, self.than, "" if reference == OMNISCIENT else reference)
        return tuple(dict.fromkeys(filter(None, named)))

    @property
    def beside(self) -> str:
        """The algorithm whose run stands next to that of the algorithm in the report."""
        others = [label for label in self.labels if label != self.label]
        return others[0] if others else "cubic" if self.label != "cubic" else "rack+reno"

    def trial(self, path: Path, label: str, seed: int, duration_s: float, name: str = "attack") -> Trial:
        """The run of an algorithm on a path. Raises ScenarioError for one that the reader refuses."""
        scenario, factories = self.scenario(path, label, duration_s, name)
        return Trial(scenario, label, seed, factories)

    def scenario(
        self, path: Path, label: str, duration_s: float, name: str = "attack"
    ) -> tuple[Scenario, dict[str, Factory]]:
        """The scenario of an algorithm on a path, and the Python classes that it needs."""
        competitor, factories = self._competitor(path)
        tree = table(path, duration_s, name=name, competitor=competitor)
        if self.law:
            tree["trace"] = {"interval": SAMPLE}
        if label == OMNISCIENT:
            bursts = tree.get("udp", [])
            tree["udp"] = [*omniscient(path, duration_s), *(bursts if isinstance(bursts, list) else [])]
            flows = tree["flow"]
            tree["flow"] = (
                [each for each in flows if each["name"] == "other"] if isinstance(flows, list) else []
            )
            loaded = load_scenario(tree, custom=list(factories))
            return with_algorithm(loaded, None, factories)
        algorithm = self.contenders.get(label, self.others.get(label, label))
        loaded = load_scenario(tree, custom=list(factories))
        is_own = label in self.contenders
        if isinstance(algorithm, str):
            spec = sender(algorithm, path) if is_own else algorithm
            return with_algorithm(loaded, spec, factories)
        own = sender(class_name(label, algorithm)[0], path) if is_own else label
        return with_algorithm(loaded, algorithm, factories, own)

    def _competitor(self, path: Path) -> tuple[str, dict[str, Factory]]:
        """The specification of the other flows, and the class that it needs."""
        named = str(path.get("competitors", {}).get("algorithm", ""))
        algorithm = self.others.get(named, named)
        if isinstance(algorithm, str):
            return algorithm, {}
        spec, name = class_name(named, algorithm)
        return spec, {name: algorithm}

    def judge(
        self, runner: Runner, paths: Sequence[Path], seeds: Sequence[int], duration_s: float
    ) -> list[dict[int, Judged]]:
        """The outcome of each path by seed. A path that the reader refuses does no damage."""
        trials: dict[tuple[int, str, int], Trial] = {}
        for number, path in enumerate(paths):
            try:
                for label in self.labels:
                    prepared = self.trial(path, label, seeds[0], duration_s)
                    for seed in seeds:
                        trials[number, label, seed] = Trial(
                            prepared.scenario, label, seed, prepared.factories
                        )
            except ScenarioError:
                for label in self.labels:
                    trials.pop((number, label, seeds[0]), None)
        rows = dict(zip(trials, runner.run(list(trials.values())), strict=True))
        found = []
        for number, path in enumerate(paths):
            stick = Yardstick(path, duration_s)
            by_seed = {}
            for seed in seeds:
                mine = {
                    label: rows[number, label, seed] for label in self.labels if (number, label, seed) in rows
                }
                complete = len(mine) == len(self.labels)
                by_seed[seed] = self._judged(path, mine, stick) if complete else Judged(path, CANNOT, {})
            found.append(by_seed)
        return found

    def values(self, path: Path, row: Facts, duration_s: float) -> dict[str, float]:
        """The quantities of a run as conditions name them, from its facts."""
        stick = Yardstick(path, duration_s)
        shares = {name: each.share(row, stick) for name, each in QUANTITIES.items()}
        return {name: natural(name, shares.get(name, 0.0), row) for name in (*QUANTITIES, *RAW)}

    def _judged(self, path: Path, rows: Mapping[str, Facts], stick: Yardstick) -> Judged:
        shares = {
            label: {name: each.share(row, stick) for name, each in QUANTITIES.items()}
            for label, row in rows.items()
        }
        values = {
            label: {
                name: natural(name, shares[label].get(name, 0.0), rows[label]) for name in (*QUANTITIES, *RAW)
            }
            for label in rows
        }
        for label, row in rows.items() if self.law else ():
            values[label] |= {name: value for name, value in row.items() if name.startswith(PREFIX)}
        share = self._share(rows, shares, values)
        if not math.isfinite(share):
            share = 1.0
        lacking = max(self._lacking(rows, shares), self._lacking_of_the_harmed(rows, stick))
        return Judged(path, max(share, 1.0) + lacking if lacking > 0 else share, values)

    def _share(
        self,
        rows: Mapping[str, Facts],
        shares: Mapping[str, Mapping[str, float]],
        values: Mapping[str, Mapping[str, float]],
    ) -> float:
        if self.own or self.law:
            return float(rows[self.label]["objective"])
        if self.where is not None:
            return self.where.share(values)
        if self.victim:
            return harm_left(rows[self.label], rows[self.victim])
        mine = shares[self.label][self.quantity]
        if self.differ:
            return difference(mine, shares[list(self.contenders)[1]][self.quantity])
        if self.than:
            return mine / max(shares[self.than][self.quantity], 1e-6)
        return mine

    def _lacking(self, rows: Mapping[str, Facts], shares: Mapping[str, Mapping[str, float]]) -> float:
        """The share that the reference lacks; nothing is lacking at 0 and below."""
        constraint = self.space.constraint
        reference = self.than or constraint.reference
        if not reference or reference == OMNISCIENT:
            return 0.0
        if self.victim:
            return constraint.least - harm_left(rows[reference], rows[self.victim])
        return constraint.least - shares[reference][self.quantity]

    def _lacking_of_the_harmed(self, rows: Mapping[str, Facts], stick: Yardstick) -> float:
        """The share that the flows to be harmed lack next to their own kind: such a path harms by itself."""
        if not self.victim:
            return 0.0
        return self.space.constraint.least - others_share(rows[self.victim], stick)

    def key(self, path: Path) -> str:
        """A path as text, by which equal ones are recognised."""
        return json.dumps(path, sort_keys=True)
