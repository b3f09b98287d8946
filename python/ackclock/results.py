"""One simulation's result: tables as data frames, counters, captures; and running one simulation."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl

from ackclock import _native
from ackclock._native import Scenario
from ackclock.algorithms import Factory, with_algorithm
from ackclock.scenarios import Source, load_scenario, with_sampling, with_settings

__all__ = ["TABLES", "Result", "frame", "run", "simulate"]

TABLES = (
    "flows",
    "links",
    "packets",
    "flow_series",
    "link_series",
    "network_series",
    "drops",
    "gauges",
    "transfers",
    "transfer_classes",
    "timeouts",
    "epochs",
    "silences",
    "users",
    "pages",
)
"""Tables of a result.

The series are empty unless the scenario says `trace.interval`, `packets` unless it says `trace.packets`,
`epochs` and `silences` unless it says `trace.epoch`.
"""

_BUFFERS = {"f8": "<f8", "u8": "<u8", "u4": "<u4", "b1": "?"}


Columns = Sequence[tuple[str, str, bytes | list[str]]]
"""A table as the binding gives it."""


def frame(columns: Columns) -> pl.DataFrame:
    """A data frame over the binding's columns; numbers are not copied."""
    series = []
    for name, kind, data in columns:
        if isinstance(data, list):
            series.append(pl.Series(name, data, dtype=pl.String))
        else:
            series.append(pl.Series(name, np.frombuffer(data, dtype=_BUFFERS[kind])))
    return pl.DataFrame(series)


class Tables(Mapping[str, pl.DataFrame]):
    """A run's tables, each made a data frame when it is first asked for; most never are."""

    def __init__(self, columns: Mapping[str, Columns]) -> None:
        self._columns = columns
        self._frames: dict[str, pl.DataFrame] = {}

    def __getitem__(self, name: str) -> pl.DataFrame:
        if name not in self._frames:
            self._frames[name] = frame(self._columns[name])
        return self._frames[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)


@dataclass(frozen=True)
class Result:
    """What one simulation produced. Equal scenario and seed give equal tables, whatever the machine.

    Every column has its unit in its name: `goodput_bit_per_s`, `mean_cwnd_packets`, `mean_rtt_s`. Averages
    are over [warm_up, end]. Not available is NaN.
    """

    scenario: Scenario
    label: str
    """What a comparison calls it: the algorithm, or the scenario's name."""
    tables: Mapping[str, pl.DataFrame] = field(repr=False)
    events: int
    """Events the engine handled."""
    packets_delivered: int
    """Data packets that reached their receivers."""
    conserved: bool
    """Whether every packet sent was delivered, dropped or still in flight at the end."""
    finished_at_s: float
    """Simulated seconds at the end."""
    captures: Mapping[str, bytes] = field(repr=False, default_factory=dict)
    """Packet captures by link direction, as pcapng files."""
    cpu_s: float = field(compare=False, default=float("nan"))
    """Processor seconds the simulation took; a fact about the machine, kept out of all tables."""

    @property
    def seed(self) -> int:
        """The seed of all random streams."""
        return self.scenario.seed

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
        """Queue of each link direction over time."""
        return self.tables["link_series"]

    @property
    def network_series(self) -> pl.DataFrame:
        """All flows together over time: how many are active, their mean window, what is sent and lost."""
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
        """Timeouts of each flow by how many there were in a row."""
        return self.tables["timeouts"]

    @property
    def epochs(self) -> pl.DataFrame:
        """In how many epochs each flow sent how many packets."""
        return self.tables["epochs"]

    @property
    def silences(self) -> pl.DataFrame:
        """One row per time that a flow sent nothing for an epoch or longer."""
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
    def drops(self) -> pl.DataFrame:
        """One row per dropped packet."""
        return self.tables["drops"]

    @property
    def gauges(self) -> pl.DataFrame:
        """Internal quantities that controllers chose to show, over time."""
        return self.tables["gauges"]

    def save(self, folder: str | Path, *, report: bool = True) -> Path:
        """Writes a results folder and returns its path.

        With `report`, figures and report.html are drawn as well. Raises OutputError when the folder cannot be
        written or was made by something else; nothing half-written stays.
        """
        from ackclock.experiments import Comparison  # noqa: PLC0415 - which is made of results

        comparison = Comparison(self.scenario, (self.label,), (self.seed,), (self,))
        return comparison.save(folder, report=report)


def run(
    scenario: Source,
    *,
    settings: Mapping[str, object] | None = None,
    seed: int | None = None,
    algorithm: str | Factory | None = None,
    algorithms: Mapping[str, Factory] | None = None,
    series: bool = False,
    progress: Callable[[float], bool] | None = None,
) -> Result:
    """Simulates one scenario and returns its result.

    `scenario` is a built-in name, a TOML file, a nested mapping or a Scenario. `settings` replaces values by
    dotted path; `seed` the scenario's seed; `algorithm` the algorithm of all flows that name none of their
    own: a specification or a Python class. `algorithms` names Python classes that flows of the scenario
    refer to. `series` turns on time series at an interval fit for the duration. `progress` is told the
    simulated seconds done and stops the run by returning False. Raises ScenarioError, InputError.
    """
    loaded, factories = with_algorithm(
        load_scenario(scenario, custom=list(algorithms or ())), algorithm, algorithms
    )
    loaded = with_settings(loaded, settings or {})
    if seed is not None:
        loaded = loaded.with_value("seed", str(seed))
    if series:
        loaded = with_sampling(loaded)
    return simulate(loaded, loaded.name, factories, progress)


def simulate(
    scenario: Scenario,
    label: str,
    factories: Mapping[str, Factory],
    progress: Callable[[float], bool] | None,
) -> Result:
    """Runs a complete scenario in this thread, other threads going on meanwhile."""
    begun = time.thread_time()
    output = _native.run(scenario, algorithms=dict(factories) or None, progress=progress)
    return Result(
        scenario=scenario,
        label=label,
        tables=Tables({name: output.table(name) for name in TABLES}),
        events=output.events,
        packets_delivered=output.packets_delivered,
        conserved=output.conserved,
        finished_at_s=output.finished_at_s,
        captures=dict(output.pcapng),
        cpu_s=time.thread_time() - begun,
    )
