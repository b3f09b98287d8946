"""Sweeps: every point of a grid with every algorithm over every seed, resumable, on threads or a cluster."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from ackclock.arguments import checked, checked_as
from ackclock.errors import InputError, OutputError, unknown
from ackclock.interrupts import held
from ackclock.measures import metric_names, metrics
from ackclock.provenance import version
from ackclock.report import latex, style
from ackclock.report.shown import Shown
from ackclock.report.text import counted
from ackclock.runs.parallel import Progress, run_parallel
from ackclock.scenarios.algorithms import Factory, label_of
from ackclock.sweeps import cluster, effects, responses
from ackclock.sweeps.plan import Plan, load_plan
from ackclock.sweeps.planned import PlannedRuns, planned
from ackclock.sweeps.responses import Components
from ackclock.sweeps.shards import Shard
from ackclock.sweeps.store import KEY, RUNS, Store
from ackclock.sweeps.task import Measure, PackedRows, Rows, Task, Timed, execute, execute_remotely

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ackclock.report.tables import View

__all__ = ["Sweep", "SweepInterrupted", "merge", "run_missing", "sweep"]

FLUSH_EVERY_S = 1.0
"""The interval at which rows are written: the rows of shorter runs go to the store together."""


@dataclass(frozen=True, eq=False)
class Sweep(Shown):
    """The finished runs of a plan."""

    plan: Plan
    runs: pl.DataFrame
    """One row per run: `point`, the axes, `label`, `seed`, `bottleneck`, and every metric in base units."""
    tables: Mapping[str, pl.DataFrame] = field(repr=False)
    """The tables that the plan keeps, with `point`, `label` and `seed` in front."""
    interrupted: bool = False
    """True if Ctrl-C ended it before every run was done."""
    new_runs: int = 0
    """The number of runs that were not in the store before."""

    @cached_property
    def summary(self) -> pl.DataFrame:
        """The mean over seeds with its 95 % interval, and other statistics, per point, label and metric."""
        labels = list(self.plan.algorithms)
        parts = []
        for point in self.plan.points:
            mine = self.runs.filter(pl.col("point") == point.index)
            extra = [name for name in self.measured if name not in metrics.KEYS]
            table = metrics.summary(mine, labels, extra)
            axes = [pl.lit(value).alias(name) for name, value in point.values.items()]
            parts.append(table.select(pl.lit(point.index, dtype=pl.UInt32).alias("point"), *axes, pl.all()))
        return pl.concat(parts, how="vertical_relaxed")

    @cached_property
    def measured(self) -> list[str]:
        """The columns of `runs` that hold measurements."""
        known = {"point", "label", "seed", "bottleneck", *(axis.name for axis in self.plan.axes)}
        return [name for name in self.runs.columns if name not in known]

    @checked
    def plot(self, metric: str = "goodput", *, width: float | str | None = None) -> Figure:
        """A metric, or a column of the plan's own measures, over the main axis, with 95 % confidence bands.

        `width` is in inches or a name, as "ieee-column". Raises InputError for another metric, or if nothing
        varies.
        """
        from ackclock.sweeps import figures  # noqa: PLC0415 - plotting takes a second to load

        key = self._key(metric)
        style.width_inches(width)
        drawn = figures.draw(self, key, width)
        if drawn is None or self.summary.filter(pl.col("metric") == key).is_empty():
            why = "no axis of the plan has two values" if drawn is None else "no run of the plan has it"
            raise InputError(f"{metric}: {why}")
        return drawn

    @checked
    def maps(self, metric: str = "goodput", *, width: float | str | None = None) -> list[tuple[str, Figure]]:
        """Heat maps of a metric over two axes of three values or more, one per combination of the others."""
        from ackclock.sweeps import heat_maps  # noqa: PLC0415 - as above

        key = self._key(metric)
        return heat_maps.draw(self, key, width=width)

    @checked
    def effects(self, metric: str = "goodput") -> pl.DataFrame:
        """Main effects and interactions on a metric, of a design of two levels, with 95 % intervals.

        A row per algorithm and term, in base units: see `ackclock.sweeps.effects`. Raises InputError.
        """
        return effects.effects(self, self._key(metric))

    @checked
    def sobol_indices(self, metric: str = "goodput") -> pl.DataFrame:
        """First-order and total Sobol' indices of a metric, of a design of Saltelli's. Raises InputError."""
        return effects.sobol_indices(self, self._key(metric))

    def to_xarray(self) -> Any:
        """The runs as an xarray Dataset: dimensions are the axes, the algorithms `label` and the `seed`.

        Each metric is a variable with its unit and meaning as attributes. The points of a design are no grid:
        they are the dimension `point`, with the axes as its coordinates. A run that is missing is NaN. Raises
        InputError where xarray, which is optional, is not installed.
        """
        from ackclock.sweeps import labelled_arrays  # noqa: PLC0415 - xarray is optional

        return labelled_arrays.dataset(self)

    def correlation(self) -> pl.DataFrame:
        """Pearson's correlation of the metrics over points and algorithms. Raises InputError."""
        return responses.correlation(self)

    def principal_components(self) -> Components:
        """The principal components of the standardised metrics. Raises InputError."""
        return responses.principal_components(self)

    def clusters(self) -> pl.DataFrame:
        """Ward's clustering of the algorithms by their standardised metrics, a row per merger.

        `first` and `second` list the algorithms of the two clusters that are joined, at the `distance`.
        Raises InputError.
        """
        return responses.clusters(self)

    @checked
    def response_figures(self, *, width: float | str | None = None) -> list[tuple[str, Figure]]:
        """Correlation, principal components and clusters of the metrics together, with their titles.

        Figures for which there are too few metrics, points or algorithms are left out.
        """
        from ackclock.sweeps import response_figures  # noqa: PLC0415 - as above

        style.width_inches(width)
        return [(title, figure) for _, title, figure in response_figures.together(self, width)]

    @checked
    def design_figures(
        self, metric: str = "goodput", *, width: float | str | None = None
    ) -> list[tuple[str, Figure]]:
        """The figures of a metric for the plan's design, with their titles; none without a design."""
        from ackclock.sweeps import design_figures  # noqa: PLC0415 - as above

        drawn = design_figures.of_metric(self, self._key(metric), width)
        return [(title, figure) for _, title, figure in drawn]

    def _key(self, metric: str) -> str:
        return metric if metric in self.measured else metric_names.named(metric).key

    @checked
    def save(
        self,
        folder: str | Path,
        *,
        report: bool = True,
        figure_formats: Sequence[str] = ("svg",),
        width: float | str | None = None,
    ) -> Path:
        """Writes tables, provenance and, with `report`, figures and report.html, as `ackclock sweep` does.

        The store may be a folder in it. Raises OutputError.
        """
        style.check_formats(figure_formats)
        style.width_inches(width)
        from ackclock.sweeps import report as outcome  # noqa: PLC0415 - as above

        return outcome.write(self, folder, report=report, formats=figure_formats, width=width)

    @checked_as(where="settings")
    def to_latex(
        self,
        *,
        metrics: Sequence[str] = (),
        algorithms: Sequence[str | Factory] = (),
        where: Mapping[str, object] | None = None,
    ) -> str:
        """The summary, or the effects of a design of two levels, as a `tabular` for LaTeX' package booktabs.

        It has every point and algorithm. `metrics` chooses the columns; `algorithms`, and `where` by values
        of axes, as `{"rate": "10 Mbit/s"}`, choose the rows; the note names them. Raises InputError.
        """
        from ackclock.sweeps import report as outcome  # noqa: PLC0415 - as above

        if not (metrics or algorithms or where):
            return latex.table(outcome.views(self, rows_shown=None)[0])
        rows, fixed = self.runs, {}
        known = {each.name: [one for one, _ in each.values] for each in self.plan.axes}
        by_title = {self.plan.titles[name]: name for name in known}
        for asked, value in (where or {}).items():
            axis = by_title.get(asked, by_title.get(asked[:1].lower() + asked[1:], asked))
            if axis not in known:
                raise unknown("axis", asked, [*by_title, *known])
            if value not in known[axis]:
                raise unknown(f"value of {asked}", str(value), map(str, known[axis]))
            rows, fixed[axis] = rows.filter(pl.col(axis) == value), value
        labels = [label_of(one) for one in algorithms]
        for label in labels:
            if label not in self.plan.algorithms:
                raise unknown("algorithm", label, self.plan.algorithms)
        if labels:
            rows = rows.filter(pl.col("label").is_in(labels))
        if rows.is_empty():
            raise InputError("to_latex: no run of the sweep is among these rows")
        keys = [self._key(metric) for metric in metrics]
        chosen = replace(self, runs=rows)
        return latex.table(outcome.summary_view(chosen, None, chosen=keys, fixed=fixed))

    def _heading(self) -> tuple[str, str]:
        plan = self.plan
        axes = ", ".join(f"{axis.name} ({len(axis.values)})" for axis in plan.axes) or "no axis"
        said = f"{self.runs.height} of {plan.runs} runs; {axes}; {counted(len(plan.algorithms), 'algorithm')}"
        return plan.title or plan.name, f"{said}, {counted(len(plan.seeds), 'seed')}"

    def _views(self) -> Sequence[View]:
        from ackclock.sweeps import report as outcome  # noqa: PLC0415 - as above

        return outcome.views(self)

    def _frame(self, table: str) -> pl.DataFrame:
        known = {"runs": self.runs, "summary": self.summary, **self.tables}
        if table and table not in known:
            raise unknown("table", table, known)
        return known[table or "runs"]


class SweepInterrupted(KeyboardInterrupt):
    """Ctrl-C during a sweep. Finished runs are in the store and in `partial`."""

    def __init__(self, partial: Sweep) -> None:
        super().__init__(f"interrupted after {partial.runs.height} of {partial.plan.runs} runs")
        self.partial = partial


@checked
def sweep(
    plan: str | Path | Mapping[str, object] | Plan,
    store: str | Path,
    *,
    measure: Measure | None = None,
    shard: str | None = None,
    workers: int | None = None,
    address: str | None = None,
    trust: bool = False,
    progress: Progress | None = None,
) -> Sweep:
    """Executes the runs of a plan that the store lacks, and returns all runs of the plan.

    `store` is a folder to which finished runs are appended: an interrupted or extended sweep resumes.
    `measure` adds columns to the metrics. `shard`, such as "3/40", is the part of the runs to which this call
    restricts itself; `merge` joins the stores of all parts. `workers` threads run in parallel or, with the
    `address` of a Dask scheduler, its workers; tables are equal, byte for byte. `trust` is that of
    `load_plan`. Raises ScenarioError, InputError, OutputError, and SweepInterrupted on Ctrl-C.
    """
    part = Shard.read(shard) if shard is not None else Shard(1, 1)
    loaded = load_plan(plan, trust=trust)
    runs = planned(loaded, measure, part, trust=trust)
    if not runs:
        raise InputError(
            f"shard: found {shard}; expected one of at most {loaded.runs} parts, the number of runs"
        )
    opened = Store(Path(store))
    opened.tidy()
    missing = runs.without(opened.finished())
    interrupted, new_runs = _run(missing, opened, workers, address, progress)
    with held():
        finished = _collect(runs, opened, interrupted, new_runs)
    if interrupted:
        raise SweepInterrupted(finished)
    if finished.runs.height < len(runs):
        raise OutputError(f"{store}: rows were damaged while the sweep went on; the same command repairs it")
    return finished


@checked
def merge(
    plan: str | Path | Mapping[str, object] | Plan,
    store: str | Path,
    stores: Sequence[str | Path],
    *,
    measure: Measure | None = None,
    trust: bool = False,
) -> Sweep:
    """The sweep whose runs are in several stores, which `shard` has filled; all of them go into `store`.

    Its tables are those of a sweep without shards, byte for byte. Raises InputError if a run is in no store;
    otherwise as `sweep`.
    """
    loaded = load_plan(plan, trust=trust)
    runs = planned(loaded, measure, Shard(1, 1), trust=trust)
    others = [Store.existing(Path(folder)) for folder in stores]
    opened = Store(Path(store))
    for other in others:
        opened.adopt(other)
    with held():
        finished = _collect(runs, opened, interrupted=False, new_runs=0)
    if finished.runs.height < len(runs):
        raise InputError(_lacking(opened, runs))
    return finished


def _lacking(store: Store, runs: PlannedRuns) -> str:
    """A sentence about the runs that a store lacks."""
    known = pl.DataFrame({KEY: store.finished()})
    missing = runs.of(runs.rows.join(known, on=KEY, how="anti", maintain_order="left"))
    point, task = runs.groups[missing.rows["group"][0]].point, missing[0]
    values = ", ".join(f"{name} = {value}" for name, value in point.values.items())
    first = ", ".join(filter(None, (values, task.label, f"seed {task.seed}")))
    return (
        f"{len(missing)} of {len(runs)} runs are in none of these stores, the first of them {first}; "
        f"expected the runs of every shard, made by this build of ackclock {version()}"
    )


def run_missing(
    tasks: Sequence[Task], store: Store, workers: int | None, address: str | None, progress: Progress | None
) -> tuple[bool, int]:
    """Runs the tasks that the store lacks. Returns True if Ctrl-C ended it, and the number of new runs."""
    store.tidy()
    done = store.keys()
    return _run([task for task in tasks if task.key not in done], store, workers, address, progress)


def _run(
    missing: Sequence[Task], store: Store, workers: int | None, address: str | None, progress: Progress | None
) -> tuple[bool, int]:
    writer = _Writer(store)
    interrupted = False
    try:
        if address is None:
            interrupted = run_parallel(Timed(missing), execute, writer.take, workers, progress)
        else:
            cluster.execute(address, missing, execute_remotely, writer.take_packed, progress)
    except KeyboardInterrupt:
        interrupted = True
    finally:
        with held():
            writer.flush()
    return interrupted, writer.count


class _Writer:
    """Collects rows before writing them, so that a thousand short runs do not make a thousand files."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.count = 0
        self._runs: list[Mapping[str, object]] = []
        self._tables: dict[str, list[pl.DataFrame]] = {}
        self._flushed = time.monotonic()

    def take(self, rows: Rows) -> None:
        self._runs.append(rows.run)
        for name, table in rows.tables.items():
            self._tables.setdefault(name, []).append(table)
        self.count += 1
        if time.monotonic() - self._flushed >= FLUSH_EVERY_S:
            self.flush()

    def take_packed(self, packed: PackedRows) -> None:
        self.take(packed.unpacked())

    def flush(self) -> None:
        self._flushed = time.monotonic()
        if self._runs:
            runs = pl.DataFrame(self._runs, infer_schema_length=None)
            kept = {name: pl.concat(parts) for name, parts in self._tables.items()}
            self.store.append({RUNS: runs, **kept})
        # The rows are forgotten only after they are written: a full disk may have room the next time.
        self._runs, self._tables = [], {}


def _collect(planned_runs: PlannedRuns, store: Store, interrupted: bool, new_runs: int) -> Sweep:
    """The plan's runs in the store."""
    plan = planned_runs.plan
    found = {name: _in_order(planned_runs, store, name) for name in (RUNS, *plan.keep)}
    runs = found.pop(RUNS)
    # Files come in any order, and other plans may have other measures, so the order of columns is set here.
    first = ["point", *(axis.name for axis in plan.axes), "label", "seed", "bottleneck", *metrics.KEYS]
    others = sorted(name for name in set(runs.columns) - set(first) if not runs[name].is_null().all())
    runs = runs.select([name for name in first if name in runs.columns] + others)
    return Sweep(plan, runs, found, interrupted, new_runs)


def _in_order(runs: PlannedRuns, store: Store, name: str) -> pl.DataFrame:
    """The rows of the plan's runs in a table of the store, in the plan's order."""
    found = store.rows_of(name, runs.rows[KEY])
    if found is None:
        return pl.DataFrame()
    places, rows = found
    ours = runs.rows.select("group", "seed")[places]
    return pl.concat([runs.described(ours, name == RUNS), rows], how="horizontal")
