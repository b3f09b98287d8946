"""A conformance as JSON, Markdown and the XML of JUnit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from ackclock import provenance
from ackclock.conformance import playground
from ackclock.conformance.judge import WORDS, CaseVerdict, Conformance
from ackclock.measures.verdict import Outcome, Verdict
from ackclock.report.junit import TestCase

__all__ = [
    "SCHEMA",
    "as_json",
    "as_markdown",
    "as_test_cases",
    "found_in_words",
    "judged",
    "not_judged",
    "summary",
]

SCHEMA = "ackclock-conformance/1"
"""The schema of the JSON document, which docs/json.md describes."""


FIRST = (Outcome.FAILS, Outcome.UNDECIDED, Outcome.HOLDS)
"""The order in which people read verdicts."""


def judged(conformance: Conformance) -> list[CaseVerdict]:
    """The verdicts on cases that apply: those that fail, then those that are open, then the others."""
    found = [one for one in conformance.verdicts if one.outcome is not Outcome.NOT_APPLICABLE]
    return sorted(found, key=lambda one: FIRST.index(one.outcome))


def not_judged(conformance: Conformance) -> dict[str, Sequence[CaseVerdict]]:
    """The cases that do not apply, by the reason."""
    found = defaultdict(list)
    for verdict in conformance.verdicts:
        if verdict.outcome is Outcome.NOT_APPLICABLE:
            found[found_in_words(verdict)].append(verdict)
    return dict(found)


def summary(conformance: Conformance) -> str:
    """The numbers of cases by outcome in words: "21 hold, 1 fails, 0 not applicable, 1 inconclusive"."""
    counts = {outcome: conformance.count(outcome) for outcome in WORDS}
    holds, fails = counts[Outcome.HOLDS], counts[Outcome.FAILS]
    return (
        f"{holds} {'holds' if holds == 1 else 'hold'}, {fails} {'fails' if fails == 1 else 'fail'}, "
        f"{counts[Outcome.NOT_APPLICABLE]} not applicable, {counts[Outcome.UNDECIDED]} inconclusive"
    )


def as_json(conformance: Conformance, folder: str = "") -> dict[str, object]:
    """The outcome as a JSON object, in base units."""
    return {
        "schema": SCHEMA,
        "version": provenance.version(),
        "algorithm": conformance.label,
        "specification": conformance.specification.key,
        "source": conformance.specification.source,
        "seeds": list(conformance.seeds),
        "counts": {word: conformance.count(outcome) for outcome, word in WORDS.items()},
        "cases": [_case(verdict) for verdict in conformance.verdicts],
        **({"folder": folder} if folder else {}),
    }


def _case(verdict: CaseVerdict) -> dict[str, object]:
    case = verdict.case
    return {
        "key": case.key,
        "section": case.section,
        "title": case.title,
        "statement": case.statement,
        "rule": case.rule,
        "why": case.why,
        "verdict": verdict.word,
        "finding": verdict.finding,
        "note": verdict.note,
        "scenario": f"scenarios/{case.key}.toml" if verdict.scenario else None,
        "playground": playground.fragment(verdict.scenario) if verdict.scenario else None,
        "checks": [
            {"seed": seed, **_check(check)} for seed, found in verdict.checks.items() for check in found
        ],
    }


def _check(check: Verdict) -> dict[str, object]:
    return {
        "what": check.what,
        "finding": check.finding,
        "expectation": check.expectation,
        "verdict": WORDS[check.outcome],
        "share_of_tolerance": check.share,
    }


def as_markdown(conformance: Conformance) -> str:
    """The verdicts as a table in Markdown, fit for a message to a working group."""
    version = provenance.described_version(provenance.git_commit())
    lines = [
        f"# {conformance.label} by {conformance.specification.source}",
        "",
        f"{version}, {conformance.basis}. {summary(conformance)}.",
        "",
        "| case | section | statement | verdict | finding |",
        "|---|---|---|---|---|",
    ]
    others = (one for found in not_judged(conformance).values() for one in found)
    for verdict in (*judged(conformance), *others):
        case = verdict.case
        cells = (case.title, case.section, case.statement, verdict.word, found_in_words(verdict))
        lines.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return "\n".join(lines) + "\n"


def found_in_words(verdict: CaseVerdict) -> str:
    """The finding with its note."""
    return f"{verdict.finding} ({verdict.note})" if verdict.note else verdict.finding


def as_test_cases(conformance: Conformance) -> Iterator[TestCase]:
    """The cases for a report in JUnit's XML: what is open or does not apply counts as skipped."""
    name = f"{conformance.specification.key}.{conformance.label}"
    for verdict in conformance.verdicts:
        failed = verdict.outcome is Outcome.FAILS
        skipped = verdict.outcome in (Outcome.UNDECIDED, Outcome.NOT_APPLICABLE)
        yield TestCase(
            suite=name,
            name=verdict.case.key,
            wall_s=verdict.wall_s,
            failure=found_in_words(verdict) if failed else None,
            details=verdict.case.rule if failed else "",
            skipped=f"{verdict.word}: {found_in_words(verdict)}" if skipped else None,
        )
