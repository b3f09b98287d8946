"""The outcome of an attack as JSON, as Markdown, as a test, and as a row for a specification."""

from __future__ import annotations

import json
from collections.abc import Iterator

from ackclock import provenance
from ackclock.attacks import words
from ackclock.attacks.attack import Attack
from ackclock.attacks.laws import PREFIX, laws
from ackclock.attacks.parting import Parting
from ackclock.attacks.problem import Judged
from ackclock.attacks.shrink import Finding
from ackclock.conformance.case import Case
from ackclock.report.text import counted

__all__ = ["SCHEMA", "as_json", "as_markdown", "as_test", "numbers", "summary"]

SCHEMA = "ackclock-attack/1"


def summary(attack: Attack) -> str:
    """The outcome in a sentence."""
    tried = f"{counted(attack.paths, 'path')} in {attack.simulated_s:,.0f} simulated seconds"
    if attack.finding is None:
        alone = (
            f"; {counted(len(attack.thrown_away), 'path')} did on some seeds alone"
            if attack.thrown_away
            else ""
        )
        none = f"No path does damage that holds on other seeds, of {tried}{alone}"
        return f"{none}; the worst leaves {attack.share:.2f}"
    return f"The worst path leaves {attack.share:.2f}, of {tried}"


def as_json(attack: Attack, folder: str | None = None, parted: Parting | None = None) -> dict[str, object]:
    """The whole outcome."""
    problem = attack.problem
    return {
        "schema": SCHEMA,
        "ackclock": provenance.version(),
        "folder": folder,
        "algorithms": list(problem.contenders),
        "objective": words.question(problem),
        "seed": attack.seed,
        "budget_simulated_s": attack.budget_s,
        "simulated_s": attack.simulated_s,
        "paths": attack.paths,
        "share": attack.share,
        "findings": [_finding(one, parted if one is attack.finding else None) for one in attack.findings],
        "thrown_away": [
            {"path": one.path, "share": one.share, "seeds": one.held} for one in attack.thrown_away
        ],
        "worst_tried": _judged(attack.worst),
        "steps": [{"simulated_s": step.simulated_s, "share": step.share} for step in attack.steps],
    }


def _judged(judged: Judged | None) -> dict[str, object] | None:
    return None if judged is None else {"path": judged.path, "share": judged.share, "values": judged.values}


def _finding(finding: Finding, parted: Parting | None) -> dict[str, object]:
    return {
        "path": finding.path,
        "words": words.changes(finding.path),
        "duration_s": finding.duration_s,
        "share": finding.share,
        "values": finding.judged.values,
        "holds_below": finding.bar,
        "seeds": {str(seed): one.share for seed, one in finding.seeds.items()},
        "holds_on_seeds": finding.held,
        "ranges": [
            {
                "change": one.change,
                "key": one.key.name,
                "unit": one.key.unit,
                "low": one.low,
                "high": one.high,
            }
            for one in finding.ranges
        ],
        "found_as": finding.found.path,
        "parts_at_s": parted.at_s if parted else None,
        "changed": [
            {"name": one.name, "before": one.before, "after": one.after}
            for one in (parted.changed if parted else ())
        ],
    }


def numbers(attack: Attack) -> Iterator[tuple[str, dict[str, float]]]:
    """The quantities of each algorithm on the path of the finding."""
    if attack.finding is not None:
        for label, values in attack.finding.judged.values.items():
            yield label, dict(values)


def as_markdown(attack: Attack, parted: Parting | None, address: str) -> str:
    """The outcome as a page of Markdown, fit for a message to a working group."""
    finding = attack.finding
    lines = [
        f"# The worst path found for {attack.label}",
        "",
        f"Sought: {words.question(attack.problem)}. {summary(attack)}.",
        "",
    ]
    if finding is None:
        return "\n".join(lines)
    lines += [f"- {each}" for each in words.changes(finding.path)]
    lines += ["", words.sentence(finding), ""]
    if parted is not None:
        lines += [f"It parts from {attack.problem.beside} at {parted.at_s:.1f} s.", ""]
    for other in attack.findings[1:]:
        lines += [f"Another path leaves {other.share:.2f}: {', '.join(words.changes(other.path))}.", ""]
    lines += [
        "As a row of a specification:",
        "",
        "| case | statement | scenario | rule |",
        "|---|---|---|---|",
        f"| {row_key(attack)} | {row_statement(attack)} | `scenario.toml` | {row_rule(attack)} |",
        "",
        f"In the playground: `ackclock playground --port 8000`, then {address}",
    ]
    return "\n".join(lines) + "\n"


def broken_law(attack: Attack) -> Case | None:
    """The case of the specification whose law the finding breaks most; None for another objective."""
    if attack.finding is None or not attack.problem.law:
        return None
    values = attack.finding.judged.values[attack.label]
    return min(laws(attack.problem.law), key=lambda case: values[f"{PREFIX}{case.key}"])


def row_key(attack: Attack) -> str:
    """A key for the finding as a case."""
    finding = attack.finding
    if law := broken_law(attack):
        return f"{attack.problem.law}/{law.key}"
    names = "-".join(finding.path) if finding is not None else ""
    return names or "plain-path"


def row_statement(attack: Attack) -> str:
    """The behaviour that a mended algorithm has."""
    finding = attack.finding
    if law := broken_law(attack):
        return f"{law.title} ({law.section})."
    path = ", ".join(words.changes(finding.path)) if finding is not None else ""
    return f"Most of this is left on a path with {path}: {words.question(attack.problem)}."


def row_rule(attack: Attack) -> str:
    """The rule that decides whether it is mended."""
    finding = attack.finding
    if (case := broken_law(attack)) and case.law:
        return case.law.rule
    return f"The share is at least {finding.bar:.2f} on each seed." if finding is not None else ""


TEST = '''"""{title}

Found by: {command}
"""

from pathlib import Path

import pytest

from ackclock.attacks.replay import replay

FINDING = Path(__file__).parent / "finding.toml"


@pytest.mark.parametrize("seed", {seeds})
def test_the_worst_path_is_mended(seed: int) -> None:
    """It fails as long as the path leaves {label} less than {bar:.2f} of what is sought."""
    assert replay(FINDING, seed=seed) >= {bar:.4g}
'''


def as_test(attack: Attack) -> str:
    """A test of pytest that replays the path and fails until the algorithm is mended."""
    finding = attack.worst_finding()
    return TEST.format(
        title=f"The worst path found for {attack.label}: {', '.join(words.changes(finding.path))}.",
        command=provenance.command_line(),
        seeds=json.dumps([attack.seed, *attack.seeds[:2]]),
        label=attack.label,
        bar=finding.bar,
    )
