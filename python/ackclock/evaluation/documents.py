"""An evaluation as JSON, Markdown and LaTeX."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

from ackclock import provenance
from ackclock.evaluation import worst_paths
from ackclock.evaluation.criterion import Cell
from ackclock.evaluation.evaluate import Evaluation, Judged
from ackclock.evaluation.sentences import mean_of, sentence, times_text
from ackclock.evaluation.verdict import Compared
from ackclock.report.text import counted

__all__ = ["SCHEMA", "as_json", "as_latex", "as_markdown"]

HEADING = "Times the nearer standard's cost"

SCHEMA = "ackclock-evaluation/1"
"""The schema of the JSON document, which docs/evaluation.md describes."""


def as_json(evaluation: Evaluation, folder: str = "") -> dict[str, object]:
    """The outcome as a JSON object, in base units."""
    return {
        "schema": SCHEMA,
        "version": provenance.version(),
        "suite": evaluation.suite.key,
        "algorithm": evaluation.label,
        **({"stack": evaluation.stack} if evaluation.stack else {}),
        "beside": list(evaluation.labels[1:]),
        "quick": evaluation.quick,
        "seeds": list(evaluation.seeds),
        "thresholds": asdict(evaluation.thresholds),
        "criteria": [_criterion(judged, evaluation) for judged in evaluation.judged],
        "not_evaluated": [
            {"section": each.section, "title": each.title, "force": each.force, "reason": each.reason}
            for each in evaluation.suite.not_evaluated
        ],
        **(
            {"worst_paths": [worst_paths.as_json(each) for each in evaluation.worst_paths]}
            if evaluation.worst_paths
            else {}
        ),
        **({"folder": folder} if folder else {}),
    }


def _criterion(judged: Judged, evaluation: Evaluation) -> dict[str, object]:
    criterion = judged.criterion
    return {
        "key": criterion.key,
        "section": criterion.section,
        "title": criterion.title,
        "force": criterion.force,
        **_compared(judged.whole),
        "sentence": sentence(judged, evaluation.label, evaluation.thresholds),
        "cells": [
            {
                "name": cell.name,
                "scenario": f"scenarios/{criterion.key}/{number}.toml",
                "standards": list(cell.standards),
                **_compared(compared),
                "measures": {
                    measure.key: {
                        label: mean_of(judged, cell, label, measure).as_json() for label in evaluation.labels
                    }
                    for measure in criterion.measures
                },
                **({"harm": _harms(judged, cell)} if cell.references else {}),
            }
            for number, (cell, compared) in enumerate(zip(judged.cells, judged.by_cell, strict=True), start=1)
        ],
    }


def _harms(judged: Judged, cell: Cell) -> dict[str, object]:
    """The harm of a cell by the measure's key."""
    return {
        key: {**found.interval.as_json(), "class": found.verdict}
        for (name, key), found in judged.harm.items()
        if name == cell.name
    }


def _compared(compared: Compared) -> dict[str, object]:
    return {
        "class": compared.verdict,
        "times_worse": compared.times_worse.as_json(),
        "standard": compared.standard,
    }


def as_markdown(evaluation: Evaluation) -> str:
    """The summary as Markdown, with the RFC's sections and words, fit for a draft."""
    version = provenance.described_version(provenance.git_commit())
    lines = [
        f"# {evaluation.label} by the criteria of {evaluation.suite.title}",
        "",
        f"Ackclock {version}, {_of(evaluation)}. {limits(evaluation)}",
        "",
        f"| section | criterion | {evaluation.suite.title} | class | {HEADING.lower()} | outcome |",
        "|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {j.criterion.section} | {j.criterion.title} | {j.criterion.force} | {j.verdict} "
        f"| {times_text(j.whole.times_worse)} | {sentence(j, evaluation.label, evaluation.thresholds)} |"
        for j in evaluation.judged
    ]
    lines += [
        f"| {each.section} | {each.title} | {each.force} | not evaluated | | {each.reason} |"
        for each in evaluation.suite.not_evaluated
    ]
    lines += worst_paths.as_markdown(evaluation.worst_paths)
    return "\n".join(lines).rstrip() + "\n"


def as_latex(evaluation: Evaluation) -> str:
    """The summary as a LaTeX table (package booktabs)."""
    rows = [
        " & ".join(
            (j.criterion.section, _escaped(j.criterion.title), j.verdict, times_text(j.whole.times_worse))
        )
        + r" \\"
        for j in evaluation.judged
    ]
    head = rf"section & criterion & class & {HEADING.lower()} \\"
    return "\n".join(
        (
            r"\begin{tabular}{llll}",
            r"\toprule",
            head,
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
            "",
        )
    )


def _escaped(text: str) -> str:
    return "".join(f"\\{letter}" if letter in "&%$#_{}" else letter for letter in text)


def _of(evaluation: Evaluation) -> str:
    return f"{counted(len(evaluation.seeds), 'seed')}, {'quick' if evaluation.quick else 'full'}"


def limits(evaluation: Evaluation) -> str:
    """The thresholds in words."""
    return " ".join((*_limits(evaluation), *evaluation.suite.replaced))


def _percent(share: float) -> str:
    """A share as a percentage."""
    return f"{100 * share:.10g} %"


def _limits(evaluation: Evaluation) -> Iterator[str]:
    found = evaluation.thresholds
    if any(evaluation.label in cell.standards for judged in evaluation.judged for cell in judged.cells):
        yield (
            f"{evaluation.label} is itself one of the standards that the cost is a quotient with: a class of "
            "a cell in which it meets itself says nothing about it."
        )
    yield evaluation.suite.thresholds
    yield (
        "Worse is worse than Reno and than CUBIC in the same place by more than "
        f"{_percent(found.different - 1)}, much worse is by more than {found.much:g} times, better is "
        "better than both by as much; all else, also between the two, is no different."
    )
    yield (
        "The cost is the geometric mean over settings and measures of the quotient with the nearer of "
        f"the two, on equal seeds, with its {_percent(found.confidence)} Student t interval over seeds; "
        "where that contains 1, nothing is different."
    )
