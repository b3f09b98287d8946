"""Section 5.3.3: files both ways, and a UDP flow that gives way to nobody for 200 s."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import polars as pl

from ackclock import Result
from ackclock.measures import transfers
from ackclock.measures.statistics import mean_interval
from ackclock.papers import Each, Measured, Values

from ..file_runs import Outcome, Race, Study, cases, loads, race
from ..stack import EXPERIMENTS, THESIS, VARIANTS
from .experiment import (
    Contest,
    in_every_class,
    loss_below,
    minus,
    over_points,
    relative,
    split,
    times_below,
)

BEGIN_S, END_S = 300.0, 500.0
ONE_PACKET = {"udp.0.packet": "1024 bytes"}
"""A message of 1024 bytes in one packet, as it would be with `packetSize_` set."""
SPANS = {"before": (0.0, BEGIN_S), "during": (BEGIN_S, END_S), "after": (END_S, float("inf"))}
"""Where a file belongs, by when it begins, in s."""


def unresponsive(study: Study) -> dict[str, dict[str, Contest]]:
    """The experiment, by span and stack."""
    message = ONE_PACKET if EXPERIMENTS["udp_message"] == "one packet" else {}
    scenario = study.context.scenario("unresponsive", message)
    wanted = cases(scenario, loads(study.loads, groups=2), study.variants)
    found = race(study, wanted, _by_span).found
    return {
        span: split(Race({key: [run[span] for run in runs] for key, runs in found.items()})) for span in SPANS
    }


def in_one_packet(study: Study) -> dict[str, Contest]:
    """The experiment under the thesis' stack with a packet for each message of the UDP flow, by span."""
    scenario = study.context.scenario("unresponsive", ONE_PACKET)
    wanted = cases(scenario, loads(study.loads, groups=2), study.variants, [THESIS])
    found = race(study, wanted, _by_span).found
    return {
        span: Contest.of(Race({key: [run[span] for run in runs] for key, runs in found.items()}), THESIS)
        for span in SPANS
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
    return {
        "udp-before-reverse": Values(_apart(before, spans.reverse)),
        "udp-after": Values(_apart(spans.after, before)),
        "udp-before-btcp4": times_below(before, ["btcp4"], ["newreno"]),
        "udp-btcp4": Values(worse),
        "udp-btcp8": during.improvement("btcp8"),
        "udp-btcp8-all": times_below(during, ["btcp8"], ["newreno"]),
        "udp-loss-more": in_every_class(before.losses, during.losses, during.points),
        "udp-loss-btcp4": _rise(spans, "btcp4", first),
        "udp-loss-btcp8": _rise(spans, "btcp8", first),
        "udp-loss-less-250": _less(during, first),
        "udp-loss-less-1250": _less(during, last),
        "udp-loss-all": loss_below(during, "mice", ["btcp8"], ["newreno"]),
        # "the latter suffers a small increase in transfer time, the former is severely affected"
        "udp-hurt-order": Each(
            {
                f"{point:.0f} flows": minus(_slower(spans, "btcp4", point), _slower(spans, "btcp8", point))
                for point in during.points
            }
        ),
    }


def _apart(one: Contest, other: Contest) -> list[float]:
    """By how many per cent times differ, over all variants and loads."""
    return over_points(
        relative(one.times(name, n), other.times(name, n)).samples
        for name, n in product(VARIANTS, one.points)
    )


def _slower(spans: Spans, variant: str, point: float) -> Sequence[float]:
    """By how many per cent mice take longer during the UDP flow than before it."""
    return relative(spans.during.times(variant, point), spans.before.times(variant, point)).samples


def _rise(spans: Spans, variant: str, point: float) -> Values:
    """By how many per cent mice lose more during the UDP flow than before it."""
    return relative(spans.during.losses("mice", variant, point), spans.before.losses("mice", variant, point))


def _less(during: Contest, point: float) -> Values:
    """By how many per cent of NewReno's the mice of B-TCP(8) lose less."""
    lost = relative(during.losses("mice", "btcp8", point), during.losses("mice", "newreno", point))
    return Values([-value for value in lost.samples])


QUESTIONS = {
    "udp-btcp4": "B-TCP(4)'s time above NewReno's, %",
    "udp-btcp8": "NewReno's time saved by B-TCP(8), %",
    "udp-loss-btcp4": "rise of the loss of B-TCP(4)'s mice, 250 flows, %",
    "udp-loss-btcp8": "rise of the loss of B-TCP(8)'s mice, 250 flows, %",
    "udp-loss-less-250": "B-TCP(8)'s mice lose less than NewReno's, 250 flows, %",
    "udp-loss-less-1250": "B-TCP(8)'s mice lose less than NewReno's, 1250 flows, %",
}
"""The claims with a number, in words."""


def packets_table(two: Spans, one: Spans, printed: Mapping[str, float]) -> pl.DataFrame:
    """A row per number of 5.3.3: as printed, and with two packets and one packet for each message."""
    found = {"two packets": claims(two), "one packet": claims(one)}
    return pl.DataFrame(
        [
            {
                "measured": words,
                "thesis": f"{printed[claim]:g}",
                **{name: _with_interval(measured[claim]) for name, measured in found.items()},
            }
            for claim, words in QUESTIONS.items()
        ]
    )


def _with_interval(measured: Measured) -> str:
    if not isinstance(measured, Values) or not np.isfinite(measured.samples).all():
        return "–"
    interval = mean_interval(measured.samples)
    return f"{interval.estimate:.1f} [{interval.low:.1f}, {interval.high:.1f}]"
