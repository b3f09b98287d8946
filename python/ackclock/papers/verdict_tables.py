"""Verdicts as tables: for Markdown and for the terminal, a part per class of claims."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from ackclock.papers.classes import ClaimClass
from ackclock.papers.judge import NOT_RUN, STATEMENT_VERDICTS, ClaimVerdict
from ackclock.papers.statements import Statement
from ackclock.report.text import for_terminal

__all__ = ["TITLES", "by_class", "verdict_tables", "verdict_view"]

TITLES = {
    ClaimClass.PAPER: ("Statements of the paper", "Each counts once."),
    ClaimClass.SET_BY_US: (
        "Set by us",
        "Numbers and rules that the scenario or the algorithm was given, measured again. Not in the sum.",
    ),
    ClaimClass.FITTED: (
        "Fitted",
        "Settings or readings were chosen with these numbers in view. Not in the sum.",
    ),
    ClaimClass.BEYOND: (
        "Beyond the paper",
        "Conditions and comparisons that the paper does not have. Not in the sum.",
    ),
    ClaimClass.RESTATED: (
        "Restated",
        "Consequences of a definition, or of a statement that is counted already. Not in the sum.",
    ),
    ClaimClass.ILLUSTRATION: (
        "Illustrations",
        "They assert little: what is measured could hardly have come out otherwise. Not in the sum.",
    ),
}
"""Heading and meaning of each class."""

COLOURS = dict(zip((*STATEMENT_VERDICTS, NOT_RUN), ("green", "cyan", "red", "yellow", "dim"), strict=True))


def by_class(statements: Sequence[Statement]) -> list[tuple[str, str, list[Statement]]]:
    """Heading, meaning and statements of each class that there is."""
    groups = [(*TITLES[kind], [one for one in statements if one.claim_class is kind]) for kind in ClaimClass]
    return [group for group in groups if group[2]]


def verdict_tables(statements: Sequence[Statement]) -> str:
    """The tables as Markdown, a row per statement; parts and ways share its row."""
    parts = []
    for title, meaning, found in by_class(statements):
        rows = "".join(f"{_row(statement)}\n" for statement in found)
        head = "| claim | place | statement | expected | measured | verdict |\n|---|---|---|---|---|---|\n"
        parts.append(f"## {title}\n\n{meaning}\n\n{head}{rows}")
    return "\n".join(parts)


def _row(statement: Statement) -> str:
    expected = list(dict.fromkeys(rule.expectation for rule in statement.rules))
    verdict = f"**{statement.verdict}**"
    if statement.cause and statement.verdict == "not reproduced":
        verdict += f", {statement.cause.kind}: {statement.cause.evidence}"
    if statement.elsewhere:
        verdict += f": {'; '.join(statement.elsewhere)}"
    if statement.has_chosen:
        verdict += " (served to choose the setting)"
    if statement.robustness and not statement.elsewhere:
        verdict += f" (in the search reproduced {statement.robustness.words})"
    if statement.weak:
        verdict += f" (can hardly fail: {statement.weak})"
    cells = (
        statement.id,
        statement.place,
        statement.text,
        "<br>".join(expected),
        "<br>".join(_measured(label, one, len(statement.cases) == 1) for label, one in statement.cases),
        verdict,
    )
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _measured(label: str, verdict: ClaimVerdict, alone: bool) -> str:
    found = verdict.finding + (f" ({verdict.note})" if verdict.note else "")
    return found if alone else f"{label}: {found}, {verdict.verdict}"


def verdict_view(statements: Sequence[Statement]) -> Table:
    """The table for a terminal."""
    table = Table(box=box.SIMPLE_HEAD, header_style="bold")
    for heading, ratio in (("claim", 3), ("place", 2), ("expected", 4), ("measured", 4)):
        table.add_column(heading, ratio=ratio, overflow="fold")
    table.add_column("verdict", width=max(map(len, STATEMENT_VERDICTS)))
    for title, _, found in by_class(statements):
        table.add_row(_text(title, "bold"))
        for statement in found:
            _add(table, statement)
        table.add_section()
    return table


def _add(table: Table, statement: Statement) -> None:
    verdict = Text(statement.verdict, style=COLOURS[statement.verdict])
    if statement.cause and statement.verdict == "not reproduced":
        verdict.append(f"\n{statement.cause.kind}", style="dim")
    if statement.weak:
        verdict.append("\ncan hardly fail", style="dim")
    if len(statement.verdicts) == 1:
        only = statement.verdicts[0]
        facts = (statement.id, statement.place, only.claim.expectation, only.finding)
        table.add_row(*map(_text, facts), verdict)
        return
    table.add_row(_text(statement.id), _text(statement.place), "", "", verdict)
    for label, one in statement.cases:
        cells = (f"  {label}", "", one.claim.expectation, one.finding, one.verdict)
        table.add_row(*(_text(cell, "dim") for cell in cells))


def _text(text: str, style: str = "") -> Text:
    return Text(for_terminal(text), style=style)
