"""Measures what the chapter expects of larger networks; claims.toml holds the rules that judge it.

`ackclock reproduce mesonet-study` runs the design on two networks, standard TCP on a third, the fast settings
for 6 s, and FAST with other alphas; runs that are in `results/mesonet-study` are not made again. `--quick`
runs 16 settings of a smaller network, `--part` one of `PARTS` alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from ackclock.papers import Context, Measured, NotRun

from . import drawing, largest, tables
from .sentences import capacity, of_short_runs, round_trips, sentences
from .study import (
    FEW,
    LARGER,
    SIZED,
    Study,
    design,
    larger_design,
    of_alpha,
    of_size,
    of_standard_tcp,
    short_design,
    twelve_settings,
    two_round_trips,
)
from .tables import has

RESPONSES = (
    "flows_active",
    "flows_completed_per_s",
    "given_up_share",
    "retransmission_rate",
    "timeouts_per_s",
    "window_packets",
    "smoothed_rtt_s",
    "goodput_all_bit_per_s",
    "utilisation_backbone",
    "utilisation_pop",
    "utilisation_access",
    "queueing_delay_access_s",
    "loss_access",
    "goodput_web_bit_per_s",
    "goodput_document_bit_per_s",
    "goodput_long-a_bit_per_s",
    "fairness_long-a",
)
"""The responses that every setting has, and that tables and figures show together."""
SPARSE = ("goodput_software_bit_per_s",)
"""Others that every setting has under standard TCP."""


def measure(context: Context) -> Mapping[str, Measured]:
    """Every claim's measurement, by its id, or those of the parts that were asked for."""
    parts = [PARTS[name] for name in context.parts or PARTS]
    return {name: measured for part in parts for name, measured in part(context).items()}


def _hundreds(context: Context) -> dict[str, Measured]:
    """The design with some hundreds of active flows."""
    return _judged(context, Study(design(context)), "-hundreds")


def _ten_thousand(context: Context) -> dict[str, Measured]:
    """The design with 10^4 active flows."""
    if context.quick:
        later = NotRun("the design with 10^4 active flows takes seven hours of one processor")
        return {claim.id: later for claim in context.paper.claims if claim.id.endswith("-ten-thousand")}
    return _judged(context, Study(larger_design(context)), "-ten-thousand", "-ten-thousand")


def _judged(context: Context, study: Study, way: str, ending: str = "") -> dict[str, Measured]:
    """The sentences on one network, by the id with the way; figures and tables get the ending."""
    _figures(context, study, ending)
    _report(context, study, ending)
    found = sentences(study)
    if len(study.sweep.plan.seeds) > 1:
        judged = [claim.id for claim in context.paper.claims if claim.kind == "range" and claim.is_log]
        names = [name.removesuffix(way) for name in judged if name.endswith(way)]
        context.table("seeds" + ending, tables.by_seed(study, {name: found[name] for name in names}))
    return {name + way: measured for name, measured in found.items()}


def _round_trips(context: Context) -> dict[str, Measured]:
    """Two flows with different round-trip times."""
    return round_trips(two_round_trips(context))


def _of_larger(context: Context) -> dict[str, Measured]:
    """The claim on the number of active flows, by standard TCP on larger networks."""
    if context.quick:
        return capacity({})
    others = {
        (name, speed): of_size(context, size, setting, ["tcp"])
        for name, size in LARGER.items()
        for speed, setting in SIZED.items()
    }
    context.table("sizes", tables.sizes(others))
    return capacity(others)


def _effects(context: Context) -> dict[str, Measured]:
    """The table of what matters to standard TCP, by response."""
    if not context.quick:
        context.table("effects", tables.effects(Study(of_standard_tcp(context)), (*RESPONSES, *SPARSE)))
    return {}


def _alpha(context: Context) -> dict[str, Measured]:
    """The table of FAST with other alphas, which explains two verdicts."""
    if not context.quick:
        context.table("alpha", tables.alphas(Study(of_alpha(context))))
    return {}


def _six_seconds(context: Context) -> dict[str, Measured]:
    """The sentences on growing quickly with hundreds of flows in 6 s, as long as runs with 10^4 last."""
    if context.quick:
        later = NotRun("288 runs of 6 s take minutes of one processor")
        return {f"{name}-hundreds-short": later for name in ("ctcp-window", "htcp-uncongested")}
    study = Study(short_design(context, ("tcp", "htcp", "ctcp")))
    context.table("six-seconds", tables.short_runs(study))
    return {f"{name}-hundreds-short": measured for name, measured in of_short_runs(study).items()}


def _of_largest(context: Context) -> dict[str, Measured]:
    """The design with 10^5 active flows: tables and a figure, which judge no claim."""
    if context.quick:
        return {}
    few, many = (twelve_settings(context, size) for size in (FEW, LARGER["10^5"]))
    context.table("hundred-thousand", largest.settings_table(many))
    context.table("hundred-thousand-effects", largest.effects_table(few, many))
    context.figure("hundred-thousand", *largest.effects_figure(few, many))
    context.note(largest.note(many))
    return {}


PARTS: dict[str, Callable[[Context], dict[str, Measured]]] = {
    "hundreds": _hundreds,
    "ten-thousand": _ten_thousand,
    "round-trips": _round_trips,
    "capacity": _of_larger,
    "effects": _effects,
    "alpha": _alpha,
    "six-seconds": _six_seconds,
    "hundred-thousand": _of_largest,
}
"""The parts that `ackclock reproduce mesonet-study --part` runs alone."""


def _figures(context: Context, study: Study, ending: str) -> None:
    sweep, on = study.titled, "10^4" if ending else "some hundreds of"
    points, seeds = len(sweep.plan.points), len(sweep.plan.seeds)
    network = f"The network has {on} active flows."
    interval = (
        f"intervals of 95 % over {seeds} seeds"
        if seeds > 1
        else "intervals of 95 % by Lenth's method, from one seed"
    )
    for name, metric, about in (
        ("active", "flows_active", "flows active at a time"),
        ("retransmissions", "retransmission_rate", "retransmissions, of the data packets sent"),
        ("web", "goodput_web_bit_per_s", "goodput of web files"),
        ("documents", "goodput_document_bit_per_s", "goodput of documents"),
    ):
        # A class that has no finished file at some setting has no effects.
        for _, figure in sweep.design_figures(metric)[:1]:
            caption = (
                f"Main effects of the factors on {about}: the mean over half of the {points} settings less "
                f"that over the other half, {interval}; filled where the sign is decided among all effects. "
                f"{network}"
            )
            context.figure(name + ending, figure, caption)
    half = sweep.design_figures("utilisation_access")[1][1]
    effects = (
        "Effects of factors and pairs of factors on the utilisation of access links over half-normal "
        "quantiles; filled where the sign is decided. Noise lies on the dotted line."
    )
    drawn = {
        "half-normal": (half, effects),
        **drawing.together(study, [name for name in RESPONSES if has(study, name)]),
        "against-tcp": drawing.against_tcp(study),
        "classes": drawing.classes(study),
        "fairness": drawing.fairness(study),
    }
    for name, (figure, caption) in drawn.items():
        context.figure(name + ending, figure, f"{caption} {network}")


def _report(context: Context, study: Study, ending: str) -> None:
    present = [name for name in RESPONSES if has(study, name)]
    context.table("responses" + ending, tables.responses(study, present))
    context.table("proposals" + ending, tables.ratios(study))
    plan, runs = study.sweep.plan, study.sweep.runs
    active, seeds = float(np.mean(runs["flows_active"].to_numpy())), len(plan.seeds)
    context.note(
        f"With {'10^4' if ending else 'hundreds of'} active flows: {len(plan.points)} settings by "
        f"{len(plan.algorithms)} mechanisms by {seeds} {'seeds' if seeds > 1 else 'seed'}, "
        f"{runs.height} runs of {plan.scenario.duration_s:g} s; on average {active:.0f} flows are "
        "active. Intervals are over settings, each the mean over its seeds."
    )
