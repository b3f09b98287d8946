"""Section 5.6: B-TCP takes the place of NewReno, 200 flows at a time."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from ackclock import Result, Scenario, load_scenario
from ackclock.measures import transfers
from ackclock.measures.statistics import Interval, mean_interval
from ackclock.papers import Each, Measured, Ordered, Values

from ..file_runs import MICE_PACKETS, Case, Study, better, label, race
from ..stack import STACKS, Stack, Variant
from .experiment import BURSTS, CLASSES, FileClass, mean, minus

FLOWS = 1200
"""Each way."""
STEPS = (0, 200, 400, 600, 800, 1000, 1200)
HALF_FROM = 400
"""From as many B-TCP flows on, B-TCP(4) is said to have more than half of all losses."""
Sender = str
SENDERS: tuple[Sender, ...] = ("newreno", "burst")


@dataclass(frozen=True)
class Mixed:
    """One run of a mixture."""

    times: Mapping[Sender, float]
    """Mean transfer times of the mice in s, by who sends."""
    lost: Mapping[tuple[FileClass, Sender], float]
    """Packets lost, in per cent of all that the class sent, whoever sent them."""
    own_loss: Mapping[tuple[FileClass, Sender], float]
    """Packets lost, in per cent of those that were sent by the same."""


@dataclass(frozen=True)
class Mixtures:
    """Runs by variant and step, one per seed."""

    found: Mapping[tuple[str, int], Sequence[Mixed]]
    steps: tuple[int, ...]

    @property
    def variants(self) -> list[str]:
        """Those that take NewReno's place."""
        return list(dict.fromkeys(variant for variant, _ in self.found))

    def times(self, variant: str, step: int, sender: Sender) -> list[float]:
        """Mean times of the mice in s, per seed."""
        return [run.times[sender] for run in self.found[variant, step]]

    def interval(self, variant: str, step: int, sender: Sender) -> Interval:
        """Their mean with its 95 % interval."""
        return mean_interval(self.times(variant, step, sender))

    def lost(self, of: FileClass, variant: str, step: int, sender: Sender) -> list[float]:
        """The packets lost by one kind of sender, in per cent of all packets sent, per seed."""
        return [run.lost[of, sender] for run in self.found[variant, step]]

    def all_lost(self, of: FileClass, variant: str, step: int) -> list[float]:
        """What all lost, in per cent, per seed."""
        return [sum(run.lost[of, sender] for sender in SENDERS) for run in self.found[variant, step]]

    def own_loss(self, of: FileClass, variant: str, step: int, sender: Sender) -> list[float]:
        """What one sort of sender lost, in per cent of what it sent, per seed."""
        return [run.own_loss[of, sender] for run in self.found[variant, step]]


def mixture(
    base: Scenario,
    stack: Stack,
    variant: Variant,
    burst: int,
    load: Callable[[Mapping[str, object]], Scenario] = load_scenario,
) -> Scenario:
    """This many of the flows in either direction run B-TCP, as many on every host, and the others NewReno."""
    document = json.loads(load_scenario(base, stack.changes(base)).to_json())
    shares = {stack.algorithm("newreno"): FLOWS - burst, stack.algorithm(variant): burst}
    for group in document["flow"]:
        group.pop("count", None)
        group["algorithms"] = [{"name": name, "count": count} for name, count in shares.items() if count]
    return load(document)


def deployed(study: Study) -> dict[str, Mixtures]:
    """All steps with B-TCP(4) and with B-TCP(8), by stack."""
    steps = (0, 400, 1000, 1200) if study.context.quick else STEPS
    base = study.context.scenario("reverse")
    variants: tuple[Variant, ...] = (*BURSTS, *study.context.competitors)
    wanted = [
        Case(stack, label(variant), step, mixture(base, stack, variant, step, study.context.load))
        for stack in STACKS
        for variant in variants
        for step in steps
        # A competitor that is the stack's own TCP mixes with nothing.
        if stack.algorithm(variant) != stack.standard
    ]
    standards = [study.context.written(stack.standard) for stack in STACKS]
    found = race(study, wanted, lambda result: _mixed(result, standards)).found
    return {
        stack.name: Mixtures(
            {
                (variant, int(step)): runs
                for (name, variant, step), runs in found.items()
                if name == stack.name
            },
            steps,
        )
        for stack in STACKS
    }


def _mixed(result: Result, standards: Sequence[str]) -> Mixed:
    is_burst = ~result.flows["algorithm"].is_in(standards).to_numpy()
    files = transfers.records(result)
    burst = is_burst[files["flow"].to_numpy()]
    times = {}
    lost, own = {}, {}
    sent = float(files["packets_sent"].sum())
    for of, mine in (
        ("mice", files["packets"] <= MICE_PACKETS),
        ("elephants", files["packets"] > MICE_PACKETS),
    ):
        for sender, theirs in (("newreno", ~burst), ("burst", burst)):
            some = files.filter(mine & pl.Series(theirs))
            numbers = transfers.measured(some)
            lost[of, sender] = 100 * float(some["packets_lost"].sum()) / sent
            own[of, sender] = 100 * numbers["loss_share"]
            if of == "mice":
                times[sender] = numbers["transfer_s"]
    return Mixed(times, lost, own)


def claims(mixtures: Mixtures) -> dict[str, Measured]:
    """Figures 33 to 35."""
    last = max(step for step in mixtures.steps if step < FLOWS)
    some = [step for step in mixtures.steps if step > 0]
    found: dict[str, Measured] = {
        f"deployment-{variant}-newreno": Ordered(
            {
                words: [1e3 * value for value in mixtures.times(variant, step, "newreno")]
                for words, step in (("beside 1000", last), ("alone", 0))
            }
        )
        for variant in BURSTS
    }
    found["deployment-little"] = Values(_largest_change(mixtures, last))
    found["deployment-loss-more"] = Each(
        {
            f"{step} flows": minus(
                mixtures.all_lost("mice", "btcp4", step), mixtures.all_lost("mice", "btcp8", step)
            )
            for step in some
        }
    )
    found["deployment-loss-half"] = Each(
        {f"{step} flows": _burst_share(mixtures, step) for step in some if HALF_FROM <= step < FLOWS}
    )
    found["deployment-mice-btcp4"] = _total(mixtures, "mice", "btcp4", falls=False)
    found["deployment-mice-btcp8"] = _total(mixtures, "mice", "btcp8", falls=True)
    for variant in BURSTS:
        found[f"deployment-elephants-{variant}"] = _total(mixtures, "elephants", variant, falls=True)
    for of in CLASSES:
        for share, loss in (("own", mixtures.own_loss), ("all", mixtures.lost)):
            alone, beside = (loss(of, "btcp8", step, "newreno") for step in (0, last))
            note = f"{mean(beside):.3g} % beside B-TCP(8), {mean(alone):.3g} % without"
            found[f"deployment-{of}-newreno-{share}"] = Values(minus(alone, beside), note=note)
    lost = {variant: mixtures.all_lost("elephants", variant, FLOWS) for variant in BURSTS}
    found["deployment-elephants-most"] = Ordered(lost)
    return found


def _burst_share(mixtures: Mixtures, step: int) -> list[float]:
    """The share that B-TCP(4) has in what mice lose, in per cent; samples."""
    theirs = mixtures.lost("mice", "btcp4", step, "burst")
    return [100 + value for value in better(theirs, mixtures.all_lost("mice", "btcp4", step))]


def _total(mixtures: Mixtures, of: FileClass, variant: str, *, falls: bool) -> Values:
    """By how much all together lose less, or more, when all run B-TCP than when none does."""
    before, after = (mixtures.all_lost(of, variant, step) for step in (0, FLOWS))
    note = f"{mean(after):.3g} % with B-TCP, {mean(before):.3g} % without"
    return Values(minus(before, after) if falls else minus(after, before), note=note)


def _largest_change(mixtures: Mixtures, last: int) -> list[float]:
    """By how many per cent NewReno's mean time changes from no competing B-TCP to the most, per seed."""
    changes = {}
    for variant in BURSTS:
        alone = mean(mixtures.times(variant, 0, "newreno"))
        pairs = zip(
            mixtures.times(variant, last, "newreno"), mixtures.times(variant, 0, "newreno"), strict=True
        )
        changes[variant] = [100 * (beside - before) / alone for beside, before in pairs]
    return max(changes.values(), key=lambda values: abs(mean(values)))
