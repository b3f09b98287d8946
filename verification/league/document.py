"""A contender's evaluation as the JSON document that is published, and the table of all documents."""

from __future__ import annotations

import json
import math
from pathlib import Path

from ackclock import provenance
from ackclock.evaluation.criteria import CRITERIA
from ackclock.evaluation.criterion import Cell, Measure
from ackclock.evaluation.evaluate import Evaluation, Judged
from ackclock.evaluation.sentences import mean_of, worst
from ackclock.evaluation.verdict import Compared
from ackclock.measures.statistics import Interval
from verification.league.contenders import Contender

__all__ = ["SCHEMA", "as_document", "table"]

SCHEMA = "ackclock-league/1"

DIGITS = 4
"""Significant digits of published numbers; those of `ackclock evaluate` have all."""


def as_document(contender: Contender, evaluation: Evaluation) -> dict[str, object]:
    """The outcome, in base units. Values are the contender's own: each standard has a document too."""
    return {
        "schema": SCHEMA,
        "kind": contender.entry.kind,
        "name": contender.entry.name,
        "title": contender.entry.title,
        "algorithm": evaluation.label,
        "quick": evaluation.quick,
        "seeds": list(evaluation.seeds),
        "version": provenance.version(),
        "commit": provenance.git_commit(),
        "command": provenance.command_line(),
        "left_out": dict(contender.left_out),
        "criteria": [_criterion(judged, evaluation.label) for judged in evaluation.judged],
    }


def _criterion(judged: Judged, label: str) -> dict[str, object]:
    return {
        "key": judged.criterion.key,
        **_compared(judged.whole),
        "outcome": worst(judged, label),
        "cells": [
            {
                "name": cell.name,
                **_compared(compared),
                "values": {
                    measure.key: _value(judged, cell, label, measure) for measure in judged.criterion.measures
                },
            }
            for cell, compared in zip(judged.cells, judged.by_cell, strict=True)
        ],
    }


def _compared(compared: Compared) -> dict[str, object]:
    return {"class": compared.verdict, "times_worse": _interval(compared.times_worse)}


def _value(judged: Judged, cell: Cell, label: str, measure: Measure) -> list[float | None]:
    return _interval(mean_of(judged, cell, label, measure))


def _interval(interval: Interval) -> list[float | None]:
    """The mean and the ends of its interval; none where there is no end."""
    return [_rounded(value) for value in (interval.estimate, interval.low, interval.high)]


def _rounded(value: float) -> float | None:
    return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else None


def table(folder: Path) -> list[list[str]]:
    """How many times the standards' cost: a row for each document, a column for each criterion."""
    keys = [criterion.key for criterion in CRITERIA]
    rows = [["kind", "name", "algorithm", *keys]]
    for file in sorted(folder.glob("*.json")):
        found = json.loads(file.read_text(encoding="utf-8"))
        times = {each["key"]: f"{each['times_worse'][0]:.2f}" for each in found["criteria"]}
        rows.append([found["kind"], found["name"], found["algorithm"], *(times.get(key, "") for key in keys)])
    return rows
