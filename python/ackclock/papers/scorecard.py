"""The scorecard: the statements of each paper by verdict and by cause, and those that do not count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ackclock import provenance
from ackclock.papers.classes import BESIDE, CAUSES
from ackclock.papers.judge import NOT_RUN, STATEMENT_VERDICTS, VERDICTS
from ackclock.papers.reproduction import Reproduction
from ackclock.papers.statements import Statement
from ackclock.papers.tally import Tally, tally, total
from ackclock.report.tables import Cell, View
from ackclock.report.templates import html_page
from ackclock.results_folder import ResultsFolder

__all__ = ["KIND", "Score", "all_papers", "markdown", "score", "views", "write"]

KIND = "scorecard"
"""The kind of its folder in its provenance."""

MEANING = """Each statement of a paper counts once, however many rules test it. Where it was not reproduced,
the cause is the paper's own rules (they give something else), a setting or definition that the paper does not
state, ours, or unresolved. Not in the sum are claims that do not count: what we set ourselves, what was
fitted, what goes beyond the paper, and what restates something."""


@dataclass(frozen=True)
class Score:
    """One paper's row."""

    key: str
    title: str
    link: str
    """The path of the paper's report; empty for the sum of all papers."""
    tally: Tally
    open_statements: tuple[Statement, ...] = ()
    """The statements that were not reproduced, or are inconclusive."""
    without: Mapping[str, Tally] = field(default_factory=dict)
    """The tally without each of the groups that the paper sets apart, by the title of the group."""
    weak: int = 0
    """The reproduced statements that can hardly fail."""
    chosen: int = 0
    """The reproduced statements that served to choose the paper's setting."""


def score(reproduction: Reproduction, link: str) -> Score:
    """The row of a paper's reproduction."""
    paper = reproduction.paper
    left = tuple(
        one for one in reproduction.statements if one.counts and one.verdict in STATEMENT_VERDICTS[1:]
    )
    without = {
        title: tally(one for one in reproduction.statements if not one.id.startswith(prefix))
        for title, prefix in paper.apart.items()
    }
    weak = sum(bool(one.weak) and one.verdict == VERDICTS[0] for one in reproduction.statements if one.counts)
    chosen = sum(one.has_chosen for one in reproduction.statements if one.counts)
    return Score(paper.key, paper.title, link, reproduction.tally, left, without, weak, chosen)


def all_papers(scores: Sequence[Score]) -> Score:
    """The last row: all papers together."""
    return Score("all", "", "", total([one.tally for one in scores]))


def summed(scores: Sequence[Score]) -> list[Score]:
    """The rows below the papers: all together, and without each group that a paper sets apart."""
    rows = [all_papers(scores)]
    for one in scores:
        for title, left in one.without.items():
            others = [other.tally for other in scores if other is not one]
            rows.append(Score(f"all without {title} of {one.key}", "", "", total([left, *others])))
    return rows


def _weak(scores: Sequence[Score]) -> str:
    """A sentence on reproduced statements that can hardly fail or served to choose; empty if none."""
    weak, chosen = (sum(getattr(one, kind) for one in scores) for kind in ("weak", "chosen"))
    said = [f"{weak} can hardly fail"] * bool(weak)
    said += [f"{chosen} served to choose the setting of their paper"] * bool(chosen)
    return f"Of the reproduced statements {' and '.join(said)}; the verdicts mark them.\n" if said else ""


def _columns(tally: Tally, *, quick: bool) -> list[tuple[str, int]]:
    """Heading and number of each column; statements that were not run have a column if there are any."""
    return [
        ("statements", tally.statements),
        *tally.verdicts.items(),
        *([(NOT_RUN, tally.not_run)] if quick else []),
        *((f"because: {kind}", tally.causes[kind]) for kind in CAUSES),
        *((f"not counted: {kind}", tally.beside[kind]) for kind in BESIDE),
    ]


def markdown(scores: Sequence[Score]) -> str:
    """The table as Markdown: a row per paper, and one for all."""
    rows = [*scores, *summed(scores)]
    quick = bool(rows[-1].tally.not_run)
    heads = ["paper", *(heading for heading, _ in _columns(rows[-1].tally, quick=quick))]
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)]]
    for one in rows:
        name = f"[`{one.key}`]({one.link}) {one.title}" if one.link else one.key
        lines.append([name, *(str(number) for _, number in _columns(one.tally, quick=quick))])
    table = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    return f"{MEANING}\n\n{table}" + (f"\n{weak}" if (weak := _weak(scores)) else "")


def left_open(scores: Sequence[Score]) -> str:
    """The statements that were not reproduced or are inconclusive, as Markdown lists that link to each."""
    sections = []
    for one in scores:
        lines = [f"- {_open(statement, one.link)}\n" for statement in one.open_statements]
        if lines:
            sections.append(f"\n## {one.title}\n\n{''.join(lines)}")
    return "".join(sections)


def _open(statement: Statement, link: str) -> str:
    because = f", {statement.cause.kind}" if statement.cause and statement.verdict == VERDICTS[1] else ""
    return (
        f"[`{statement.id}`]({link}#claim-{statement.id}), {statement.verdict}{because}: {statement.text}"
        f" Found: {statement.finding}"
    )


def views(scores: Sequence[Score]) -> tuple[View, View]:
    """The tables for a terminal: statements that count, then causes and statements that do not count."""
    rows = [*scores, *summed(scores)]
    quick = bool(rows[-1].tally.not_run)
    columns = [_columns(one.tally, quick=quick) for one in rows]
    split = 1 + len(STATEMENT_VERDICTS) + quick
    names = [one.key for one in rows]
    first = [[name, *map(_number, numbers[:split])] for name, numbers in zip(names, columns, strict=True)]
    second = [[name, *map(_number, numbers[split:])] for name, numbers in zip(names, columns, strict=True)]
    heads = [heading for heading, _ in columns[0]]
    return (
        _view("Statements of the papers", heads[:split], first),
        _view("Not reproduced because of .., and not in the sum", [*CAUSES, *BESIDE], second),
    )


def _view(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> View:
    columns = (("", ""), *((heading.capitalize(), "") for heading in heads))
    return View(title, columns, tuple(tuple(map(Cell, row)) for row in rows), "")


def _number(column: tuple[str, int]) -> str:
    return str(column[1])


def write(folder: ResultsFolder, reproductions: Iterable[Reproduction]) -> list[Score]:
    """Writes scorecard.md, scorecard.html and provenance.json into a folder next to those of the papers."""
    checked = list(reproductions)
    scores = [score(one, f"../{one.paper.key}/report.html") for one in checked]
    quick = any(one.quick for one in checked)
    folder.write_text(
        "scorecard.md", "# Papers, statement by statement\n\n" + markdown(scores) + left_open(scores)
    )
    made = [
        ("Command", provenance.command_line()),
        ("Ackclock", provenance.described_version(provenance.git_commit())),
        ("Took", f"{sum(one.wall_s for one in checked):.0f} s"),
    ]
    text = html_page(
        "scorecard.html.j2",
        rows=[*scores, *summed(scores)],
        weak=_weak(scores),
        verdicts=STATEMENT_VERDICTS,
        not_run=NOT_RUN if total([one.tally for one in scores]).not_run else "",
        causes=CAUSES,
        beside=BESIDE,
        meaning=MEANING,
        quick=quick,
        provenance=made,
    )
    folder.write_text("scorecard.html", text)
    digests = {one.paper.key: one.paper.claims_sha256 for one in checked}
    what = {"what": KIND, "claims_sha256": digests, "quick": quick}
    wall_s = round(sum(one.wall_s for one in checked), 3)
    folder.write_json("provenance.json", provenance.document(what, wall_s=wall_s))
    return scores
