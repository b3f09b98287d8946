"""Section 5.2.2: mice and elephants through one bottleneck, one way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise

import numpy as np

from ackclock import Result, load_scenario
from ackclock.measures import heavy_tail
from ackclock.measures.statistics import Interval, mean_interval
from ackclock.papers import Each, Measured, Ordered, Undecidable, Values

from ..file_runs import LOADS, Case, Floats, Outcome, Study, better, cases, loads, race
from ..stack import THESIS, VARIANTS
from .experiment import (
    BURSTS,
    CLASSES,
    SACK,
    Contest,
    at,
    below,
    best,
    loss_below,
    mean,
    minus,
    ordered_times,
    overlap,
    pooled_mice,
    split,
    times_below,
    with_all_seeds,
)

BUFFER = "topology.dumbbell.bottleneck.buffer"
SLOW = {"topology.dumbbell.bottleneck.rate": "1 Mbit/s", BUFFER: "3 packets"}
"""5.2.2, figure 17: 1 Mbit/s, a queue of 4 packets with the one being sent."""
AEST_SAMPLES = 60_000


def base(study: Study) -> dict[str, Contest]:
    """The base experiment, up to 2500 flows; with the thesis' stack also with SACK."""
    scenario = study.context.scenario("base")
    counts = (*study.loads, *study.heavy_loads)
    sack = [
        Case(
            THESIS,
            SACK,
            float(n),
            load_scenario(scenario, {"tcp.algorithm": "sack+reno(limit=1)", "flow.0.count": n}),
        )
        for n in study.loads
    ]
    wanted = [*cases(scenario, loads(counts), study.variants), *sack]
    return split(race(study, wanted, Outcome.of))


def changed(study: Study, settings: Mapping[str, object], extra: tuple[int, ...] = ()) -> dict[str, Contest]:
    """The base experiment with another bottleneck."""
    scenario = load_scenario(study.context.scenario("base"), settings)
    return split(race(study, cases(scenario, loads((*study.loads, *extra)), study.variants), Outcome.of))


def utilisation(study: Study) -> dict[str, Measured]:
    """The bottleneck's utilisation under NewReno at the least and the greatest load, in per cent."""
    wanted = [
        Case(
            THESIS,
            "newreno",
            float(count),
            load_scenario(study.context.scenario("base"), {"flow.0.count": count}),
        )
        for count in (LOADS[0], LOADS[-1])
    ]

    def busy(result: Result) -> float:
        links = result.links
        return 100 * float(links["utilisation"][links["name"].to_list().index("left->right")])

    found = race(study, wanted, busy)
    return {
        f"base-utilisation-{count}": Values(found.of(THESIS, "newreno", float(count)))
        for count in (LOADS[0], LOADS[-1])
    }


def sizes_by_the_law(count: int) -> list[Floats]:
    """Samples of the sizes of 5.2.1, in packets."""
    source = np.random.default_rng(1)
    return [np.ceil(4 * (1 - source.random(AEST_SAMPLES)) ** (-1 / 1.2)) for _ in range(count)]


def tail_points(count: int) -> list[float]:
    """Where AEST sees the tail of the thesis' distribution begin, over samples of its size; in packets."""
    found = [heavy_tail.aest(sizes).first_tail_point for sizes in sizes_by_the_law(count)]
    return [point for point in found if np.isfinite(point)]


def tail_claims(count: int) -> dict[str, Measured]:
    """5.2.1: the threshold of 82 packets."""
    points = tail_points(count)
    return {"base-aest": Values([float(np.median(points))], spread=points)}


def base_claims(contest: Contest) -> dict[str, Measured]:
    """5.2.2: figures 15 and 16."""
    light = contest.at_points(LOADS)
    first, last = light.points[0], light.points[-1]
    slopes = {variant: _slopes(light, variant) for variant in VARIANTS}
    return {
        "base-elephants": Values(_elephants(light, first)),
        "base-accuracy-flows": with_all_seeds(light, first, lambda: Values([_accuracy_over_flows(light)])),
        "base-accuracy-seeds": with_all_seeds(light, first, lambda: Values([_accuracy_over_seeds(light)])),
        "base-smaller": times_below(light, BURSTS, ["newreno"]),
        "base-gain-light": light.difference("btcp4", first),
        "base-gain-heavy": light.difference("btcp4", last),
        "base-factor": best({("btcp4", n): light.saved("btcp4", n, standard="btcp8") for n in light.points}),
        "base-factor-open": overlap(light, "btcp4", "btcp8", (1000.0, 1250.0)),
        "base-slope-btcp8": Ordered({name: slopes[name] for name in BURSTS}),
        "base-slope-newreno": Ordered({name: slopes[name] for name in ("btcp4", "newreno")}),
        "base-aest-same": _same_order(light),
        **_heavy(contest.at_points(n for n in contest.points if n > LOADS[-1])),
        **_sack(light),
        **_base_losses(light),
    }


def _elephants(contest: Contest, point: float) -> list[float]:
    mine = [np.asarray(contest.numbers(f"{name}_transfers", "newreno", point)) for name in CLASSES]
    return [float(value) for value in 100 * mine[1] / (mine[0] + mine[1])]


def _accuracy_over_flows(contest: Contest) -> float:
    """Half an interval in per cent of its mean, where single files are the samples; averaged over means."""
    samples = (
        np.concatenate(pooled_mice(contest, variant, point))
        for variant in VARIANTS
        for point in contest.points
    )
    return _accuracy(mean_interval(times) for times in samples)


def _accuracy_over_seeds(contest: Contest) -> float:
    """The same where the means of runs are the samples."""
    return _accuracy(contest.interval(variant, point) for variant in VARIANTS for point in contest.points)


def _accuracy(intervals: Iterable[Interval]) -> float:
    return mean([100 * interval.half_width / interval.estimate for interval in intervals])


def _slopes(contest: Contest, variant: str) -> list[float]:
    """By how much the mean time rises with the load, per seed, in ms per 1000 flows."""
    times = np.asarray([contest.times(variant, point) for point in contest.points])
    return [float(value) for value in 1e6 * np.polyfit(contest.points, times, 1)[0]]


def _same_order(contest: Contest) -> Each:
    """By how many seconds neighbours in the order by mice differ with the threshold that AEST gives."""
    found = {}
    for point in contest.points:
        ranked = sorted(VARIANTS, key=lambda variant: contest.time(variant, point))
        by_aest = {
            variant: [run.by_aest["mice_transfer_s"] for run in contest.found[variant, point]]
            for variant in VARIANTS
        }
        for faster, slower in pairwise(ranked):
            name = f"{point:.0f} flows, {VARIANTS[faster]} under {VARIANTS[slower]}"
            found[name] = minus(by_aest[slower], by_aest[faster])
    return Each(found)


def _heavy(heavy: Contest) -> dict[str, Measured]:
    """Beyond 1250 flows."""
    crossed = [point for point in heavy.points if heavy.time("btcp4", point) > heavy.time("btcp8", point)]
    where = f"by the means from {crossed[0]:.0f} flows on" if crossed else "nowhere"
    last = heavy.points[-1]
    return {
        "heavy-crossing": Values(minus(heavy.times("btcp4", last), heavy.times("btcp8", last)), note=where),
        "heavy-reaches": Values(heavy.gains("btcp4", last)),
        "heavy-btcp8": at(heavy, 2250, lambda: heavy.improvement("btcp8", 2250)),
        "heavy-open": overlap(heavy, "btcp8", "newreno", (2500.0,)),
    }


def _sack(contest: Contest) -> dict[str, Measured]:
    if not any(variant == SACK for variant, _ in contest.found):
        return {"base-sack": Undecidable("run with the thesis' stack only")}
    return {"base-sack": Values(contest.mean_gains(SACK))}


def _base_losses(contest: Contest) -> dict[str, Measured]:
    def times_as_much(other: str, point: float) -> list[float]:
        """The loss of B-TCP(4)'s mice over another's."""
        rise = better(contest.losses("mice", "btcp4", point), contest.losses("mice", other, point))
        return [1 + value / 100 for value in rise]

    many = {
        f"{point:.0f} flows, over {VARIANTS[other]}": times_as_much(other, point)
        for point in contest.points
        for other in ("btcp8", "newreno")
    }
    own = {
        f"{point:.0f} flows": minus(
            contest.losses("mice", "btcp8", point), contest.losses("elephants", "btcp8", point)
        )
        for point in contest.points
    }
    return {
        "base-loss-mice-btcp4": Each(many),
        "base-loss-mice-btcp8": loss_below(contest, "mice", ["btcp8"], ["newreno"]),
        "base-loss-elephants": loss_below(contest, "elephants", BURSTS, ["newreno"]),
        "base-loss-btcp8-classes": Each(own),
        "base-loss-all": below(contest, ["btcp8"], ["newreno", "btcp4"], contest.lost),
    }


def slow_claims(contest: Contest) -> dict[str, Measured]:
    """5.2.2: figure 17."""
    names = ("btcp4", "newreno", "btcp8")
    return {"slow-order": ordered_times(contest, names)}
