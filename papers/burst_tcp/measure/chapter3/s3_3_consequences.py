"""Consequences that 3.3 states of its proposals and the thesis does not measure, in the base experiment.

RIO-PS favors mice "and even few elephants"; TCP-SF makes three or four times as many acknowledgments; initial
windows of four packets lose 1 to 2 % more where much is sent; windows shared among connections spare a
quarter of all timeouts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import polars as pl

from ackclock import Result, Scenario, run
from ackclock.papers import Measured, Values

from .. import survey
from ..file_runs import ByStack, Outcome, Study, better, numbers
from ..stack import THESIS
from .s3_3_4_proposals import rio

__all__ = ["COUNT", "measure"]

COUNT = 1
SEEDS, SEEDS_QUICK = 20, 3
FLOWS = 1250
CONGESTED = 2500
"""Files where much is sent: the most of chapter 5."""
BOTTLENECK = "topology.dumbbell.bottleneck"


def cases() -> dict[str, tuple[int, dict[str, object]]]:
    """The files and the settings that differ from chapter 5's NewReno."""
    waiting = survey.packets("queue") - 1
    changed: dict[str, tuple[int, dict[str, object]]] = {
        "standard": (FLOWS, {}),
        "rio-ps": (FLOWS, {f"{BOTTLENECK}.queue": rio(waiting)}),
        "tcp-sf": (FLOWS, {"tcp.smart_framing": True}),
        "ensemble": (FLOWS, {"tcp.sharing": "ensemble"}),
        "session": (FLOWS, {"tcp.sharing": "tcp-session"}),
        "one packet": (CONGESTED, {"tcp.initial_window": "1 packets"}),
        "four packets": (CONGESTED, {"tcp.initial_window": "4 packets"}),
    }
    common = {
        f"{BOTTLENECK}.buffer": f"{waiting} packets",
        "tcp.initial_window": survey.LEVELS["first_window"],
    }
    return {name: (flows, {**common, **own}) for name, (flows, own) in changed.items()}


@dataclass(frozen=True)
class Seen:
    """One run."""

    files: Outcome
    acknowledgments: float
    """Packets that arrive over the bottleneck's way back."""
    timeouts: float
    drops: float
    """In per cent of the packets offered to the bottleneck."""

    @staticmethod
    def of(result: Result) -> Seen:
        """All of it."""
        there, back = (
            result.links.row(by_predicate=pl.col("name") == name, named=True)
            for name in ("left->right", "right->left")
        )
        return Seen(
            Outcome.of(result),
            float(back["packets_forwarded"]),
            float(result.flows["timeouts"].sum()),
            100 * float(there["dropped_queue"] + there["dropped_early"]) / float(there["packets_offered"]),
        )


def measure(study: Study) -> ByStack:
    """The claims on 3.3's consequences."""
    context = study.context
    base = context.scenario("base")
    seeds = range(1, 1 + (survey.seeds(SEEDS_QUICK) if context.quick else SEEDS))
    scenarios: dict[str, Scenario] = {
        name: context.scenario("base", {"flow.0.count": flows, **settings})
        for name, (flows, settings) in cases().items()
    }
    wanted = [(name, seed) for name in scenarios for seed in seeds]

    def work(item: tuple[str, int], told: Callable[[float], bool]) -> Seen:
        name, seed = item
        return Seen.of(run(scenarios[name], seed=seed, progress=told))

    made = context.each([(base.duration_s, item) for item in wanted], work)
    found: dict[str, list[Seen]] = {}
    for (name, _), seen in zip(wanted, made, strict=True):
        found.setdefault(name, []).append(seen)
    return {THESIS.name: _claims(found)}


def _claims(found: Mapping[str, list[Seen]]) -> dict[str, Measured]:
    def gain(of: str) -> Values:
        standard, other = (
            numbers((seen.files for seen in found[name]), f"{of}_transfer_s")
            for name in ("standard", "rio-ps")
        )
        return Values(better(standard, other))

    def ratio(name: str, number: Callable[[Seen], float]) -> list[float]:
        """Of means over seeds, a value per seed."""
        own, standard = ([number(seen) for seen in found[key]] for key in (name, "standard"))
        return [1 + value / 100 for value in better(own, standard)]

    def spared(name: str) -> Values:
        return Values([100 * (1 - value) for value in ratio(name, lambda seen: seen.timeouts)])

    drops = zip(found["four packets"], found["one packet"], strict=True)
    return {
        "rio-ps-mice": gain("mice"),
        "rio-ps-elephants": gain("elephants"),
        "tcp-sf-acknowledgments": Values(ratio("tcp-sf", lambda seen: seen.acknowledgments)),
        "iiw-drops": Values([four.drops - one.drops for four, one in drops]),
        "cbi-timeouts-ensemble": spared("ensemble"),
        "cbi-timeouts-session": spared("session"),
    }
