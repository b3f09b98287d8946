"""Section 5.2.3: the base experiment with more of a buffer, and with less."""

from __future__ import annotations

from ackclock.papers import Measured, Ordered, Values

from ..file_runs import LOADS, better
from .experiment import (
    BURSTS,
    Contest,
    at,
    best,
    in_every_class,
    loss_below,
    over_points,
    relative,
    times_below,
)
from .s5_2_2_competition import BUFFER

LARGE = {BUFFER: "13 packets"}
"""Figure 18: a queue of 14 packets, the one that is being sent among them."""
SMALL = {BUFFER: "2 packets"}
"""Figure 19: a queue of 3 packets."""
HEAVIEST_LARGE = 1500
"""Flows; the most that 5.2.3 names for the large buffer."""


def large_claims(contest: Contest, usual: Contest) -> dict[str, Measured]:
    """5.2.3: the buffer of 14 packets, compared with the usual one of 7."""
    common = contest.at_points(usual.points)
    lighter = contest.at_points(LOADS)
    return {
        "large-improves": best(
            {
                (variant, n): [
                    -value for value in relative(common.times(variant, n), usual.times(variant, n)).samples
                ]
                for variant in BURSTS
                for n in common.points
            }
        ),
        "large-gain": best({("btcp4", n): lighter.gains("btcp4", n) for n in lighter.points}),
        "large-loss-mice": Ordered(
            {
                name: over_points(contest.losses("mice", name, n) for n in contest.points)
                for name in ("btcp4", "newreno", "btcp8")
            }
        ),
        "large-loss-1500": at(
            contest, HEAVIEST_LARGE, lambda: Values(contest.losses("mice", "btcp4", HEAVIEST_LARGE))
        ),
        "large-loss-elephants": loss_below(contest, "elephants", BURSTS, ["newreno"]),
        "large-loss-less": in_every_class(common.losses, usual.losses, common.points),
    }


def small_claims(contest: Contest, usual: Contest) -> dict[str, Measured]:
    """5.2.3: the buffer of 3 packets, figures 19 and 20."""
    # "Decreasing": by how many per cent NewReno's loss is above B-TCP(8)'s would be another number.
    kept = [
        better(contest.losses("elephants", "btcp8", n), contest.losses("elephants", "newreno", n))
        for n in contest.points
    ]
    return {
        "small-poorer": times_below(contest, ["newreno"], BURSTS),
        "small-loss-more": in_every_class(usual.losses, contest.losses, contest.points),
        "small-loss-mice": loss_below(contest, "mice", ["newreno"], ["btcp8"]),
        "small-loss-elephants": loss_below(contest, "elephants", ["btcp8"], ["newreno"]),
        "small-loss-halved": Values([-value for value in over_points(kept)]),
    }
