"""An evaluation of calls as JSON and Markdown, and its tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ackclock import provenance
from ackclock.evaluation.criterion import Cell, Measure
from ackclock.evaluation.rmcat.evaluate import CallEvaluation
from ackclock.evaluation.rmcat.outcome import VERDICTS, Found, JudgedCase
from ackclock.evaluation.rmcat.quantities import COMMON
from ackclock.evaluation.sentences import mean_of
from ackclock.measures.digits import with_interval
from ackclock.report.tables import Cell as Shown
from ackclock.report.tables import View
from ackclock.report.text import counted

__all__ = [
    "SCHEMA",
    "as_json",
    "as_markdown",
    "counts",
    "expectations",
    "numbers_view",
    "remarks",
    "summary_view",
]

SCHEMA = "ackclock-calls/1"
"""The schema of the JSON document, which docs/evaluation.md describes."""


def counts(evaluation: CallEvaluation) -> dict[str, int]:
    """The number of cases by verdict."""
    found = Counter(judged.verdict for judged in evaluation.judged)
    return {verdict: found[verdict] for verdict in VERDICTS if found[verdict]}


def remarks(evaluation: CallEvaluation) -> str:
    """Thresholds, and the differences from the documents, in words."""
    return " ".join((evaluation.suite.thresholds, *evaluation.suite.replaced))


def as_json(evaluation: CallEvaluation, folder: str = "") -> dict[str, object]:
    """The outcome as a JSON object, in base units."""
    return {
        "schema": SCHEMA,
        "version": provenance.version(),
        "suite": evaluation.suite.key,
        "algorithm": evaluation.label,
        "beside": list(evaluation.labels[1:]),
        "quick": evaluation.quick,
        "seeds": list(evaluation.seeds),
        "cases": [_case(judged, evaluation) for judged in evaluation.judged],
        "not_evaluated": [
            {"section": each.section, "title": each.title, "reason": each.reason}
            for each in evaluation.suite.not_evaluated
        ],
        **({"folder": folder} if folder else {}),
    }


def _case(judged: JudgedCase, evaluation: CallEvaluation) -> dict[str, object]:
    case = judged.case
    return {
        "key": case.key,
        "section": case.section,
        "title": case.title,
        "verdict": judged.verdict,
        "expectations": [
            {
                **_expectation(found),
                "beside": dict(zip(evaluation.beside, (o.verdict for o in others), strict=True)),
            }
            for found, _, others in expectations(evaluation, evaluation.judged.index(judged))
        ],
        "cells": [
            {
                "name": cell.name,
                "scenario": f"scenarios/{case.key}/{number}.toml",
                "verdict": judged.of(cell),
                "measures": {
                    measure.key: {
                        label: mean_of(judged, cell, label, measure).as_json() for label in evaluation.labels
                    }
                    for measure in case.measures
                    if case.has(cell.name, measure.key)
                },
            }
            for number, cell in enumerate(judged.cells, start=1)
        ],
    }


def _expectation(found: Found) -> dict[str, object]:
    expected = found.expectation
    return {
        "section": expected.section,
        "quote": expected.quote,
        "cell": found.cell.name,
        "measure": expected.measure,
        "relative_to": expected.relative_to or None,
        "low": expected.low,
        "high": expected.high,
        "bound": "RFC" if expected.stated else "ours",
        "value": found.value.as_json(),
        "verdict": found.verdict,
    }


def _text(judged: JudgedCase, cell: Cell, label: str, measure: Measure) -> str:
    if not judged.case.has(cell.name, measure.key):
        return "–"
    interval = mean_of(judged, cell, label, measure)
    half = interval.half_width * measure.factor
    return with_interval(interval.estimate * measure.factor, half, measure.digits)


def summary_view(evaluation: CallEvaluation, measures: Sequence[Measure] = COMMON) -> View:
    """A row for each cell of each case: the verdict, and measures that all cases have."""
    columns = (("Case", ""), ("Setting", ""), ("Expected", ""), *((m.title, m.unit) for m in measures))
    rows = [
        (
            Shown(judged.case.section),
            Shown(cell.name),
            Shown(judged.of(cell), is_decided=judged.of(cell) == VERDICTS[-1]),
            *(Shown(_text(judged, cell, evaluation.label, measure)) for measure in measures),
        )
        for judged in evaluation.judged
        for cell in judged.cells
    ]
    return View("", columns, tuple(rows))


def numbers_view(judged: JudgedCase, evaluation: CallEvaluation) -> View:
    """A row for each setting and algorithm, and every measure of the case."""
    columns = (("Setting", ""), ("Algorithm", ""), *((m.title, m.unit) for m in judged.case.measures))
    rows = [
        (
            Shown(cell.name),
            Shown(label),
            *(Shown(_text(judged, cell, label, m)) for m in judged.case.measures),
        )
        for cell in judged.cells
        for label in evaluation.labels
    ]
    return View("", columns, tuple(rows))


def expectations(evaluation: CallEvaluation, place: int) -> list[tuple[Found, str, list[Found]]]:
    """The expectations of a case: the contender's outcome, the setting, and the outcomes of others.

    The setting is empty where the case has one alone.
    """
    judged = evaluation.judged[place]
    several = len(judged.cells) > 1
    return [
        (
            each,
            each.cell.name if several else "",
            [other[place].found[row] for other in evaluation.beside.values()],
        )
        for row, each in enumerate(judged.found)
    ]


def as_markdown(evaluation: CallEvaluation) -> str:
    """All expectations and verdicts as Markdown, fit for a draft."""
    how = f"{counted(len(evaluation.seeds), 'seed')}, {'quick' if evaluation.quick else 'full'}"
    lines = [
        f"# {evaluation.label} by the cases of RFC 8867 and RFC 8869",
        "",
        f"Ackclock {provenance.described_version(provenance.git_commit())}, {how}. {remarks(evaluation)}",
        "",
        "| case | expected | setting | measured | verdict |",
        "|---|---|---|---|---|",
    ]
    for judged in evaluation.judged:
        name = f"{judged.case.section} {judged.case.title}"
        if not judged.found:
            lines.append(f"| {name} | the RFC names measures alone | | | {judged.verdict} |")
        lines += [
            f'| {name} | "{each.expectation.quote}" ({each.expectation.section}) | {each.cell.name} '
            f"| {each.words} | {each.verdict} |"
            for each in judged.found
        ]
    lines += [
        f"| {each.section} {each.title} | | | {each.reason} | not evaluated |"
        for each in evaluation.suite.not_evaluated
    ]
    return "\n".join(lines) + "\n"
