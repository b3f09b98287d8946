"""Reproductions: the measurements for a paper's claims, the verdicts, and the files that hold them."""

from __future__ import annotations

import base64
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from rich.table import Table

from ackclock import provenance
from ackclock.arguments import checked
from ackclock.errors import InputError, unknown
from ackclock.papers.competitors import competitors
from ackclock.papers.context import Context, Figure
from ackclock.papers.judge import ClaimVerdict, judge
from ackclock.papers.loader import load_measure
from ackclock.papers.paper import Paper, load_paper, paper_folder
from ackclock.papers.searched import Searched
from ackclock.papers.statements import Statement, statements
from ackclock.papers.tally import Tally, tally
from ackclock.papers.verdict_tables import by_class, verdict_tables, verdict_view
from ackclock.provenance import command_line, version
from ackclock.report.json_text import clean
from ackclock.report.tables import Cell, View
from ackclock.report.templates import html_page
from ackclock.results_folder import ResultsFolder
from ackclock.runs.parallel import Progress
from ackclock.scenarios.algorithms import Factory

if TYPE_CHECKING:
    import polars as pl

__all__ = ["KIND", "Reproduction", "check", "reproduce"]

REPOSITORY = "https://github.com/ackclock/ackclock/blob/main/"
"""Where what a paper's evidence links to is, for those who have the package alone."""

KIND = "reproduction"
"""The kind of a paper's folder in its provenance."""


@dataclass(frozen=True)
class Reproduction:
    """The verdicts on a paper's claims, with notes, figures and tables."""

    paper: Paper
    quick: bool
    verdicts: tuple[ClaimVerdict, ...]
    """One for each claim."""
    notes: tuple[str, ...]
    figures: tuple[Figure, ...] = field(repr=False)
    tables: Mapping[str, pl.DataFrame] = field(repr=False)
    wall_s: float = field(compare=False)
    measured_by: Mapping[str, str | None] = field(default_factory=dict)
    """The version, commit and date of the measurements if they were judged again, and the parts that were
    measured separately."""
    parts: tuple[str, ...] = ()
    """The parts of the paper that were run, if not all: there are verdicts on their claims alone."""
    competitors: tuple[str, ...] = ()
    """The algorithms, by label, that a user added to those of the paper. No claim is about them."""
    answers: Mapping[str, pl.DataFrame] = field(default_factory=dict, repr=False)
    """The tables, by title, in which they stand next to the paper's algorithms."""
    searched: tuple[Searched, ...] = ()
    """The searches of the settings that the paper leaves open, as the folder of the measurements has them."""

    @property
    def statements(self) -> tuple[Statement, ...]:
        """The statements that the claims judge, each with one verdict."""
        return tuple(statements(self.verdicts, self.searched))

    @property
    def tally(self) -> Tally:
        """The number of statements with each verdict, and the number of statements outside the sum."""
        return tally(self.statements)

    def count(self) -> str:
        """The number of statements with each verdict, in one line."""
        return self.tally.words()

    def failures(self) -> list[str]:
        """A line for each statement in the sum that is not reproduced."""
        return [
            f"{self.paper.key}: {statement.id} is not reproduced: {statement.text}"
            for statement in self.statements
            if statement.counts and statement.verdict == "not reproduced"
        ]

    def document(self, folder: str | None = None) -> dict[str, object]:
        """The reproduction as a JSON object."""
        paper = self.paper
        made = {"version": version(), "commit": provenance.git_commit(), "date": provenance.now()}
        return {
            "schema": "ackclock-reproduction/1",
            "command": "reproduce",
            "version": version(),
            "paper": {
                "key": paper.key,
                "title": paper.title,
                "authors": paper.authors,
                "year": paper.year,
                "source": paper.source,
                "claims_sha256": paper.claims_sha256,
            },
            "quick": self.quick,
            "parts": list(self.parts),
            "competitors": list(self.competitors),
            "answers": {title: table.to_dicts() for title, table in self.answers.items()},
            "summary": self.count(),
            "tally": self.tally.document(),
            "measured_by": dict(self.measured_by) or made,
            "statements": [_statement_document(statement) for statement in self.statements],
            "claims": [verdict.document() for verdict in self.verdicts],
            "notes": list(self.notes),
            "folder": folder,
            "report": f"{folder}/report.html" if folder else None,
        }

    def markdown(self) -> str:
        """The verdicts as Markdown, a table per class of claims."""
        quick = " (quick check)" if self.quick else ""
        quick += f" (of {', '.join(self.parts)} alone)" if self.parts else ""
        head = f"# {self.paper.title}\n\n{self.paper.byline}.\n{self.count()}{quick}.\n\n"
        notes = "".join(f"\n{note}\n" for note in self.notes)
        text = head + verdict_tables(self.statements) + notes
        # Evidence has links relative to the paper's folder, which a results folder is not.
        return re.sub(r"\]\(([^)#\s][^)\s]*)\)", lambda found: f"]({self._published(found[1])})", text)

    def _published(self, target: str) -> str:
        """Where the target of a link of a paper of ours is for everybody; that of another paper is left."""
        if self.paper.folder.parent != paper_folder():
            return target
        return urljoin(f"{REPOSITORY}papers/{self.paper.folder.name}/", target)

    def evidence_files(self) -> dict[str, Path]:
        """The files to which the evidence links, by their place in the results folder."""
        folder = self.paper.folder.resolve()
        root = folder.parents[1] if self.paper.folder.parent == paper_folder() else folder
        causes = [statement.cause for statement in self.statements if statement.cause]
        targets = {target.partition("#")[0] for cause in causes for _, target in cause.pieces}
        paths = {(self.paper.folder / target).resolve() for target in targets if target}
        return {
            f"evidence/{path.relative_to(root).as_posix()}": path
            for path in sorted(paths)
            if path.is_relative_to(root) and path.is_file()
        }

    def _evidence(self, statement: Statement) -> list[tuple[str, str]]:
        """The pieces of a statement's evidence, with links that the report can follow."""
        places = {path: place for place, path in self.evidence_files().items()}

        def link(target: str) -> str:
            file, mark, part = target.partition("#")
            place = places.get((self.paper.folder / file).resolve()) if file else None
            return f"{place}{mark}{part}" if place else self._published(target) if target else ""

        return [(text, link(target)) for text, target in (statement.cause.pieces if statement.cause else ())]

    def rich(self) -> Table:
        """The verdicts for a terminal."""
        return verdict_view(self.statements)

    def answer_views(self) -> list[View]:
        """The tables with the competitors, for display."""
        return [
            View(
                title,
                tuple((name, "") for name in table.columns),
                tuple(tuple(Cell(str(value)) for value in row) for row in table.iter_rows()),
            )
            for title, table in self.answers.items()
        ]

    def html(self) -> str:
        """The report as the text of one self-contained HTML page."""
        pictures = [
            (figure.name, figure.caption, base64.b64encode(figure.svg).decode()) for figure in self.figures
        ]
        return html_page(
            "paper.html.j2",
            paper=self.paper,
            reproduction=self,
            groups=by_class(self.statements),
            pictures=pictures,
            answers=self.answer_views(),
            evidence={statement.id: self._evidence(statement) for statement in self.statements},
            files=["claims.json", "verdicts.md", *(f"tables/{name}.parquet" for name in self.tables)],
            provenance=[
                ("Command", command_line()),
                *self._measured_before(),
                ("Claims", f"claims.toml, SHA-256 {self.paper.claims_sha256}"),
                ("Ackclock", provenance.described_version(provenance.git_commit())),
                ("Took", f"{self.wall_s:.0f} s"),
            ],
        )

    def _measured_before(self) -> list[tuple[str, str]]:
        made = ", ".join(str(value) for value in self.measured_by.values() if value)
        return [("Measured by", f"ackclock {made}; judged again since")] if made else []

    def write(self, folder: ResultsFolder) -> None:
        """Writes everything into an open folder."""
        folder.write_json("claims.json", clean(self.document()))
        folder.write_text("verdicts.md", self.markdown())
        folder.write_text("report.html", self.html())
        for figure in self.figures:
            folder.write_bytes(f"figures/{figure.name}.svg", figure.svg)
            folder.write_bytes(f"figures/{figure.name}.png", figure.png)
        for name, table in self.tables.items():
            folder.write_table(name, table)
        for place, path in self.evidence_files().items():
            folder.write_bytes(place, path.read_bytes())
        result = {
            "what": KIND,
            "paper": self.paper.key,
            "claims_sha256": self.paper.claims_sha256,
            "quick": self.quick,
        } | ({"measured_by": dict(self.measured_by)} if self.measured_by else {})
        folder.write_json("provenance.json", provenance.document(result, wall_s=round(self.wall_s, 3)))

    @checked
    def save(self, folder: str | Path) -> Path:
        """Writes a results folder and returns its path. Raises OutputError, leaving no partial folder."""
        with ResultsFolder(folder, (KIND,)) as opened:
            self.write(opened)
            return opened.commit()


def check(
    paper: Paper,
    *,
    quick: bool = False,
    parts: Sequence[str] = (),
    algorithms: Sequence[str | Factory] = (),
    workers: int | None = None,
    trust: bool = False,
    progress: Progress | None = None,
) -> Reproduction:
    """Runs a paper's experiments and judges every claim, or those of some of its parts.

    Raises InputError for a paper that is not valid, has no such part, or compares no `algorithms`.
    """
    begun = time.monotonic()
    module = load_measure(paper.folder)
    for part in parts:
        if part not in (named := getattr(module, "PARTS", ())):
            if not named:
                raise InputError(f"{paper.key} has no parts; leave --part out")
            raise unknown(f"part of {paper.key}", part, named)
    added = competitors(algorithms, trust=trust)
    if added and not parts:
        if not hasattr(module, "COMPARES"):
            raise InputError(f"{paper.key}: no experiment of this paper takes further algorithms")
        parts = module.COMPARES
    context = Context(paper, quick, workers, progress, parts=tuple(parts), competitors=added)
    measured = dict(module.measure(context))
    strangers = sorted(set(measured) - {claim.id for claim in paper.claims})
    if strangers:
        raise InputError(
            f"{paper.folder}: measure returns what claims.toml does not list: {', '.join(strangers)}"
        )
    return Reproduction(
        paper=paper,
        quick=quick,
        verdicts=tuple(
            judge(claim, measured.get(claim.id))
            for claim in paper.claims
            if claim.id in measured or not parts
        ),
        notes=tuple(context.notes),
        figures=tuple(context.figures),
        tables=context.tables,
        wall_s=time.monotonic() - begun,
        parts=tuple(parts),
        competitors=tuple(one.label for one in added),
        answers=context.answers,
    )


@checked
def reproduce(
    paper: str | Path,
    *,
    quick: bool = False,
    parts: Sequence[str] = (),
    algorithms: Sequence[str | Factory] = (),
    workers: int | None = None,
    trust: bool = False,
    progress: Progress | None = None,
) -> Reproduction:
    """Checks the claims of a paper, named by its key or its folder, or those of some of its parts.

    `algorithms`, specifications or Python classes, compete with those of the paper in the experiments that
    take them: `figures` and `answers` have one more line for each. `trust` is that of `run`.
    Raises InputError if there is no such paper or part, or if it is not valid.
    """
    return check(
        load_paper(paper),
        quick=quick,
        parts=parts,
        algorithms=algorithms,
        workers=workers,
        trust=trust,
        progress=progress,
    )


def _statement_document(statement: Statement) -> dict[str, object]:
    cause = statement.cause
    return {
        "id": statement.id,
        "class": str(statement.claim_class),
        "counts": statement.counts,
        "verdict": statement.verdict,
        "robustness": statement.robustness.words if statement.robustness else None,
        "cause": str(cause.kind) if cause else None,
        "evidence": cause.evidence if cause else None,
        "claims": [verdict.claim.id for verdict in statement.verdicts],
    }
