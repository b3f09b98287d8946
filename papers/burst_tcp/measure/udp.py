"""Section 5.3.3: files both ways, and a UDP flow that gives way to nobody for 200 s."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

from ackclock import Result
from ackclock.measures import transfers
from ackclock.papers import Holds, Measured, Values

from .contest import (
    CLASSES,
    Contest,
    below,
    loss_below,
    over_points,
    relative,
    split,
    times_below,
)
from .stack import VARIANTS
from .study import Outcome, Race, Study, cases, loads, race

BEGIN_S, END_S = 300.0, 500.0
SPANS = {"before": (0.0, BEGIN_S), "during": (BEGIN_S, END_S), "after": (END_S, float("inf"))}
"""Where a file belongs, by when it begins, in s."""


def unresponsive(study: Study) -> dict[str, dict[str, Contest]]:
    """The experiment, by span and stack."""
    wanted = cases(study.context.scenario("unresponsive"), loads(study.loads, groups=2))
    found = race(study, wanted, _by_span).found
    return {
        span: split(Race({key: [run[span] for run in runs] for key, runs in found.items()})) for span in SPANS
    }


def _by_span(result: Result) -> Mapping[str, Outcome]:
    files = transfers.records(result)
    start = files["start_s"]
    return {
        span: Outcome.of_files(files.filter((start >= begin) & (start < end)))
        for span, (begin, end) in SPANS.items()
    }


@dataclass(frozen=True)
class Spans:
    """The three spans under one stack, and the experiment without UDP."""

    before: Contest
    during: Contest
    after: Contest
    reverse: Contest


def claims(spans: Spans) -> dict[str, Measured]:
    """Figures 28 and 29."""
    before, during = spans.before, spans.during
    first, last = during.points[0], during.points[-1]
    worse = over_points(
        relative(during.times("btcp4", n), during.times("newreno", n)).samples for n in during.points
    )
    more = [
        during.loss(of, name, n) > before.loss(of, name, n)
        for of, name, n in product(CLASSES, VARIANTS, during.points)
    ]
    return {
        "udp-before-reverse": Values(_apart(before, spans.reverse)),
        "udp-after": Values(_apart(spans.after, before)),
        "udp-before-btcp4": times_below(before, ["btcp4"], ["newreno"]),
        "udp-btcp4": Values(worse),
        "udp-btcp8": during.improvement("btcp8"),
        "udp-btcp8-all": times_below(during, ["btcp8"], ["newreno"]),
        "udp-loss-more": Holds(more),
        "udp-loss-btcp4": _rise(spans, "btcp4", first),
        "udp-loss-btcp8": _rise(spans, "btcp8", first),
        "udp-loss-less-250": _less(during, first),
        "udp-loss-less-1250": _less(during, last),
        "udp-loss-all": loss_below(during, "mice", ["btcp8"], ["newreno"]),
        "udp-hurt-order": below(
            # "the latter suffers a small increase in transfer time, the former is severely affected"
            during,
            ["btcp8"],
            ["btcp4"],
            lambda name, n: 100 * (during.time(name, n) / before.time(name, n) - 1),
            " %",
        ),
    }


def _apart(one: Contest, other: Contest) -> list[float]:
    """By how many per cent times differ, over all variants and loads."""
    return over_points(
        relative(one.times(name, n), other.times(name, n)).samples
        for name, n in product(VARIANTS, one.points)
    )


def _rise(spans: Spans, variant: str, point: float) -> Values:
    """By how many per cent mice lose more during the UDP flow than before it."""
    return relative(spans.during.losses("mice", variant, point), spans.before.losses("mice", variant, point))


def _less(during: Contest, point: float) -> Values:
    """By how many per cent of NewReno's the mice of B-TCP(8) lose less."""
    lost = relative(during.losses("mice", "btcp8", point), during.losses("mice", "newreno", point))
    return Values([-value for value in lost.samples])
