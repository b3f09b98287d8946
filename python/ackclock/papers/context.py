"""The context of a paper's `measure`: it runs experiments, and keeps figures, notes and tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeVar

from ackclock._native import Scenario
from ackclock.papers.competitors import Competitor, refuse_known, written
from ackclock.papers.paper import Paper
from ackclock.provenance import command_line, version
from ackclock.runs.compare import compare, replicate
from ackclock.runs.parallel import Progress, ProgressCallback, run_parallel
from ackclock.runs.result import Comparison, Result
from ackclock.runs.simulate import run
from ackclock.scenarios.algorithms import Factory
from ackclock.scenarios.load import Source, load_scenario

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure as MatplotlibFigure

__all__ = ["Context", "Figure"]

T = TypeVar("T")
Item = TypeVar("Item")


@dataclass(frozen=True)
class Figure:
    """A drawn figure of a reproduction."""

    name: str
    caption: str
    svg: bytes
    make_png: Callable[[], bytes] = field(repr=False, compare=False)
    """Renders it as PNG, which only a saved figure needs."""

    @cached_property
    def png(self) -> bytes:
        """The figure as PNG, rendered when it is asked for first."""
        return self.make_png()


@dataclass
class Context:
    """The argument of a paper's `measure`: experiments with progress, the paper's scenarios, its figures."""

    paper: Paper
    quick: bool
    """True for a check within a minute or two: seeds and durations may shrink, tolerances do not change."""
    workers: int | None = None
    progress: Progress | None = None
    figures: list[Figure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    tables: dict[str, pl.DataFrame] = field(default_factory=dict)
    parts: tuple[str, ...] = ()
    """The parts of the paper to run, out of its `PARTS`; empty for all."""
    competitors: tuple[Competitor, ...] = ()
    """The algorithms that the user adds to those of the paper."""
    answers: dict[str, pl.DataFrame] = field(default_factory=dict)
    """The tables, by title, in which competitors stand next to the paper's algorithms."""
    _expected: int = 1
    _done: int = 0

    @property
    def classes(self) -> dict[str, Factory]:
        """The Python classes among the competitors, by their names in specifications."""
        return {name: made for one in self.competitors for name, made in one.classes.items()}

    def with_competitors(
        self, algorithms: Mapping[str, str], standard: str, over: str = ""
    ) -> dict[str, str]:
        """Algorithms of the paper by label, and the competitors, each in the place of the standard.

        See `Competitor.in_place_of`. Raises InputError for a competitor with a label of the paper's.
        """
        for one in self.competitors:
            refuse_known(one, algorithms, self.paper.key)
        return {
            **algorithms,
            **{one.label: one.in_place_of(standard, over=over) for one in self.competitors},
        }

    def written(self, spec: str) -> str:
        """The shortest specification of an algorithm, as the tables of a run have it."""
        return written(spec, self.classes)

    def scenario(self, name: str, settings: Mapping[str, object] | None = None) -> Scenario:
        """A scenario in the paper's own folder, with values replaced by dotted path."""
        return self.load(self.paper.folder / "scenarios" / f"{name}.toml", settings)

    def load(self, source: Source, settings: Mapping[str, object] | None = None) -> Scenario:
        """`ackclock.load_scenario`; the scenario may name the competitors."""
        return load_scenario(source, settings, custom=tuple(self.classes))

    def expect(self, experiment_count: int) -> None:
        """Announces the number of calls of `compare`, `replicate` and `each`, to estimate the time left."""
        self._expected = max(experiment_count, self._done + 1)

    def compare(
        self, algorithms: Sequence[Any] | Mapping[str, Any], scenario: Any, **options: Any
    ) -> Comparison:
        """`ackclock.compare` with this reproduction's workers and progress.

        Specifications may name competitors.
        """
        given = algorithms if isinstance(algorithms, Mapping) else {}
        mine = {label: made for label, spec in given.items() if (made := self._class_of(spec))}
        if not mine:
            return self._compared(algorithms, scenario, options)
        # The label of a class names its recovery.
        labels = {given[label] if label in mine else label: label for label in given}
        classes = {given[label] if label in mine else label: mine.get(label, given[label]) for label in given}
        found = self._compared(classes, scenario, options)
        return replace(
            found,
            labels=tuple(labels[label] for label in found.labels),
            results=tuple(replace(result, label=labels[result.label]) for result in found.results),
        )

    def _compared(self, algorithms: Any, scenario: Any, options: Mapping[str, Any]) -> Comparison:
        return self._count(
            lambda: compare(algorithms, scenario, workers=self.workers, progress=self._tell, **options)
        )

    def _class_of(self, spec: object) -> Factory | None:
        """The class of a competitor that a specification names."""
        named = (made for name, made in self.classes.items() if str(spec).endswith(f"+{name}"))
        return next(named, None) if isinstance(spec, str) else None

    def replicate(self, scenario: Any, **options: Any) -> Comparison:
        """`ackclock.replicate` with this reproduction's workers and progress."""
        return self._count(lambda: replicate(scenario, workers=self.workers, progress=self._tell, **options))

    def run(self, scenario: Any, **options: Any) -> Result:
        """`ackclock.run`; the scenario may name the competitors."""
        return run(scenario, **{"algorithms": self.classes, **options})

    def each(
        self, items: Sequence[tuple[float, Item]], work: Callable[[Item, ProgressCallback], T]
    ) -> list[T]:
        """The outcomes of `work` on every item, in order: for sets of runs that do not fit into memory.

        Each item comes with its simulated seconds. `work` takes the item and a callback for the argument
        `progress` of `run`. Raises KeyboardInterrupt.
        """
        found: dict[int, T] = {}

        def numbered(item: tuple[int, Item], callback: ProgressCallback) -> tuple[int, T]:
            return item[0], work(item[1], callback)

        def keep(outcome: tuple[int, T]) -> None:
            found[outcome[0]] = outcome[1]

        together = [(seconds, (index, item)) for index, (seconds, item) in enumerate(items)]
        stopped = self._count(lambda: run_parallel(together, numbered, keep, self.workers, self._tell))
        if stopped:
            raise KeyboardInterrupt
        return [found[index] for index in range(len(items))]

    def figure(self, name: str, figure: MatplotlibFigure, caption: str) -> None:
        """Writes a matplotlib figure to figures/<name> and shows it in the report."""
        from ackclock.report.figures import image  # noqa: PLC0415 - a check without figures loads no matplotlib

        about = {
            "Title": f"{self.paper.key}: {name}",
            "Description": f"{caption} ackclock {version()}; command: {command_line()}",
        }
        svg = image(figure, "svg", about)
        self.figures.append(Figure(name, caption, svg, partial(image, figure, "png", about)))

    def note(self, text: str) -> None:
        """Adds a paragraph to the report and verdicts.md: a choice, and the reason for it."""
        self.notes.append(" ".join(text.split()))

    def table(self, name: str, table: pl.DataFrame) -> None:
        """Writes a table to tables/<name>.parquet."""
        self.tables[name] = table

    def answer(self, title: str, table: pl.DataFrame) -> None:
        """A table in which the competitors stand next to the paper's algorithms: the command prints it."""
        if self.competitors:
            self.answers[title] = table

    def _count(self, work: Callable[[], T]) -> T:
        try:
            return work()
        finally:
            self._done += 1
            self._expected = max(self._expected, self._done)

    def _tell(self, done: float, total: float) -> None:
        if self.progress:
            self.progress(self._done + done / total, max(self._expected, self._done + 1))
