"""6.2: what the thesis leaves to future work, in its base experiment with B-TCP(4).

B-TCP over a connection's life, with parameters that are estimated, with a history that flows share, and in
Adaptive Start and Gallop-Vegas; on the senders of chapter 5, and on today's stack.

Of the parameters, mice_t is estimated as the larger of its own value and the packets that the path holds. The
base path holds 17, so that 32 stay and only f is estimated; one of 15 Mbit/s holds 170. With a first window
of one packet acknowledgments come no faster than a window per round trip, and the estimate does not exceed
the window; from two packets on the bottleneck sets their spacing. Gallop-Vegas goes with Vegas, which the
ideas without it do not have: B-TCP with Vegas is compared with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import polars as pl

from ackclock import Scenario, load_scenario, run
from ackclock.measures.statistics import mean_interval
from ackclock.papers import Measured, Ordered

from ..file_runs import ByStack, Outcome, Study, better, numbers
from ..stack import DESCRIBED, MODERN, THESIS, Stack, bottlenecks

__all__ = ["COUNT", "measure"]

COUNT = 1
SEEDS, SEEDS_QUICK = 50, 2
"""As many as of the thesis' own stack."""
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
    queue: str = ""
    """The queue that it needs at the routers."""
    beside: str = ALONE
    """The idea from which it differs by one thing."""


ESTIMATED, WITH_VEGAS = "estimated parameters", "B-TCP(4) and Vegas"
ADAPTIVE, GALLOP, FAST_START = "Adaptive Start", "Gallop-Vegas", "history: fast-start"

IDEAS = (
    Idea(ALONE),
    Idea("for life", "btcp(f=4,life=1)"),
    Idea(ESTIMATED, "btcp(f=4,estimate=1)"),
    *(
        Idea(f"history: {sharing}", tcp={"tcp.sharing": sharing})
        for sharing in ("temporal", "ensemble", "fast-start", "spand")
    ),
    # Fast Start sends what it takes from its history with a lower priority, for routers that drop it first.
    Idea(
        f"{FAST_START}, dropped first",
        tcp={"tcp.sharing": "fast-start"},
        queue="drop-priority",
        beside=FAST_START,
    ),
    Idea(ADAPTIVE, "adaptive"),
    Idea(f"{ADAPTIVE} with its steps", "adaptive(f=4)", beside=ADAPTIVE),
    Idea(WITH_VEGAS, avoidance="vegas"),
    Idea(GALLOP, "gallop-vegas", avoidance="vegas", beside=WITH_VEGAS),
    Idea(f"{GALLOP} with its steps", "gallop-vegas(f=4)", avoidance="vegas", beside=GALLOP),
)


@dataclass(frozen=True)
class Setting:
    """Senders and a path, and the ideas that run there."""

    stack: Stack
    ideas: Sequence[Idea]
    path: Mapping[str, object] = field(default_factory=dict)
    """The differences from the base experiment's."""


WIDE: Mapping[str, object] = {
    "topology.dumbbell.bottleneck.rate": "15 Mbit/s",
    "topology.dumbbell.bottleneck.buffer": "100 packets",
    "topology.dumbbell.access": '{ rate = "100 Mbit/s", delay = "5 ms", buffer = "500 packets" }',
}
WIDE_DESCRIBED = replace(
    DESCRIBED,
    name="wide",
    short="as described but from 2 packets, 15 Mbit/s",
    settings={"tcp.initial_window": "2 packets"},
)
WIDE_MODERN = replace(MODERN, name="wide-modern", short=f"{MODERN.short}, 15 Mbit/s")
ESTIMATES = [idea for idea in IDEAS if idea.title in (ALONE, ESTIMATED)]
SETTINGS = (
    # The annex's head start would pass over what a history leaves.
    Setting(DESCRIBED, IDEAS),
    # Its routers have FQ-CoDel, of which another queue would take the place.
    Setting(MODERN, [idea for idea in IDEAS if not idea.queue]),
    Setting(WIDE_DESCRIBED, ESTIMATES, WIDE),
    Setting(WIDE_MODERN, ESTIMATES, WIDE),
)


def scenario(base: Scenario, setting: Setting, idea: Idea) -> Scenario:
    """The base experiment with all senders by this idea."""
    stack = setting.stack
    recovery, *_, avoidance = stack.standard.split("+")
    algorithm = "+".join((recovery, idea.slow_start, idea.avoidance or avoidance))
    queues = {f"{link}.queue": idea.queue for link in bottlenecks(base) if idea.queue}
    changes = {**setting.path, **stack.changes(base), **idea.tcp, **queues}
    return load_scenario(base, {**changes, "tcp.algorithm": algorithm})


def measure(study: Study) -> ByStack:
    """The table, and what 6.2 hopes for."""
    context = study.context
    base = context.scenario("base", {"flow.0.count": FLOWS})
    seeds = range(1, 1 + (SEEDS_QUICK if context.quick else SEEDS))
    scenarios = {
        (setting.stack.short, idea.title): scenario(base, setting, idea)
        for setting in SETTINGS
        for idea in setting.ideas
    }
    wanted = [(key, seed) for key in scenarios for seed in seeds]

    def work(item: tuple[tuple[str, str], int], told: Callable[[float], bool]) -> Outcome:
        key, seed = item
        return Outcome.of(run(scenarios[key], seed=seed, progress=told))

    made = context.each([(base.duration_s, item) for item in wanted], work)
    found: dict[tuple[str, str], list[Outcome]] = {}
    for (key, _), outcome in zip(wanted, made, strict=True):
        found.setdefault(key, []).append(outcome)
    context.table("future-work", _table(found))

    def better_than_alone(idea: str, of: str, stack: Stack = DESCRIBED) -> Ordered:
        return Ordered(
            {
                title: [1e3 * time for time in numbers(found[stack.short, title], f"{of}_transfer_s")]
                for title in (ALONE, idea)
            }
        )

    claims: dict[str, Measured] = {
        "btcp-for-life": better_than_alone("for life", "elephants"),
        "btcp-estimated-base": better_than_alone(ESTIMATED, "mice"),
        "btcp-estimated-wide": better_than_alone(ESTIMATED, "mice", WIDE_DESCRIBED),
        "btcp-history": better_than_alone("history: temporal", "mice"),
    }
    return {THESIS.name: claims}


def _table(found: Mapping[tuple[str, str], Sequence[Outcome]]) -> pl.DataFrame:
    """A row per stack and idea: times, losses, and gains over B-TCP(4) and over the compared idea."""
    beside = {idea.title: idea.beside for idea in IDEAS}
    made = []
    for (stack, idea), outcomes in found.items():
        row: dict[str, object] = {"stack": stack, "sender": idea}

        def gain(over: str, name: str, stack: str = stack, mine: Sequence[Outcome] = outcomes) -> str:
            found_gain = mean_interval(better(numbers(found[stack, over], name), numbers(mine, name)))
            return f"{found_gain.estimate:.1f} ± {found_gain.half_width:.1f}"

        for of in ("mice", "elephants"):
            times = numbers(outcomes, f"{of}_transfer_s")
            row[f"{of}, ms"] = round(1000 * mean_interval(times).estimate, 1)
            row[f"{of}: gain, %"] = gain(ALONE, f"{of}_transfer_s")
        for of in ("mice", "elephants"):
            lost = mean_interval([100 * outcome.lost[of] for outcome in outcomes])
            row[f"{of}: lost, %"] = round(lost.estimate, 2)
        row["beside"] = beside[idea]
        for of in ("mice", "elephants"):
            row[f"{of}: gain over that, %"] = gain(beside[idea], f"{of}_transfer_s")
        made.append(row)
    return pl.DataFrame(made)
