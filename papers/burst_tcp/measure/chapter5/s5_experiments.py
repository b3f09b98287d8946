"""Chapter 5: its experiments, their claims and figures, and all gains side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ackclock.papers import Each, Measured, Undecidable, Values

from ..file_runs import ByStack, Study
from ..stack import STACKS
from . import figures as drawing
from . import s5_2_2_competition as competition
from . import s5_2_3_buffers as buffers
from . import s5_3_1_medians as medians
from . import s5_3_3_unresponsive_traffic as udp
from . import s5_3_reverse_traffic as two_way
from . import s5_4_multi_hop as multihop
from . import s5_6_deployment as deployment
from . import s5_gains as gains
from .runs import Runs

COUNT = 14
"""Sets of runs."""
TAILS, QUICK_TAILS = 100, 5
"""Samples of which AEST is asked where the tail begins."""


def measure(study: Study) -> ByStack:
    """Every claim's measurement, by stack."""
    runs = Runs.of(study)
    found: ByStack = {}
    for stack in STACKS:
        name = stack.name
        spans = udp.Spans(
            **{span: contests[name] for span, contests in runs.udp.items()}, reverse=runs.reverse[name]
        )
        found[name] = {
            **competition.base_claims(runs.base[name]),
            **competition.slow_claims(runs.slow[name]),
            **buffers.large_claims(runs.large[name], runs.base[name]),
            **buffers.small_claims(runs.small[name], runs.base[name]),
            **two_way.reverse_claims(runs.reverse[name], runs.base[name]),
            **two_way.delayed_claims(runs.delayed[name], runs.reverse[name]),
            **udp.claims(spans),
            **multihop.alone_claims(runs.hops[name]),
            **multihop.crossed_claims(runs.crossed[name]),
            **deployment.claims(runs.deployment[name]),
        }
    tails = competition.tail_claims(QUICK_TAILS if study.context.quick else TAILS)
    found[STACKS[0].name] |= {**competition.utilisation(study), **tails}
    for name, measured in medians.measure(study, runs.reverse).items():
        found[name] |= measured
    _draw(study, runs)
    return {name: {key: _sound(value) for key, value in measured.items()} for name, measured in found.items()}


def _sound(measured: Measured) -> Measured:
    """The measurement, unless it is a ratio to nothing."""
    samples: Iterable[Sequence[float]] = ()
    if isinstance(measured, Values):
        samples = [measured.samples]
    elif isinstance(measured, Each):
        samples = measured.samples.values()
    if not all(np.isfinite(values).all() for values in samples):
        return Undecidable("in some runs, or in all, nothing was lost, and a ratio to it means nothing")
    return measured


def _draw(study: Study, runs: Runs) -> None:
    """The chapter's figures, and ours on the stacks."""
    context = study.context
    for name, (figure, caption) in drawing.figures(runs).items():
        context.figure(name, figure, caption)
    experiments = {
        "one way": runs.base,
        "1 Mbit/s": runs.slow,
        "buffer of 14": runs.large,
        "buffer of 3": runs.small,
        "both ways": runs.reverse,
        "delayed ACKs": runs.delayed,
        "before UDP": runs.udp["before"],
        "during UDP": runs.udp["during"],
        "two hops": runs.hops,
        "two hops, background": runs.crossed,
    }
    table = gains.table(experiments)
    context.table("gains", table)
    in_words = gains.in_words(table)
    context.table("gains-in-words", in_words)
    context.answer(
        "By how much NewReno's mean transfer time of mice is above that of each, by stack", in_words
    )
    ours = STACKS[0].name
    ways = {next(iter(two_way.WAYS)): runs.delayed[ours], **runs.delayed_otherwise}
    context.table("acknowledgments", two_way.ways_table(ways))
    two = udp.Spans(**{span: runs.udp[span][ours] for span in udp.SPANS}, reverse=runs.reverse[ours])
    one = udp.Spans(**runs.udp_in_one_packet, reverse=runs.reverse[ours])
    printed = {
        claim.id: float(claim.expected)  # type: ignore[arg-type]  # claims of kind "value"
        for claim in context.paper.claims
        if claim.id in udp.QUESTIONS
    }
    context.table("udp-packets", udp.packets_table(two, one, printed))
    context.figure("gains", gains.figure(table), gains.CAPTION)
