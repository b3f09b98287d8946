"""Measures what the paper claims, section by section; claims.toml holds the rules that judge it.

`ackclock reproduce sub-packet` runs everything; `--quick` has fewer loads, seeds and seconds; `--part` runs
one of `PARTS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import polars as pl
from matplotlib import rc_context

from ackclock.papers import Context, Measured, NotRun, Undecidable
from ackclock.report.style import MATPLOTLIB

from . import (
    answers,
    choices,
    drawing,
    early,
    fairness,
    forecasts,
    gateway,
    model,
    rates,
    remedies,
    timers,
    validation,
    variants,
    webusers,
)
from .study import Case, algorithms, both


def measure(context: Context) -> Mapping[str, Measured]:
    """Every claim's measurement, by its id."""
    with rc_context(MATPLOTLIB):
        return _measured(context)


def _measured(context: Context) -> dict[str, Measured]:
    parts = [PARTS[name] for name in context.parts] or list(PARTS.values())
    context.expect(sum(sets for sets, _ in parts))
    measured: dict[str, Measured] = {}
    for _, part in parts:
        measured |= part(context)
    if context.parts:
        return measured
    missing = NotRun("the quick check does not run it") if context.quick else Undecidable("not measured")
    return {claim.id: measured.get(claim.id, missing) for claim in context.paper.claims}


def _fairness(context: Context) -> dict[str, Measured]:
    found = fairness.run(context)
    others = {name: fairness.run(context, spec) for name, spec in algorithms(context).items()}
    context.figure(
        "figure-2",
        drawing.figure_2({"": found, **others}),
        "Figure 2: Jain's index against the fair share, over slices of 20 s and over the whole run; the "
        "first of ten seeds.",
    )
    context.figure(
        "figure-3",
        drawing.figure_3({"": found, **others}),
        "Figure 3: goodput of 100 flows in every fifth slice of 20 s. Dotted: the fair share.",
    )
    buffers = fairness.run_buffers(context)
    deep = {name: fairness.run_buffers(context, spec) for name, spec in algorithms(context).items()}
    context.figure(
        "figure-5",
        drawing.figure_5({"": buffers, **deep}),
        "Figure 5: the buffer at which slices of 20 s become fair; the first of ten seeds.",
    )
    rows = [
        {
            "senders": kind,
            "flows": outcome.case.flows,
            "rate_kbit_per_s": outcome.case.rate_bit_s / 1e3,
            "buffer_packets": outcome.case.buffer_packets,
            "loss": outcome.loss,
            "goodput": outcome.goodput,
            "long_term": outcome.long_term,
            "short_term": outcome.short_term,
            "silent": float(outcome.silent.mean()),
            "mean_rtt_s": outcome.mean_rtt_s,
        }
        for group in (found.by_share, found.slices, buffers)
        for kind, outcomes in group.items()
        for outcome in outcomes
    ]
    context.table("fairness", pl.DataFrame(rows))
    answers.fairness(context, {answers.PAPER: found, **others}, {answers.PAPER: buffers, **deep})
    return fairness.claims(found) | fairness.claims_buffers(buffers)


def _downloads(context: Context) -> dict[str, Measured]:
    downloads = webusers.run_downloads(context)
    context.figure(
        "figure-1",
        drawing.figure_1(downloads[0]),
        "Figure 1, on a synthetic equivalent: download times by size of the object.",
    )
    context.table("downloads", downloads[0].table)
    otherwise = remedies.run_users(context)
    context.table("users", remedies.table_users(downloads, otherwise))
    return webusers.claims_downloads(downloads) | remedies.claims_users(downloads, otherwise)


def _users(context: Context) -> dict[str, Measured]:
    hangs = webusers.run_hangs(context)
    others = {name: webusers.run_hangs(context, spec) for name, spec in algorithms(context).items()}
    answers.hangs(context, {answers.PAPER: hangs, **others})
    context.figure(
        "figure-4",
        drawing.figure_4({"": hangs, **others}),
        "Figure 4: the longest hang of each user within ten minutes.",
    )
    return webusers.claims(hangs)


def _alternatives(context: Context) -> dict[str, Measured]:
    tfrc = rates.run(context)
    context.figure(
        "figure-6",
        drawing.figure_6(tfrc),
        "Figure 6: TFRC beside TCP, the first of ten seeds. Crosses: the paper's loss rates.",
    )
    answers.rates(context, tfrc)
    queues = variants.run_queues(context)
    return rates.claims(tfrc) | variants.claims_queues(queues)


def _algorithms(context: Context) -> dict[str, Measured]:
    found = variants.run(context)
    context.table("algorithms", variants.table(found))
    return variants.claims(found)


def _validation(context: Context) -> dict[str, Measured]:
    found = validation.run(context)
    for name, text in {
        "figure-9": "Figure 9: shares of epochs by the model and by simulation over one link of 1 Mbps.",
        "figure-10": "Figure 10: the same over links of several rates.",
        "figure-11": "Figure 11: the same with eight round-trip times between 200 and 400 ms.",
    }.items():
        bars = " Error bars: 10th and 90th percentile of the flows. The first of ten seeds."
        context.figure(name, drawing.figure_9(found, name), text + bars)
    far = {
        kind: {
            name: [
                validation.distance(o, validation.readings(o)[name]) for o in found.drawn("figure-9", kind)
            ]
            for name in (*validation.READINGS, validation.COUNTER, validation.SPLIT)
        }
        for kind in both(Case())
    }
    caption = (
        "How far each reading of the model is from the simulation of figure 9, averaged over 0 to 5 sent."
    )
    context.figure("readings", drawing.readings(found, far), caption)
    context.table("readings", validation.table(found))
    for kind in both(Case()):
        context.table(f"figure-9-{kind}", validation.by_load(found.drawn("figure-9", kind)))
        ranked = validation.best(found, kind)
        names = ", ".join(f"{name} {value:.3f}" for name, value in ranked)
        context.note(
            f"""Distance of each reading of the model, {drawing.KINDS[kind]}: mean absolute difference over
            "0 sent" to "5 sent" and over the loads of figures 9 and 10 with a loss rate of 0.1 or more:
            {names}."""
        )
    return validation.claims(found)


def _gateway(context: Context) -> dict[str, Measured]:
    found = gateway.run(context)
    context.figure(
        "figure-12",
        drawing.figure_12(found),
        "Figure 12: fairness over 20 s with drop-tail and SFQ, with and without protected retransmissions, "
        "and by the model.",
    )
    return gateway.claims(found)


def _forecasts(context: Context) -> dict[str, Measured]:
    found = forecasts.run_all(context)
    context.table("forecasts", forecasts.table(found))
    caption = """How often a flow that sends is silent in its next round trip, against the forecast (6.1),
    over ten seeds. Dotted: silences of three round trips, the least with a timer that is backed off."""
    context.figure("forecasts", drawing.forecasts(found[True]), " ".join(caption.split()))
    return forecasts.claims(found[True])


def _remedies(context: Context) -> dict[str, Measured]:
    found = remedies.run(context)
    context.table("remedies", remedies.table(found))
    return remedies.claims(found)


def _early(context: Context) -> dict[str, Measured]:
    found = early.run(context)
    context.table("early-retransmit", early.table(found))
    return early.claims(found)


def _model(_context: Context) -> dict[str, Measured]:
    return model.claims()


def _settings(context: Context) -> dict[str, Measured]:
    context.table("timers", timers.run(context))
    context.table("choices", choices.run(context))
    return {}


PARTS: dict[str, tuple[int, Callable[[Context], dict[str, Measured]]]] = {
    "fairness": (2, _fairness),
    "downloads": (1 + len(remedies.ON_THE_USERS), _downloads),
    "users": (1, _users),
    "alternatives": (2, _alternatives),
    "algorithms": (1, _algorithms),
    "validation": (1, _validation),
    "gateway": (1, _gateway),
    "forecasts": (1, _forecasts),
    "remedies": (1, _remedies),
    "early": (1, _early),
    "model": (0, _model),
    "settings": (2, _settings),
}
"""Those that `ackclock reproduce sub-packet --part` can run alone, with the number of their sets of runs."""
AT_ONCE = 2
"""Points of a search in one run: in the place of the two ways."""
SEARCHED = ("fairness", "users", "alternatives", "algorithms", "validation", "gateway")
"""The parts in which the search of settings looks at the statements."""
COMPARES = ("fairness", "users", "alternatives")
"""The parts that take competitors: those of figures 2 to 6."""
