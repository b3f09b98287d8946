"""The scorecard: the number of claims of each paper that were reproduced, not reproduced, or undecided."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ackclock import provenance
from ackclock.papers.judge import VERDICTS, ClaimVerdict
from ackclock.papers.reproduction import Reproduction
from ackclock.report.tables import Cell, View
from ackclock.report.templates import environment
from ackclock.results_folder import ResultsFolder

__all__ = ["HEADINGS", "KIND", "Score", "markdown", "score", "total", "view", "write"]

KIND = "scorecard"
"""The kind of its folder in its provenance."""

HEADINGS = ("paper", "claims", *VERDICTS)


@dataclass(frozen=True)
class Score:
    """One paper's row."""

    key: str
    title: str
    link: str
    """The path of the paper's report; empty for the sum of all papers."""
    counts: tuple[int, ...]
    """Claims by verdict, in the order of `VERDICTS`."""
    open_claims: tuple[ClaimVerdict, ...] = ()
    """The claims that were not reproduced or not decided."""

    @property
    def claims(self) -> int:
        """The number of claims."""
        return sum(self.counts)


def score(reproduction: Reproduction, link: str) -> Score:
    """The row of a paper's reproduction."""
    paper = reproduction.paper
    left = tuple(verdict for verdict in reproduction.verdicts if verdict.verdict != VERDICTS[0])
    return Score(paper.key, paper.title, link, tuple(reproduction.counts.values()), left)


def total(scores: Sequence[Score]) -> Score:
    """The last row: all papers together."""
    return Score("all", "", "", tuple(map(sum, zip(*(score.counts for score in scores), strict=True))))


def markdown(scores: Sequence[Score]) -> str:
    """The table as Markdown: a row per paper, and one for all."""
    lines = [HEADINGS, ("---", *["---:"] * (len(HEADINGS) - 1))]
    for one in (*scores, total(scores)):
        name = f"[`{one.key}`]({one.link}) {one.title}" if one.link else one.key
        lines.append((name, *map(str, _numbers(one))))
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _left_open(scores: Sequence[Score]) -> str:
    """The claims that were not reproduced or not decided, as Markdown lists that link to each."""
    sections = []
    for one in scores:
        lines = [
            f"- [`{verdict.claim.id}`]({one.link}#claim-{verdict.claim.id}), {verdict.verdict}:"
            f" {verdict.claim.statement} Found: {verdict.finding}\n"
            for verdict in one.open_claims
        ]
        if lines:
            sections.append(f"\n## {one.title}\n\n{''.join(lines)}")
    return "".join(sections)


def view(scores: Sequence[Score]) -> View:
    """The table for a terminal."""
    rows = [tuple(map(Cell, (one.key, *map(str, _numbers(one))))) for one in (*scores, total(scores))]
    return View("", tuple((heading.capitalize(), "") for heading in HEADINGS), tuple(rows), "")


def write(folder: ResultsFolder, reproductions: Iterable[Reproduction]) -> list[Score]:
    """Writes scorecard.md, scorecard.html and provenance.json into a folder beside those of the papers."""
    checked = list(reproductions)
    scores = [score(one, f"../{one.paper.key}/report.html") for one in checked]
    quick = any(one.quick for one in checked)
    folder.write_text("scorecard.md", "# Papers, claim by claim\n\n" + markdown(scores) + _left_open(scores))
    page = environment().get_template("scorecard.html.j2")
    made = [
        ("Command", provenance.command_line()),
        ("Ackclock", provenance.described_version(provenance.git_commit())),
        ("Took", f"{sum(one.wall_s for one in checked):.0f} s"),
    ]
    rows = [*scores, total(scores)]
    text = page.render(rows=rows, headings=HEADINGS, verdicts=VERDICTS, quick=quick, provenance=made)
    folder.write_text("scorecard.html", text)
    digests = {one.paper.key: one.paper.claims_sha256 for one in checked}
    what = {"what": KIND, "claims_sha256": digests, "quick": quick}
    wall_s = round(sum(one.wall_s for one in checked), 3)
    folder.write_json("provenance.json", provenance.document(what, wall_s=wall_s))
    return scores


def _numbers(one: Score) -> tuple[int, ...]:
    return (one.claims, *one.counts)
