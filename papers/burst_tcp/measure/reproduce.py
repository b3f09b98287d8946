"""Measures what chapters 2 to 5 of the thesis claim; claims.toml holds the rules that judge it.

`ackclock reproduce burst-tcp` runs everything; `--quick` has few seeds, and the least and the most load.
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from ackclock.papers import VERDICTS, Context, Measured, NotRun, Undecidable, judge

from .chapter2 import s2_1_congestion
from .chapter3 import (
    s3_1_1_telling_elephants,
    s3_2_3_initial_timeout,
    s3_2_connections,
    s3_3_2_sharing,
    s3_3_4_table_1,
    s3_3_base_experiment,
    s3_3_consequences,
)
from .chapter4 import s4_burst_tcp
from .chapter5 import s5_experiments
from .chapter6 import s6_2_future_work, s6_2_model
from .file_runs import ByStack, Study
from .stack import STACKS

PARTS = {
    "chapter2": s2_1_congestion,
    "elephants": s3_1_1_telling_elephants,
    "chapter3": s3_2_connections,
    "timeouts": s3_2_3_initial_timeout,
    "sharing": s3_3_2_sharing,
    "table1": s3_3_4_table_1,
    "beside": s3_3_base_experiment,
    "consequences": s3_3_consequences,
    "chapter4": s4_burst_tcp,
    "chapter5": s5_experiments,
    "future": s6_2_future_work,
    "model": s6_2_model,
}
"""What `ackclock reproduce burst-tcp --part` can run alone.

Modules with `COUNT`, how many sets of runs they are, and `measure(study) -> ByStack`.
"""
COMPARES = ("chapter5",)
"""The parts that take competitors."""
SEARCHED = {
    "settings": ("chapter5",),
    "settings-survey": ("chapter2", "chapter3", "timeouts", "sharing", "table1", "consequences"),
}
"""The parts in which the searches of settings look at the statements, by their plans."""


def measure(context: Context) -> Mapping[str, Measured]:
    """Every claim's measurement, by its id, with the thesis' own stack."""
    return measured(Study.of(context))


def measured(study: Study) -> dict[str, Measured]:
    """The paper with the extent that the study sets."""
    context = study.context
    experiments = [PARTS[name] for name in context.parts or PARTS]
    context.expect(sum(experiment.COUNT for experiment in experiments))
    found: ByStack = {stack.name: {} for stack in STACKS}
    for experiment in experiments:
        for name, claims in experiment.measure(study).items():
            found[name].update(claims)
    if context.parts:
        return found[STACKS[0].name]
    _still_today(context, found)
    missing = NotRun("the quick check leaves it out") if context.quick else Undecidable("not measured")
    return {claim.id: found[STACKS[0].name].get(claim.id, missing) for claim in context.paper.claims}


def _still_today(context: Context, found: ByStack) -> None:
    """Each claim under every stack, side by side."""
    rows = []
    for claim in context.paper.claims:
        if not any(claim.id in found[stack.name] for stack in STACKS[1:]):
            continue  # it is about no senders, or about the thesis' own alone
        row = {"claim": claim.id, "expected": claim.expectation}
        for stack in STACKS:
            verdict = judge(claim, found[stack.name].get(claim.id))
            row[stack.name] = f"{verdict.finding}: {verdict.verdict}"
            row[f"{stack.name}_verdict"] = verdict.verdict
        rows.append(row)
    if not rows:
        return
    table = pl.DataFrame(rows)
    context.table("stacks", table)
    counts = "; ".join(
        f"{stack.title}: "
        + ", ".join(
            f"{number} {kind}"
            for kind in VERDICTS
            if (number := int((table[f"{stack.name}_verdict"] == kind).sum()))
        )
        for stack in STACKS
    )
    context.note(f"Of the {table.height} claims that depend on the stack: {counts}.")
