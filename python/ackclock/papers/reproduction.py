"""Reproductions: the measurements for a paper's claims, the verdicts, and the files that hold them."""

from __future__ import annotations

import base64
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

from ackclock import provenance
from ackclock.errors import InputError
from ackclock.papers.context import Context, Figure
from ackclock.papers.judge import VERDICTS, ClaimVerdict, judge
from ackclock.papers.loader import load_measure
from ackclock.papers.paper import Paper, load_paper
from ackclock.provenance import command_line, version
from ackclock.report.tables import clean
from ackclock.report.templates import environment
from ackclock.results_folder import ResultsFolder
from ackclock.runs.parallel import Progress

if TYPE_CHECKING:
    import polars as pl

__all__ = ["KIND", "Reproduction", "check", "reproduce"]

KIND = "reproduction"
"""The kind of a paper's folder in its provenance."""


@dataclass(frozen=True)
class Reproduction:
    """The verdicts on a paper's claims, with notes, figures and tables."""

    paper: Paper
    quick: bool
    verdicts: tuple[ClaimVerdict, ...]
    notes: tuple[str, ...]
    figures: tuple[Figure, ...] = field(repr=False)
    tables: Mapping[str, pl.DataFrame] = field(repr=False)
    wall_s: float = field(compare=False)

    @property
    def counts(self) -> dict[str, int]:
        """The number of claims with each verdict."""
        return {kind: sum(verdict.verdict == kind for verdict in self.verdicts) for kind in VERDICTS}

    def count(self) -> str:
        """The number of claims with each verdict, in one line."""
        return f"{len(self.verdicts)} claims: " + ", ".join(
            f"{number} {kind}" for kind, number in self.counts.items() if number
        )

    def document(self, folder: str | None = None) -> dict[str, object]:
        """The reproduction as a JSON object."""
        paper = self.paper
        return {
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
            "summary": self.count(),
            "claims": [verdict.document() for verdict in self.verdicts],
            "notes": list(self.notes),
            "folder": folder,
            "report": f"{folder}/report.html" if folder else None,
        }

    def markdown(self) -> str:
        """The verdicts as a Markdown table."""
        lines = [
            f"# {self.paper.title}",
            "",
            f"{self.paper.authors}, {self.paper.year}.",
            f"{self.count()}{' (quick check)' if self.quick else ''}.",
            "",
            "| claim | place | statement | expected | measured | verdict |",
            "|---|---|---|---|---|---|",
        ]
        for verdict in self.verdicts:
            claim = verdict.claim
            found = verdict.finding + (f" ({verdict.note})" if verdict.note else "")
            cells = (
                claim.id,
                claim.place,
                claim.statement,
                claim.expectation,
                found,
                f"**{verdict.verdict}**",
            )
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        lines += [""] + [f"{note}\n" for note in self.notes]
        return "\n".join(lines).rstrip() + "\n"

    def rich(self) -> Table:
        """The verdicts for a terminal."""
        table = Table(box=box.SIMPLE_HEAD, header_style="bold")
        for heading, ratio in (("claim", 3), ("place", 2), ("expected", 4), ("measured", 4)):
            table.add_column(heading, ratio=ratio, overflow="fold")
        table.add_column("verdict", no_wrap=True)
        colours = dict(zip(VERDICTS, ("green", "red", "yellow"), strict=True))
        for verdict in self.verdicts:
            claim = verdict.claim
            table.add_row(
                Text(claim.id),
                Text(claim.place),
                Text(claim.expectation),
                Text(verdict.finding),
                Text(verdict.verdict, style=colours[verdict.verdict]),
            )
        return table

    def html(self) -> str:
        """The report as the text of one self-contained HTML page."""
        pictures = [
            (figure.name, figure.caption, base64.b64encode(figure.svg).decode()) for figure in self.figures
        ]
        return (
            environment()
            .get_template("paper.html.j2")
            .render(
                paper=self.paper,
                reproduction=self,
                pictures=pictures,
                provenance=[
                    ("Command", command_line()),
                    ("Claims", f"claims.toml, SHA-256 {self.paper.claims_sha256}"),
                    ("Ackclock", provenance.described_version(provenance.git_commit())),
                    ("Took", f"{self.wall_s:.0f} s"),
                ],
            )
        )

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
        result = {
            "what": KIND,
            "paper": self.paper.key,
            "claims_sha256": self.paper.claims_sha256,
            "quick": self.quick,
        }
        folder.write_json("provenance.json", provenance.document(result, wall_s=round(self.wall_s, 3)))

    def save(self, folder: str | Path) -> Path:
        """Writes a results folder and returns its path. Raises OutputError, leaving no partial folder."""
        with ResultsFolder(folder, (KIND,)) as opened:
            self.write(opened)
            return opened.commit()


def check(
    paper: Paper, *, quick: bool = False, workers: int | None = None, progress: Progress | None = None
) -> Reproduction:
    """Runs a paper's experiments and judges every claim. Raises InputError for a paper that is not valid."""
    begun = time.monotonic()
    context = Context(paper, quick, workers, progress)
    measured = dict(load_measure(paper.folder).measure(context))
    strangers = sorted(set(measured) - {claim.id for claim in paper.claims})
    if strangers:
        raise InputError(
            f"{paper.folder}: measure returns what claims.toml does not list: {', '.join(strangers)}"
        )
    return Reproduction(
        paper=paper,
        quick=quick,
        verdicts=tuple(judge(claim, measured.get(claim.id)) for claim in paper.claims),
        notes=tuple(context.notes),
        figures=tuple(context.figures),
        tables=context.tables,
        wall_s=time.monotonic() - begun,
    )


def reproduce(
    paper: str | Path, *, quick: bool = False, workers: int | None = None, progress: Progress | None = None
) -> Reproduction:
    """Checks the claims of a paper, named by its key or its folder.

    Raises InputError if there is no such paper, or if it is not valid.
    """
    return check(load_paper(paper), quick=quick, workers=workers, progress=progress)
