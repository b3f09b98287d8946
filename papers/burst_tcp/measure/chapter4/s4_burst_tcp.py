"""Chapter 4: windows of slow start, of its generalisation and of B-TCP, and how f and mice_t were chosen."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from ackclock.papers import Context

from ..file_runs import ByStack, Floats, Study
from ..stack import STACKS, THESIS
from . import figures
from .s4_1_growth import GROWTHS, flow_level, growth
from .s4_3_parameters import FACTORS, Choice, factors, factors_with_loss, thresholds

COUNT = 0


def measure(study: Study) -> ByStack:
    """All of chapter 4."""
    context = study.context
    choices = {stack.name: Choice.of(context, stack) for stack in STACKS}
    measured: ByStack = {
        name: {**factors(choice), **factors_with_loss(choice), **thresholds(choice)}
        for name, choice in choices.items()
    }
    windows = {name: growth(context, name) for name in GROWTHS}
    measured[THESIS.name] |= flow_level(context, windows)
    _report(context, windows, choices)
    return measured


def _report(context: Context, windows: Mapping[str, Floats], choices: Mapping[str, Choice]) -> None:
    """The figures, and the times under every stack."""
    for name, (figure, caption) in figures.all_of(windows, choices).items():
        context.figure(name, figure, " ".join(caption.split()))
    for name, standard, files in (
        ("files", "standard", "files"),
        ("files-with-loss", "standard_lossy", "lossy"),
    ):
        columns = {
            stack: [getattr(choice, standard), *getattr(choice, files).values()]
            for stack, choice in choices.items()
        }
        times = {stack: [f"{one.time_s:.2f}" for one in found] for stack, found in columns.items()}
        variants = ["NewReno", *(f"B-TCP({f})" for f in FACTORS)]
        context.table(name, pl.DataFrame({"variant": variants, **times}))
