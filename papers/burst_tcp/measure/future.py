"""6.2: what the thesis leaves to future work, in its base experiment with B-TCP(4).

B-TCP over a connection's life, with parameters that are estimated, with a history that flows share, and in
Adaptive Start and Gallop-Vegas; on the senders of chapter 5, and on today's stack.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from ackclock import Scenario, load_scenario, run
from ackclock.measures.statistics import mean_interval
from ackclock.papers import Measured, Ordered

from .stack import DESCRIBED, MODERN, THESIS, Stack
from .study import ByStack, Outcome, Study, better, numbers

__all__ = ["COUNT", "measure"]

COUNT = 1
SEEDS, SEEDS_QUICK = 20, 2
FLOWS = 1250
ALONE = "B-TCP(4)"


@dataclass(frozen=True)
class Idea:
    """One of 6.2's."""

    title: str
    slow_start: str = "btcp(f=4)"
    tcp: Mapping[str, object] = field(default_factory=dict)
    avoidance: str = ""
    """In place of the stack's."""


IDEAS = (
    Idea(ALONE),
    Idea("for life", "btcp(f=4,life=1)"),
    Idea("estimated parameters", "btcp(f=4,estimate=1)"),
    *(
        Idea(f"history: {sharing}", tcp={"tcp.sharing": sharing})
        for sharing in ("temporal", "ensemble", "fast-start", "spand")
    ),
    Idea("Adaptive Start", "adaptive"),
    Idea("Adaptive Start with its steps", "adaptive(f=4)"),
    Idea("Gallop-Vegas", "gallop-vegas", avoidance="vegas"),
    Idea("Gallop-Vegas with its steps", "gallop-vegas(f=4)", avoidance="vegas"),
)
STACKS = (DESCRIBED, MODERN)
"""The annex's head start would pass over what a history leaves."""


def scenario(base: Scenario, stack: Stack, idea: Idea) -> Scenario:
    """The base experiment with all senders by this idea."""
    recovery, *_, avoidance = stack.standard.split("+")
    algorithm = "+".join((recovery, idea.slow_start, idea.avoidance or avoidance))
    return load_scenario(base, {**stack.changes(base), "tcp.algorithm": algorithm, **idea.tcp})


def measure(study: Study) -> ByStack:
    """The table, and what 6.2 hopes for."""
    context = study.context
    base = context.scenario("base", {"flow.0.count": FLOWS})
    seeds = range(1, 1 + (SEEDS_QUICK if context.quick else SEEDS))
    scenarios = {(stack.short, idea.title): scenario(base, stack, idea) for stack in STACKS for idea in IDEAS}
    wanted = [(key, seed) for key in scenarios for seed in seeds]

    def work(item: tuple[tuple[str, str], int], told: Callable[[float], bool]) -> Outcome:
        key, seed = item
        return Outcome.of(run(scenarios[key], seed=seed, progress=told))

    made = context.each([(base.duration_s, item) for item in wanted], work)
    found: dict[tuple[str, str], list[Outcome]] = {}
    for (key, _), outcome in zip(wanted, made, strict=True):
        found.setdefault(key, []).append(outcome)
    context.table("future-work", _table(found))

    def better_than_alone(idea: str, of: str) -> Ordered:
        return Ordered(
            {
                title: [1e3 * time for time in numbers(found[DESCRIBED.short, title], f"{of}_transfer_s")]
                for title in (ALONE, idea)
            }
        )

    claims: dict[str, Measured] = {
        "btcp-for-life": better_than_alone("for life", "elephants"),
        "btcp-estimated": better_than_alone("estimated parameters", "mice"),
        "btcp-history": better_than_alone("history: temporal", "mice"),
    }
    return {THESIS.name: claims}


def _table(found: Mapping[tuple[str, str], Sequence[Outcome]]) -> pl.DataFrame:
    """A row per stack and idea: mean times, gains over B-TCP(4) alone, and losses."""
    made = []
    for (stack, idea), outcomes in found.items():
        row: dict[str, object] = {"stack": stack, "sender": idea}
        for of in ("mice", "elephants"):
            times = numbers(outcomes, f"{of}_transfer_s")
            gain = mean_interval(better(numbers(found[stack, ALONE], f"{of}_transfer_s"), times))
            row[f"{of}, ms"] = round(1000 * mean_interval(times).estimate, 1)
            row[f"{of}: gain, %"] = f"{gain.estimate:.1f} ± {gain.half_width:.1f}"
        for of in ("mice", "elephants"):
            lost = mean_interval([100 * outcome.lost[of] for outcome in outcomes])
            row[f"{of}: lost, %"] = round(lost.estimate, 2)
        made.append(row)
    return pl.DataFrame(made)
