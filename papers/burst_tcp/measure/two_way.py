"""Section 5.3: files both ways, how their times spread, and delayed acknowledgments."""

from __future__ import annotations

import numpy as np

from ackclock import load_scenario
from ackclock.papers import Holds, Measured, Ordered, Values

from .contest import (
    BURSTS,
    Contest,
    both,
    loss_below,
    over_points,
    pooled_mice,
    relative,
    split,
    times_below,
)
from .stack import STACKS, VARIANTS
from .study import Case, Outcome, Study, better, cases, loads, race

DELAYED = {"tcp.ack_every": 2, "tcp.ack_delay": "200 ms"}
INCREASED = {"tcp.initial_window": "4 packets"}
"""RFC 3390 for segments of 1024 bytes."""
WINDOWED = "newreno-iw4"


def reverse(study: Study) -> dict[str, Contest]:
    """As many files from right to left."""
    scenario = study.context.scenario("reverse")
    return split(race(study, cases(scenario, loads(study.loads, groups=2)), Outcome.of))


def delayed(study: Study) -> dict[str, Contest]:
    """The experiment with delayed acknowledgments, and NewReno with the increased initial window besides."""
    scenario = load_scenario(study.context.scenario("reverse"), DELAYED)
    points = loads(study.loads, groups=2)
    increased = [
        Case(stack, WINDOWED, point, stack.scenario(scenario, "newreno", {**settings, **INCREASED}))
        for stack in STACKS
        for point, settings in points.items()
    ]
    return split(race(study, [*cases(scenario, points), *increased], Outcome.of))


def reverse_claims(contest: Contest, one_way: Contest) -> dict[str, Measured]:
    """5.3: figures 21 and 22, against the base experiment."""
    base = one_way.at_points(contest.points)
    last = contest.points[-1]
    rises = {name: relative(contest.times(name, last), base.times(name, last)) for name in VARIANTS}
    more = np.asarray(contest.losses("mice", "btcp4", last)) - np.asarray(base.losses("mice", "btcp4", last))
    slower = [contest.time(name, n) > base.time(name, n) for name in VARIANTS for n in contest.points]
    return {
        "reverse-slower": Holds(slower),
        "reverse-btcp8": times_below(contest, ["btcp8"], ["newreno"]),
        **{f"reverse-rise-{name}": rises[name] for name in VARIANTS},
        "reverse-rise-order": Ordered({name: rises[name].samples for name in ("btcp4", "newreno", "btcp8")}),
        "reverse-loss-rise": Values([float(value) for value in more]),
        "reverse-loss-mice": loss_below(contest, "mice", ["newreno", "btcp8"], ["btcp4"]),
        "reverse-loss-elephants": loss_below(contest, "elephants", BURSTS, ["newreno"]),
        **_spread(contest),
    }


def _spread(contest: Contest) -> dict[str, Measured]:
    """5.3.1: figures 23 to 25."""
    cov = {
        name: over_points(contest.numbers("mice_transfer_cov", name, n) for n in contest.points)
        for name in ("newreno", "btcp8")
    }
    found: dict[str, Measured] = {
        "cov-order": Ordered(cov),
        "cov-close": Values(better(cov["btcp8"], cov["newreno"])),
    }
    for name in ("btcp8", "newreno"):
        for point in (contest.points[0], contest.points[-1]):
            found[f"cdf-{name}-{point:.0f}"] = Values(_below_mean(contest, name, point))
    return found


def _below_mean(contest: Contest, variant: str, point: float) -> list[float]:
    """The mice that take no longer than the mean of all, in per cent, per seed."""
    runs = pooled_mice(contest, variant, point)
    whole = float(np.concatenate(runs).mean())
    return [100 * float(np.mean(times <= whole)) for times in runs]


def delayed_claims(contest: Contest, prompt: Contest) -> dict[str, Measured]:
    """5.3.2: figures 26 and 27, against acknowledgments at once."""
    first, last = contest.points[0], contest.points[-1]
    iw = over_points(contest.losses("mice", WINDOWED, n) for n in contest.points)
    usual = over_points(contest.losses("mice", "newreno", n) for n in contest.points)
    at_first, at_last = contest.at_points([first]), contest.at_points([last])
    return {
        "delayed-btcp8": times_below(contest, ["btcp8"], ["newreno"]),
        "delayed-difference": Values(better(_difference(contest), _difference(prompt))),
        "delayed-btcp4-few": times_below(at_first, ["btcp4"], ["newreno"]),
        "delayed-btcp4-many": times_below(at_last, ["newreno", "btcp8", WINDOWED], ["btcp4"]),
        "increased-improves": times_below(contest, [WINDOWED], ["newreno"]),
        "increased-btcp8": Values(over_points(contest.gains("btcp8", n, WINDOWED) for n in contest.points)),
        "increased-loss": Values(better(iw, usual)),
        "delayed-loss-btcp8": both(
            *(loss_below(contest, of, ["btcp8"], ["newreno", WINDOWED]) for of in ("mice", "elephants"))
        ),
    }


def _difference(contest: Contest) -> list[float]:
    """By how much B-TCP(8) is faster than NewReno, averaged over the loads, per seed, in s."""
    times = zip(contest.mean_times("newreno"), contest.mean_times("btcp8"), strict=True)
    return [standard - burst for standard, burst in times]
