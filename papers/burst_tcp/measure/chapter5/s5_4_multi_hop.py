"""Section 5.4: two bottlenecks in a row, with and without traffic that crosses one of them."""

from __future__ import annotations

import json

import polars as pl

from ackclock import Result
from ackclock.measures import transfers
from ackclock.papers import Measured, Ordered, Values

from ..file_runs import Outcome, Study, cases, loads, race
from .experiment import Contest, at, loss_below, split, times_below

BACKGROUND = "cross"
"""The names of the background's groups."""


def alone(study: Study) -> dict[str, Contest]:
    """Without background traffic."""
    document = json.loads(study.context.scenario("multi-hop").to_json())
    document["flow"] = [group for group in document["flow"] if not group["name"].startswith(BACKGROUND)]
    scenario = study.context.load(document)
    points = loads(study.loads, groups=2)
    return split(race(study, cases(scenario, points, study.variants), _main))


def crossed(study: Study) -> dict[str, Contest]:
    """With as many files in the background, at B0 and at B1 each, as from left to right."""
    wanted = cases(study.context.scenario("multi-hop"), loads(study.loads, groups=4), study.variants)
    return split(race(study, wanted, _main))


def _main(result: Result) -> Outcome:
    """The files that cross both bottlenecks, either way."""
    main = result.flows.filter(pl.col("name").str.starts_with(BACKGROUND).not_())["flow"]
    files = transfers.records(result)
    return Outcome.of_files(files.filter(files["flow"].is_in(main.implode())))


def alone_claims(contest: Contest) -> dict[str, Measured]:
    """Figure 31(a)."""
    first, last = contest.points[0], contest.points[-1]
    return {
        "hops-btcp8": contest.improvement("btcp8"),
        "hops-btcp4-light": contest.improvement("btcp4", first),
        "hops-btcp4-falls": Ordered(
            {f"{point:.0f} flows": contest.saved("btcp4", point) for point in (first, last)}
        ),
        "hops-btcp4-below": times_below(contest, ["btcp4"], ["newreno"]),
    }


def crossed_claims(contest: Contest) -> dict[str, Measured]:
    """Figures 31(b) and 32."""
    last = contest.points[-1]
    return {
        "crossed-btcp4": at(contest, 1250, lambda: Values(contest.times("btcp4", 1250))),
        "crossed-btcp4-worst": times_below(contest.at_points([last]), ["newreno", "btcp8"], ["btcp4"]),
        "crossed-btcp8": contest.improvement("btcp8"),
        "crossed-loss-btcp4": loss_below(contest, "mice", ["newreno", "btcp8"], ["btcp4"]),
        "crossed-loss-mice": loss_below(contest, "mice", ["btcp8"], ["newreno"]),
        "crossed-loss-elephants": loss_below(contest, "elephants", ["btcp8"], ["newreno"]),
    }
