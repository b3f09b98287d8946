"""Papers with their claims, read from their folders."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ackclock.arguments import checked_as
from ackclock.errors import InputError, unknown
from ackclock.papers.claims import Claim, read_claims, read_table
from ackclock.papers.classes import ClaimClass
from ackclock.papers.loader import paper_key, part_names
from ackclock.scenarios.load import data_folder
from ackclock.toml_reader import NotToml, read_toml

__all__ = ["Paper", "PaperEntry", "list_papers", "load_paper", "paper_folder"]


@dataclass(frozen=True)
class PaperEntry:
    """A paper in the output of `list papers`."""

    key: str
    title: str
    authors: str
    year: int | None
    source: str
    statement_count: int
    """Statements of the paper that its claims judge."""
    path: Path
    parts: tuple[str, ...] = ()
    """The parts of which `reproduce --part` runs one alone."""


@dataclass(frozen=True)
class Paper:
    """A paper with its claims."""

    key: str
    title: str
    authors: str
    year: int | None
    """None if unknown."""
    source: str
    claims: tuple[Claim, ...]
    folder: Path
    claims_sha256: str
    """The hash of claims.toml, which shows any later change of a tolerance."""
    apart: Mapping[str, str] = field(default_factory=dict)
    """Groups of claims that the scorecard's sum is also given without: the prefix of their ids by title."""
    setting: Mapping[str, str] = field(default_factory=dict)
    """Levels of factors of plans/settings*.toml in the measurements; of other factors they are the first."""

    @property
    def byline(self) -> str:
        """The authors and the year."""
        authors = f"Authors {self.authors}" if self.authors.startswith("not ") else self.authors
        return authors if self.year is None else f"{authors}, {self.year}"


def paper_folder() -> Path:
    """The folder of the papers."""
    return data_folder("papers")


def list_papers() -> list[PaperEntry]:
    """All papers, by key."""
    loaded = [load_paper(path.parent) for path in sorted(paper_folder().glob("*/claims.toml"))]
    return [
        PaperEntry(
            paper.key,
            paper.title,
            paper.authors,
            paper.year,
            paper.source,
            len({claim.statement_id for claim in paper.claims if claim.claim_class is ClaimClass.PAPER}),
            paper.folder,
            part_names(paper.folder),
        )
        for paper in loaded
    ]


@checked_as(source="paper")
def load_paper(source: str | Path) -> Paper:
    """Reads a paper, named by its key or by the path of its folder. Raises InputError."""
    known = {paper_key(path.parent): path.parent for path in paper_folder().glob("*/claims.toml")}
    folder = known.get(str(source)) or Path(source)
    file = folder / "claims.toml"
    if not file.is_file():
        if folder.is_dir():
            raise InputError(f"{folder}: this folder has no claims.toml")
        raise unknown("paper", str(source), known)
    data = file.read_bytes()
    try:
        document = read_toml(data.decode())
    except (NotToml, UnicodeDecodeError) as error:
        raise InputError(f"{file}: {error}") from None
    about = document.get("paper", {})
    for key in ("key", "title", "authors"):
        if key not in about:
            raise InputError(f"{file}: paper.{key} is missing")
    ways = document.get("ways", {})
    chosen = str(about.get("chosen", ""))
    if chosen and chosen not in ways:
        raise InputError(f"{file}: paper.chosen: {unknown('way', chosen, ways)}")
    claims = tuple(
        [cell for table in document.get("table", []) for cell in read_table(table, str(file))]
        + [claim for row in document.get("claim", []) for claim in read_claims(row, ways, str(file), chosen)]
    )
    _check(claims, str(file))
    return Paper(
        key=str(about["key"]),
        title=str(about["title"]),
        authors=str(about["authors"]),
        year=int(about["year"]) if "year" in about else None,
        source=str(about.get("source", "")),
        claims=claims,
        folder=folder,
        claims_sha256=hashlib.sha256(data).hexdigest(),
        setting={str(name): str(level) for name, level in about.get("setting", {}).items()},
        apart={str(group["title"]): str(group["prefix"]) for group in document.get("apart", [])},
    )


def _check(claims: Sequence[Claim], where: str) -> None:
    """Raises InputError for a claim that appears twice, and for a statement with two classes."""
    ids = [claim.id for claim in claims]
    if len(set(ids)) < len(ids):
        raise InputError(f"{where}: claim {next(i for i in ids if ids.count(i) > 1)} stands there twice")
    classes: dict[str, ClaimClass] = {}
    for claim in claims:
        first = classes.setdefault(claim.statement_id, claim.claim_class)
        if first is not claim.claim_class:
            raise InputError(
                f"{where}: claim {claim.id}: its class is {claim.claim_class}, but another part of the "
                f"statement {claim.statement_id} is {first}"
            )
