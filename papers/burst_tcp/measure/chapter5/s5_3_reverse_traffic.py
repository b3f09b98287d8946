"""Section 5.3: files both ways, how their times spread, and delayed acknowledgments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from ackclock import load_scenario
from ackclock.papers import Each, Measured, Ordered, Values

from ..file_runs import Case, Outcome, Race, Study, better, cases, loads, race
from ..stack import EXPERIMENTS, STACKS, THESIS, VARIANTS, Stack
from .experiment import (
    BURSTS,
    CLASSES,
    WINDOWED,
    Contest,
    loss_below,
    minus,
    over_points,
    pooled_mice,
    relative,
    split,
    times_below,
)

AT_ONCE = {"tcp.segments_per_ack": 2, "tcp.ack_delay": "200 ms"}
"""Delayed acknowledgments, but of SYN and FIN."""
LAST_DELAYED = {**AT_ONCE, "tcp.delay_fin_ack": True}
"""As in ns-2 from February 2010: a connection has no FIN, so that the last acknowledgment is delayed, too."""
DELAYED = {**LAST_DELAYED, "tcp.delay_syn_ack": True}
"""As in ns-2 when the thesis was written: the acknowledgment of a SYN is delayed, too."""
WAYS = {
    "SYN and last delayed": DELAYED,
    "last delayed": LAST_DELAYED,
    "neither": AT_ONCE,
}
"""The acknowledgments that are delayed in addition to those in the middle of a connection."""
INCREASED = {"tcp.initial_window": "4 packets"}
"""RFC 3390 for segments of 1024 bytes."""


def reverse(study: Study) -> dict[str, Contest]:
    """As many files from right to left."""
    scenario = study.context.scenario("reverse")
    return split(race(study, cases(scenario, loads(study.loads, groups=2), study.variants), Outcome.of))


def delayed(study: Study) -> dict[str, Contest]:
    """The experiment with delayed acknowledgments, and also NewReno with the increased initial window."""
    way = DELAYED if EXPERIMENTS["syn_acknowledgment"] == "delayed" else LAST_DELAYED
    return split(_delayed(study, way, STACKS))


def delayed_otherwise(study: Study) -> dict[str, Contest]:
    """The same under the thesis' stack alone, in the other of `WAYS`."""
    others = {name: settings for name, settings in WAYS.items() if settings is not DELAYED}
    return {
        name: Contest.of(_delayed(study, settings, [THESIS]), THESIS) for name, settings in others.items()
    }


def _delayed(study: Study, settings: Mapping[str, object], stacks: Sequence[Stack]) -> Race[Outcome]:
    scenario = load_scenario(study.context.scenario("reverse"), settings)
    points = loads(study.loads, groups=2)
    increased = [
        Case(stack, WINDOWED, point, stack.scenario(scenario, "newreno", {**of_point, **INCREASED}))
        for stack in stacks
        for point, of_point in points.items()
    ]
    return race(study, [*cases(scenario, points, study.variants, stacks), *increased], Outcome.of)


def reverse_claims(contest: Contest, one_way: Contest) -> dict[str, Measured]:
    """5.3: figures 21 and 22, against the base experiment."""
    base = one_way.at_points(contest.points)
    last = contest.points[-1]
    rises = {name: relative(contest.times(name, last), base.times(name, last)) for name in VARIANTS}
    more = np.asarray(contest.losses("mice", "btcp4", last)) - np.asarray(base.losses("mice", "btcp4", last))
    slower = {
        f"{n:.0f} flows, {words}": minus(contest.times(name, n), base.times(name, n))
        for name, words in VARIANTS.items()
        for n in contest.points
    }
    return {
        "reverse-slower": Each(slower),
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
    lost = {
        name: {
            "all": over_points(contest.lost(name, n) for n in contest.points),
            **{of: over_points(contest.losses(of, name, n) for n in contest.points) for of in CLASSES},
        }
        for name in (WINDOWED, "newreno")
    }
    at_first, at_last = contest.at_points([first]), contest.at_points([last])
    return {
        "delayed-btcp8": times_below(contest, ["btcp8"], ["newreno"]),
        "delayed-difference": Values(better(_difference(contest), _difference(prompt))),
        "delayed-btcp4-few": times_below(at_first, ["btcp4"], ["newreno"]),
        "delayed-btcp4-many": times_below(at_last, ["newreno", "btcp8", WINDOWED], ["btcp4"]),
        "increased-improves": times_below(contest, [WINDOWED], ["newreno"]),
        "increased-btcp8": Values(over_points(contest.gains("btcp8", n, WINDOWED) for n in contest.points)),
        **{
            f"increased-loss-{of}": Values(better(lost[WINDOWED][of], lost["newreno"][of]))
            for of in ("all", *CLASSES)
        },
        **{
            f"delayed-loss-btcp8-{of}": loss_below(contest, of, ["btcp8"], ["newreno", WINDOWED])
            for of in CLASSES
        },
    }


def _difference(contest: Contest) -> list[float]:
    """By how much B-TCP(8) is faster than NewReno, averaged over the loads, per seed, in s."""
    times = zip(contest.mean_times("newreno"), contest.mean_times("btcp8"), strict=True)
    return [standard - burst for standard, burst in times]


def ways_table(contests: Mapping[str, Contest]) -> pl.DataFrame:
    """A row per way of delaying acknowledgments and end of the range of loads: times and losses."""
    rivals = {name: name for contest in contests.values() for name in contest.rivals()}
    names = {**rivals, **VARIANTS, WINDOWED: "NewReno, 4 packets"}
    return pl.DataFrame(
        [
            {
                "delayed": way,
                "flows": f"{point:.0f}",
                **{f"{words}, s": f"{contest.time(name, point):.3f}" for name, words in names.items()},
                **{
                    f"{words}, lost %": f"{np.mean(contest.lost(name, point)):.2f}"
                    for name, words in names.items()
                },
            }
            for way, contest in contests.items()
            for point in (contest.points[0], contest.points[-1])
        ]
    )
