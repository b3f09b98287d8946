"""Results: the tables of one run, and the runs of a comparison with their statistics."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ackclock._native import Scenario
from ackclock.arguments import checked, checked_as
from ackclock.errors import InputError, unknown
from ackclock.measures import competitors, groups, metric_names, metrics
from ackclock.report import latex, style
from ackclock.report.shown import Shown
from ackclock.report.tables import View, flow_view, link_view, summary_view
from ackclock.report.text import counted
from ackclock.results_folder import ResultsFolder
from ackclock.runs import written
from ackclock.runs.tables import TABLES, Tables
from ackclock.scenarios.algorithms import Factory, recovery_of
from ackclock.scenarios.together import TOGETHER

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "KINDS",
    "Comparison",
    "Interrupted",
    "Result",
]

KINDS = ("run", "comparison")
"""The kinds of a run's and a comparison's folder in their provenance; either may replace the other."""


@dataclass(frozen=True, eq=False)
class Result(Shown):
    """The result of one simulation. Equal scenarios and seeds give equal tables on every machine.

    Every column has its unit in its name: `goodput_bit_per_s`, `mean_cwnd_packets`, `mean_rtt_s`. Averages
    are over [warm_up, end]. Values that do not exist are NaN. A table that the scenario does not record, as
    `drops` without `series=True`, raises InputError, and `name in result.tables` is False.
    """

    scenario: Scenario
    label: str
    """The name in a comparison: the algorithm, or the scenario's name."""
    tables: Tables = field(repr=False)
    events: int
    """The number of events that the engine handled."""
    packets_delivered: int
    """The number of data packets that reached their receivers."""
    conserved: bool
    """True if every packet sent was delivered, dropped or still in flight at the end."""
    finished_at_s: float
    """The simulated time at the end, in seconds."""
    captures: Mapping[str, bytes] = field(repr=False, default_factory=dict)
    """Packet captures by link direction, as pcapng files."""
    qlogs: Mapping[str, bytes] = field(repr=False, default_factory=dict)
    """The qlogs of TCP senders and QUIC stacks, by flow, as JSON text sequences (`.sqlog`)."""
    classes: Mapping[str, Factory] = field(repr=False, compare=False, default_factory=dict)
    """The Python classes that its algorithms are, by name."""
    cpu_s: float = field(compare=False, default=float("nan"))
    """The processor seconds that the simulation took; they depend on the machine and are in no table."""

    @property
    def seed(self) -> int:
        """The seed of all random streams."""
        return self.scenario.seed

    @property
    def recovery(self) -> str:
        """The loss recovery of flows that name no algorithm, or their transport other than TCP."""
        tcp = json.loads(self.scenario.to_json()).get("tcp", {})
        return recovery_of(tcp.get("algorithm", "newreno"))

    @checked_as(name="kind")
    def columns(self, name: str) -> Mapping[str, np.ndarray | list[str]]:
        """The columns of a table by name, without a data frame: arrays of numbers, lists of texts."""
        return self.tables.columns(name)

    @property
    def flows(self) -> pl.DataFrame:
        """One row per flow."""
        return self.tables["flows"]

    @property
    def links(self) -> pl.DataFrame:
        """One row per link direction."""
        return self.tables["links"]

    @property
    def packets(self) -> pl.DataFrame:
        """One row per packet that came out of a link direction named in `trace.packets`."""
        return self.tables["packets"]

    @property
    def flow_series(self) -> pl.DataFrame:
        """Window, round-trip time and rate of each flow over time."""
        return self.tables["flow_series"]

    @property
    def link_series(self) -> pl.DataFrame:
        """The queue of each link direction over time."""
        return self.tables["link_series"]

    @property
    def network_series(self) -> pl.DataFrame:
        """All flows together over time: those active, their mean window, packets sent and lost."""
        return self.tables["network_series"]

    @property
    def transfers(self) -> pl.DataFrame:
        """One row per file that a flow sent."""
        return self.tables["transfers"]

    @property
    def transfer_classes(self) -> pl.DataFrame:
        """Files by size, in classes of powers of two."""
        return self.tables["transfer_classes"]

    @property
    def timeouts(self) -> pl.DataFrame:
        """Timeouts of each flow by their number in a row."""
        return self.tables["timeouts"]

    @property
    def epochs(self) -> pl.DataFrame:
        """Epochs of each flow by the number of packets that it sent in them."""
        return self.tables["epochs"]

    @property
    def silences(self) -> pl.DataFrame:
        """One row per silence, in which a flow sends nothing for an epoch or longer."""
        return self.tables["silences"]

    @property
    def users(self) -> pl.DataFrame:
        """One row per user of a pool of connections."""
        return self.tables["users"]

    @property
    def pages(self) -> pl.DataFrame:
        """One row per page that a user asked for."""
        return self.tables["pages"]

    @property
    def objects(self) -> pl.DataFrame:
        """One row per object of each page of a browser."""
        return self.tables["objects"]

    @property
    def responses(self) -> pl.DataFrame:
        """One row per request of a client and its response."""
        return self.tables["responses"]

    @property
    def calls(self) -> pl.DataFrame:
        """One row per call, with percentiles of delay and loss; no columns without a call."""
        return self.tables["calls"]

    @property
    def freezes(self) -> pl.DataFrame:
        """One row per freeze of a call."""
        return self.tables["freezes"]

    @property
    def films(self) -> pl.DataFrame:
        """One row per viewer of a film: rate, freezes, quality of experience; no columns without a viewer."""
        return self.tables["films"]

    @property
    def segments(self) -> pl.DataFrame:
        """One row per segment of a film that a viewer requested; no columns without a viewer."""
        return self.tables["segments"]

    @property
    def incidents(self) -> pl.DataFrame:
        """One row per TCP flow with window probes, resets or Fast Open; no columns without one."""
        return self.tables["incidents"]

    @property
    def drops(self) -> pl.DataFrame:
        """One row per dropped packet."""
        return self.tables["drops"]

    @property
    def gauges(self) -> pl.DataFrame:
        """Internal quantities that controllers observe, over time."""
        return self.tables["gauges"]

    @property
    def flow_events(self) -> pl.DataFrame:
        """Events of each flow in each interval: timeouts, recoveries, slow starts left."""
        return self.tables["flow_events"]

    @checked
    def save(
        self,
        folder: str | Path,
        *,
        report: bool = True,
        figure_formats: Sequence[str] = (),
        width: float | str | None = None,
    ) -> Path:
        """Writes a results folder and returns its path.

        With `report`, the folder has report.html as well, and figures in each of the formats ("svg", "png",
        "pdf"), of a width as in `plot`. Raises OutputError if the folder cannot be written or another
        program made it, and then leaves no partial folder; InputError for another format.
        """
        return self._alone().save(folder, report=report, figure_formats=figure_formats, width=width)

    @checked
    def plot(self, what: str | None = None, *, width: float | str | None = None) -> Figure:
        """A matplotlib figure of the run: see `Comparison.plot`. Time series need `run(.., series=True)`."""
        return self._alone().plot(what, width=width)

    def _alone(self) -> Comparison:
        return Comparison(self.scenario, (self.label,), (self.seed,), (self,))

    def _heading(self) -> tuple[str, str]:
        return self._alone()._heading()  # noqa: SLF001 - of this module

    def _views(self) -> Sequence[View]:
        return self._alone()._views()  # noqa: SLF001 - of this module

    def _frame(self, table: str) -> pl.DataFrame:
        if table and table not in TABLES:
            raise unknown("table", table, TABLES)
        return self.tables[table or "flows"]


@dataclass(frozen=True)
class Asked:
    """All that an interrupted experiment was to run: a scenario with its classes per label, and the seeds."""

    variants: Mapping[str, tuple[Scenario, Mapping[str, Factory]]]
    seeds: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Comparison(Shown):
    """Simulations of one scenario: one per label (usually an algorithm) and seed, in that order.

    All labels have the same seeds, and each random source has its own stream, so that all labels meet the
    same traffic.
    """

    scenario: Scenario
    """The scenario as given; labels replace its `tcp.algorithm`."""
    labels: tuple[str, ...]
    seeds: tuple[int, ...]
    results: tuple[Result, ...] = field(repr=False)
    interrupted: bool = False
    """True if Ctrl-C ended it before every run was done."""
    wall_s: float = field(compare=False, default=float("nan"))
    competitors: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """With `compare(.., together=True)`, the names of each competitor's groups in the runs "together"."""
    asked: Asked | None = field(repr=False, compare=False, default=None)
    """If it was interrupted, what it was to run: `results` are those of the seeds that all have finished."""

    if not TYPE_CHECKING:  # which would take any name for an attribute

        def __getattr__(self, name):
            has = f"; each of its runs has: .results[0].{name}" if hasattr(Result, name) else ""
            raise AttributeError(f"a Comparison has no {name}{has}")

    @checked
    def result(self, label: str, seed: int | None = None) -> Result:
        """One run; without `seed`, the first run of the label. Raises InputError."""
        for result in self.results:
            if result.label == label and seed in (None, result.seed):
                return result
        seeds = [str(result.seed) for result in self.results if result.label == label]
        if not seeds:
            raise unknown("label", label, self.labels)
        raise InputError(f"no run of {label} has seed {seed}; there are {', '.join(seeds)}")

    @functools.cached_property
    def runs(self) -> pl.DataFrame:
        """One row per run: label, seed and every metric in base units."""
        return metrics.runs_table(self.results)

    @functools.cached_property
    def summary(self) -> pl.DataFrame:
        """The mean over seeds with its 95 % interval, and other statistics, per label and metric."""
        return metrics.summary(self.runs, self.labels)

    @functools.cached_property
    def differences(self) -> pl.DataFrame:
        """The mean paired difference with its 95 % interval, per metric and pair of labels."""
        return metrics.differences(self.runs, self.labels)

    @checked
    def groups(self, links: Sequence[str] = ()) -> pl.DataFrame:
        """As `summary`, for each group of flows by its name in the scenario, and for the links named.

        Goodputs and round-trip times are means over the flows of a group; `completion_p50_s`,
        `completion_p95_s` and `completion_p99_s` are percentiles of its files. Raises InputError for a link
        that does not exist.
        """
        return groups.summary(groups.runs_table(self.results, links), self.labels)

    @functools.cached_property
    def bottleneck(self) -> str:
        """The name of the bottleneck: the link direction with the most drops."""
        return metrics.bottleneck(self.results)

    @functools.cached_property
    def seeds_alike(self) -> bool:
        """True if all of several seeds gave equal numbers, so that intervals of zero width mean nothing."""
        if len(self.seeds) < 2:
            return False
        return self.runs.drop("seed").unique().height == len(self.labels)

    @functools.cached_property
    def recoveries(self) -> dict[str, str]:
        """The loss recovery of each label, or its transport other than TCP."""
        return {label: self.result(label).recovery for label in self.labels if not self._is_shared(label)}

    def _is_shared(self, label: str) -> bool:
        """True for the runs that all competitors share."""
        return bool(self.competitors) and label == TOGETHER

    @property
    def shared_run(self) -> Result | None:
        """The first run that all competitors share; none without `together`."""
        return next((result for result in self.results if self._is_shared(result.label)), None)

    @functools.cached_property
    def competition(self) -> pl.DataFrame:
        """One row per seed and competitor in the runs that all share: share of the goodput, delay, losses."""
        shared = [result for result in self.results if self._is_shared(result.label)]
        return competitors.measured(shared, self.competitors)

    @functools.cached_property
    def competition_summary(self) -> pl.DataFrame:
        """The mean over seeds with its 95 % interval, per competitor and quantity."""
        return competitors.summary(self.competition, tuple(self.competitors))

    @property
    def is_comparison(self) -> bool:
        """True if there is more than one label, or was to be."""
        return len(self.asked.variants if self.asked else self.labels) > 1

    @checked_as(name="kind")
    def table(self, name: str) -> pl.DataFrame:
        """One table over all runs, with the columns `label` and `seed` in front; without any if none has it.

        `calls`, `films`, `segments` and `incidents` have no columns where no run has a call, a film or an
        incident. Raises InputError for another name.
        """
        if name not in TABLES:
            raise unknown("table", name, TABLES)
        tagged = [
            result.tables[name].select(
                pl.lit(result.label).alias("label"),
                pl.lit(result.seed, dtype=pl.UInt64).alias("seed"),
                pl.all(),
            )
            for result in self.results
            if name in result.tables and result.tables[name].width
        ]
        return pl.concat(tagged) if tagged else pl.DataFrame()

    @checked
    def plot(self, what: str | None = None, *, width: float | str | None = None) -> Figure:
        """A matplotlib figure, to be shown by a notebook or saved by `savefig`.

        `what` is a metric ("goodput", "fairness", "mean_rtt"), drawn as dots with 95 % intervals, or a figure
        of the report: "goodput-against-delay", "shares" of flows, "transfer-times", "users", and, where the
        runs have time series, "window", "goodput-over-time", "rtt", "in_flight", "queue" and "drops".
        `width` is in inches or a name: "ieee-column", "acm-column", "slide". Raises InputError for another
        name.
        """
        from ackclock.report import figures  # noqa: PLC0415 - plotting takes a second to load

        return figures.draw(self, what, width)

    @checked
    def to_latex(self, *, metrics: Sequence[str] = ()) -> str:
        """The most important table as a `tabular` for LaTeX' package booktabs, means with ± intervals.

        `metrics` chooses the columns, as ["goodput", "mean_rtt"]: then the table is that of the means. Raises
        InputError for a metric that no run has.
        """
        if not metrics:
            return super().to_latex()
        keys = [metric_names.named(name).key for name in metrics]
        present = self.summary["metric"].unique(maintain_order=True).to_list()
        for name, key in zip(metrics, keys, strict=True):
            if key not in present:
                known = ", ".join(metric_names.short(each) for each in present)
                raise InputError(f"metrics: no run has {name}; expected {known}")
        return latex.table(summary_view(self, keys=keys))

    def _heading(self) -> tuple[str, str]:
        scenario = self.scenario
        what = f"{counted(len(self.labels), 'algorithm')}, " if self.is_comparison else ""
        seeds = f"{len(self.seeds)} seeds" if len(self.seeds) > 1 else f"seed {self.seeds[0]}"
        bottleneck = f"bottleneck {self.bottleneck}"
        return (
            scenario.title or scenario.name,
            f"{scenario.name}, {scenario.duration_s:g} s simulated; {what}{seeds}; {bottleneck}",
        )

    def _views(self) -> Sequence[View]:
        if self.is_comparison:
            return [summary_view(self)]
        return [flow_view(self), link_view(self)]

    def _frame(self, table: str) -> pl.DataFrame:
        own = ("runs", "summary", "differences")
        if table and table not in (*own, *TABLES):
            raise unknown("table", table, (*own, *TABLES))
        return getattr(self, table or "runs") if (table or "runs") in own else self.table(table)

    @checked
    def save(
        self,
        folder: str | Path,
        *,
        report: bool = True,
        figure_formats: Sequence[str] = (),
        width: float | str | None = None,
    ) -> Path:
        """Writes a results folder and returns its path. Raises OutputError, leaving no partial folder.

        With `report`, the folder has report.html as well, and figures in each of the formats ("svg", "png",
        "pdf"), of a width as in `plot`. The tables are in place before anything is drawn; a figure that
        fails is a DrawingWarning. Raises InputError for another format.
        """
        style.check_formats(figure_formats)
        style.width_inches(width)
        with ResultsFolder(folder, KINDS) as opened:
            self.write(opened)
            path = opened.commit()
            if report:
                self.write_report(opened, figure_formats, width)
            return path

    def write(self, folder: ResultsFolder) -> None:
        """Writes scenarios, provenance, tables and captures into an open folder."""
        written.write(self, folder)

    def write_report(
        self,
        folder: ResultsFolder,
        figure_formats: Sequence[str] = (),
        width: float | str | None = None,
    ) -> None:
        """Adds figures and report.html to a folder whose tables are in place."""
        from ackclock.report import page  # noqa: PLC0415 - plotting takes a second to load

        page.write(self, folder, figure_formats, width)


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a set of runs. `partial` has the finished runs."""

    def __init__(self, partial: Comparison) -> None:
        super().__init__(f"interrupted after {len(partial.results)} finished runs")
        self.partial = partial
