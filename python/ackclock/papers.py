"""Papers whose claims are checked: where they are, how they are run, what comes of it.

A paper is a folder `papers/<key>/` of the repository (or any folder of this shape):

    README.md       for people: what was found, and what the paper leaves open
    claims.toml     [paper] key, title, authors, year and source if known; then one [[claim]] each (see below)
    scenarios/      TOML scenarios, used by name through `context.scenario`
    reproduce.py    `measure(context: Context) -> Mapping[str, Measured]`; uses only Ackclock's public API;
                    or the package measure/ with that function, whose modules import each other relatively

In the repository the folder of `he-tcp` is `papers/he_tcp`, a Python package: see `paper_loader`.

A claim has an `id`, a `place` in the paper, its `statement`, a `kind` with what is `expected`, and `why` the
tolerance is what it is. Kinds, and what `measure` returns for them under the claim's id:

    kind = "value"      expected = 974.8, unit, tolerance = 30 or relative_tolerance = 0.03
                        -> Values([one per seed])
    kind = "range"      expected = [0.70, 0.80], unit
                        -> Values([one per seed])
    kind = "order"      expected = ["vegas", "newreno", "tahoe"], highest first; tolerance = 0
                        -> Ordered({name: [one per seed]})
    kind = "predicate"  expected = "in words"; at_least = 1.0, the share of trials
                        -> Holds([True, ...], number)

A published table is a [[table]] with `columns` and `rows`, of which every cell becomes a claim of kind
"value" (see `read_table`); for cells that `spread` names, it is enough that the published number lies in
the range of `Values(.., spread=[one per varied run])`.

What cannot be tested is `Undecidable("why")`; so counts a claim for which `measure` returns nothing. Values
are judged by their 95 % interval: a claim stands or falls if the whole interval says so, otherwise it cannot
be decided.

`measure` runs experiments through its context, which brings workers, progress and the choice of a quick
check:

    def measure(context):
        race = context.compare(["tahoe", "vegas"], context.scenario("base"), seeds=3 if context.quick else 30)
        context.figure("race", draw(race), "What the figure shows.")          # a matplotlib figure
        context.note("What was chosen where the paper is silent.")            # a paragraph of the report
        goodput = {label: samples(race, label) for label in race.labels}
        return {"order": Ordered(goodput), "vegas-goodput": Values(goodput["vegas"])}

Results go to results/papers/<key>/: claims.json, verdicts.md, report.html, figures/, tables/,
provenance.json.
"""

from __future__ import annotations

import base64
import hashlib
import time
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from rich import box
from rich.table import Table
from rich.text import Text

from ackclock import experiments, provenance, results
from ackclock._native import Scenario
from ackclock.claims import (
    VERDICTS,
    Claim,
    Holds,
    Measured,
    Ordered,
    Undecidable,
    Values,
    Verdict,
    judge,
    read_claim,
    read_table,
)
from ackclock.errors import InputError, unknown
from ackclock.experiments import Comparison, Progress
from ackclock.folder import ResultsFolder
from ackclock.pages import environment
from ackclock.paper_loader import load_measure, paper_key
from ackclock.provenance import command_line, version
from ackclock.scenarios import data_folder, load_scenario
from ackclock.tables import clean

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure

__all__ = [
    "Claim",
    "Context",
    "Holds",
    "Measured",
    "Ordered",
    "Paper",
    "PaperEntry",
    "Reproduction",
    "Undecidable",
    "Values",
    "Verdict",
    "check",
    "list_papers",
    "load_measure",
    "load_paper",
    "paper_folder",
    "reproduce",
]

T = TypeVar("T")
Item = TypeVar("Item")
Told = Callable[[float], bool]
"""Told simulated seconds; its answer says whether to go on."""


@dataclass(frozen=True)
class PaperEntry:
    """A paper as `list papers` shows it."""

    key: str
    title: str
    authors: str
    year: int | None
    source: str
    claim_count: int
    path: Path


@dataclass(frozen=True)
class Paper:
    """A paper with its claims."""

    key: str
    title: str
    authors: str
    year: int | None
    """None if it is not known."""
    source: str
    claims: tuple[Claim, ...]
    folder: Path
    claims_sha256: str
    """Of claims.toml: tells whether tolerances were changed after a run."""

    @property
    def byline(self) -> str:
        """Authors and year."""
        return self.authors if self.year is None else f"{self.authors}, {self.year}"


def paper_folder() -> Path:
    """Where the papers are."""
    return data_folder("papers")


def list_papers() -> list[PaperEntry]:
    """All papers, by key."""
    loaded = [load_paper(path.parent) for path in sorted(paper_folder().glob("*/claims.toml"))]
    return [
        PaperEntry(
            paper.key, paper.title, paper.authors, paper.year, paper.source, len(paper.claims), paper.folder
        )
        for paper in loaded
    ]


def load_paper(source: str | Path) -> Paper:
    """A paper by key, or by the path of its folder. Raises InputError."""
    known = {paper_key(path.parent): path.parent for path in paper_folder().glob("*/claims.toml")}
    folder = known.get(str(source)) or Path(source)
    file = folder / "claims.toml"
    if not file.is_file():
        if folder.is_dir():
            raise InputError(f"{folder}: this folder has no claims.toml")
        raise unknown("paper", str(source), known)
    data = file.read_bytes()
    try:
        document = tomllib.loads(data.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: {error}") from None
    about = document.get("paper", {})
    for key in ("key", "title", "authors"):
        if key not in about:
            raise InputError(f"{file}: paper.{key} is missing")
    claims = tuple(
        [cell for table in document.get("table", []) for cell in read_table(table, str(file))]
        + [read_claim(row, str(file)) for row in document.get("claim", [])]
    )
    ids = [claim.id for claim in claims]
    if len(set(ids)) < len(ids):
        raise InputError(f"{file}: claim {next(i for i in ids if ids.count(i) > 1)} stands there twice")
    return Paper(
        key=str(about["key"]),
        title=str(about["title"]),
        authors=str(about["authors"]),
        year=int(about["year"]) if "year" in about else None,
        source=str(about.get("source", "")),
        claims=claims,
        folder=folder,
        claims_sha256=hashlib.sha256(data).hexdigest(),
    )


@dataclass(frozen=True)
class Illustration:
    """A figure of a reproduction, drawn already."""

    name: str
    caption: str
    svg: bytes
    png: bytes


@dataclass
class Context:
    """What a paper's `measure` is given.

    Experiments with progress, the paper's scenarios, places for figures.
    """

    paper: Paper
    quick: bool
    """Whether a check within a minute or two is wanted; tolerances stay, seeds and durations may shrink."""
    workers: int | None = None
    progress: Progress | None = None
    figures: list[Illustration] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    tables: dict[str, pl.DataFrame] = field(default_factory=dict)
    _expected: int = 1
    _done: int = 0

    def scenario(self, name: str, settings: Mapping[str, object] | None = None) -> Scenario:
        """A scenario of the paper's own folder, with values replaced by dotted path."""
        return load_scenario(self.paper.folder / "scenarios" / f"{name}.toml", settings)

    def expect(self, experiment_count: int) -> None:
        """Announces how many calls of `compare`, `replicate` and `each` are to come, for the time left."""
        self._expected = max(experiment_count, self._done + 1)

    def compare(
        self, algorithms: Sequence[Any] | Mapping[str, Any], scenario: Any, **options: Any
    ) -> Comparison:
        """`ackclock.compare` with this reproduction's workers and progress."""
        return self._count(
            lambda: experiments.compare(
                algorithms, scenario, workers=self.workers, progress=self._tell, **options
            )
        )

    def replicate(self, scenario: Any, **options: Any) -> Comparison:
        """`ackclock.replicate` with this reproduction's workers and progress."""
        return self._count(
            lambda: experiments.replicate(scenario, workers=self.workers, progress=self._tell, **options)
        )

    def run(self, scenario: Any, **options: Any) -> results.Result:
        """`ackclock.run`."""
        return results.run(scenario, **options)

    def each(self, items: Sequence[tuple[float, Item]], work: Callable[[Item, Told], T]) -> list[T]:
        """What `work` makes of every item, in their order: for sets of runs too many to keep whole.

        Items stand with their simulated seconds. `work` gets the item and what to hand to `run` as its
        `progress`. Raises KeyboardInterrupt.
        """
        found: dict[int, T] = {}

        def numbered(item: tuple[int, Item], told: Told) -> tuple[int, T]:
            return item[0], work(item[1], told)

        def keep(outcome: tuple[int, T]) -> None:
            found[outcome[0]] = outcome[1]

        together = [(seconds, (index, item)) for index, (seconds, item) in enumerate(items)]
        stopped = self._count(
            lambda: experiments.side_by_side(together, numbered, keep, self.workers, self._tell)
        )
        if stopped:
            raise KeyboardInterrupt
        return [found[index] for index in range(len(items))]

    def figure(self, name: str, figure: Figure, caption: str) -> None:
        """Keeps a matplotlib figure under figures/<name> and shows it in the report."""
        from ackclock.figures import image  # noqa: PLC0415 - a check without figures loads no matplotlib

        about = {
            "Title": f"{self.paper.key}: {name}",
            "Description": f"{caption} ackclock {version()}; command: {command_line()}",
        }
        self.figures.append(
            Illustration(name, caption, image(figure, "svg", about), image(figure, "png", about))
        )

    def note(self, text: str) -> None:
        """A paragraph for the report and verdicts.md: what was chosen, and why."""
        self.notes.append(" ".join(text.split()))

    def table(self, name: str, table: pl.DataFrame) -> None:
        """Keeps a table as tables/<name>.parquet."""
        self.tables[name] = table

    def _count(self, work: Callable[[], T]) -> T:
        try:
            return work()
        finally:
            self._done += 1
            self._expected = max(self._expected, self._done)

    def _tell(self, done: float, total: float) -> None:
        if self.progress:
            self.progress(self._done + done / total, max(self._expected, self._done + 1))


@dataclass(frozen=True)
class Reproduction:
    """What became of a paper's claims."""

    paper: Paper
    quick: bool
    verdicts: tuple[Verdict, ...]
    notes: tuple[str, ...]
    figures: tuple[Illustration, ...] = field(repr=False)
    tables: Mapping[str, pl.DataFrame] = field(repr=False)
    wall_s: float = field(compare=False)

    @property
    def counts(self) -> dict[str, int]:
        """How many claims got which verdict."""
        return {kind: sum(verdict.verdict == kind for verdict in self.verdicts) for kind in VERDICTS}

    def count(self) -> str:
        """How many claims got which verdict, in one line."""
        return f"{len(self.verdicts)} claims: " + ", ".join(
            f"{number} {kind}" for kind, number in self.counts.items() if number
        )

    def document(self, folder: str | None = None) -> dict[str, object]:
        """Everything for JSON."""
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
        """Writes everything into a folder that is open already."""
        folder.write_json("claims.json", clean(self.document()))
        folder.write_text("verdicts.md", self.markdown())
        folder.write_text("report.html", self.html())
        for figure in self.figures:
            folder.write_bytes(f"figures/{figure.name}.svg", figure.svg)
            folder.write_bytes(f"figures/{figure.name}.png", figure.png)
        for name, table in self.tables.items():
            folder.write_table(name, table)
        result = {
            "what": "reproduction",
            "paper": self.paper.key,
            "claims_sha256": self.paper.claims_sha256,
            "quick": self.quick,
        }
        folder.write_json("provenance.json", provenance.document(result, wall_s=round(self.wall_s, 3)))

    def save(self, folder: str | Path) -> Path:
        """Writes a results folder and returns its path. Raises OutputError; nothing half-written stays."""
        with ResultsFolder(folder) as opened:
            self.write(opened)
            return opened.commit()


def check(
    paper: Paper, *, quick: bool = False, workers: int | None = None, progress: Progress | None = None
) -> Reproduction:
    """Measures what a paper claims and judges every claim.

    Raises InputError for a paper that is not in order.
    """
    begun = time.monotonic()
    context = Context(paper, quick, workers, progress)
    measured = dict(load_measure(paper.folder).measure(context))
    strangers = sorted(set(measured) - {claim.id for claim in paper.claims})
    if strangers:
        raise InputError(
            f"{paper.folder}/reproduce.py measures what claims.toml does not list: {', '.join(strangers)}"
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

    Raises InputError for one that does not exist.
    """
    return check(load_paper(paper), quick=quick, workers=workers, progress=progress)
