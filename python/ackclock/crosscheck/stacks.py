"""The comparison: every case on every stack that this machine has."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

from ackclock.crosscheck.cases import Case
from ackclock.crosscheck.kernel import KernelsOwn, OursInKernel
from ackclock.crosscheck.measurement import Column, Measurement
from ackclock.crosscheck.simulated import Simulated
from ackclock.crosscheck.sockets import Sockets
from ackclock.crosscheck.store import Runs
from ackclock.errors import InputError
from ackclock.measures.digits import with_interval
from ackclock.measures.statistics import Interval, mean_interval

__all__ = ["COLUMNS", "HEADINGS", "Row", "compare"]

COLUMNS: tuple[Column, ...] = (
    Simulated(),
    Simulated("quinn"),
    Simulated("noq"),
    Sockets("quinn"),
    Sockets("noq"),
    Simulated(payload=OursInKernel.payload),
    OursInKernel(),
    KernelsOwn(),
)
"""The simulator's column stands before the stacks whose packets carry as many bytes as the simulator's."""

HEADINGS = (
    *("algorithm", "path", "stack", "goodput, Mbit/s", "of the simulator's, %", "loss period, s"),
    *("period of the simulator's, %", "retransmissions", "mean RTT, ms", "host late, p99 in us", "remark"),
)

ATTEMPTS = 3
"""The number of attempts at a run; the last one counts even if the host was too late."""


@dataclass(frozen=True)
class Row:
    """A case on a stack: its runs and the simulator's with packets of that size, or why there are none."""

    case: Case
    column: Column
    runs: tuple[Measurement, ...]
    predicted: Measurement | None
    remark: str = ""

    def cells(self) -> list[str]:
        """The row as text."""
        where = [self.case.algorithm, self.case.bottleneck.label, self.column.name]
        if not self.runs:
            return [*where, *[""] * 7, self.remark]
        goodput = mean_interval([run.goodput_bit_per_s * 1e-6 for run in self.runs])
        periods = [run.loss_period_s for run in self.runs if run.loss_period_s is not None]
        period = mean_interval(periods) if len(periods) == len(self.runs) else None
        late = [run.lateness_p99_s for run in self.runs if run.lateness_p99_s is not None]
        other = self.predicted
        return [
            *where,
            _written(goodput, 3),
            _share(goodput.estimate, other.goodput_bit_per_s * 1e-6 if other else None),
            _written(period, 2) if period else "",
            _share(period.estimate, other.loss_period_s) if period and other else "",
            _written(mean_interval([run.retransmissions for run in self.runs]), 0),
            _written(mean_interval([run.mean_rtt_s * 1e3 for run in self.runs]), 1),
            f"{max(late) * 1e6:.0f}" if late else "",
            self.remark,
        ]


@dataclass
class _Cell:
    """A case on a stack: its runs so far, or the reason why there are none."""

    case: Case
    column: Column
    runs: list[Measurement] = field(default_factory=list)
    reason: str | None = None

    def row(self) -> Row:
        if self.reason:
            return Row(self.case, self.column, (), None, self.reason)
        remark = "" if all(run.on_time for run in self.runs) else "the host did not keep time"
        predicted = _predicted(self.case, self.column.payload)
        return Row(self.case, self.column, tuple(self.runs), predicted, remark)


@cache
def _predicted(case: Case, payload: int) -> Measurement:
    """The simulator's measurement. All repeats, and all stacks with packets of one size, share it."""
    return Simulated(payload=payload).measure(case)


def compare(
    cases: Sequence[Case],
    repeats: int,
    columns: Sequence[Column] = COLUMNS,
    runs: Runs | None = None,
    tell: Callable[[float, float], None] | None = None,
) -> list[Row]:
    """Runs every case on every stack; a row where a stack does not run says why.

    Repeats are rounds over all cases, so that a disturbance of the host meets few runs of a case. Runs by the
    host's clock that `runs` has are not made again. `tell` receives the seconds of finished runs, and of all
    runs.
    """
    runs = runs or Runs()
    cells = [_Cell(case, column, reason=reason) for case, column, reason in _reasons(cases, columns)]
    rounds = [
        (repeat, cell) for repeat in range(repeats) for cell in cells if not (repeat and cell.column.is_exact)
    ]
    seconds = [0 if cell.column.is_exact or cell.reason else cell.case.duration_s for _, cell in rounds]
    for number, (repeat, cell) in enumerate(rounds):
        if tell:
            tell(sum(seconds[:number]), sum(seconds))
        if cell.reason:
            continue
        try:
            cell.runs.append(_measured(cell, repeat, runs))
        except InputError as error:
            cell.reason = str(error)
    rows = [cell.row() for cell in cells]
    if tell:
        tell(sum(seconds), sum(seconds))
    return rows


def _reasons(cases: Sequence[Case], columns: Sequence[Column]) -> Iterator[tuple[Case, Column, str | None]]:
    """Every case on every stack, and why it does not run there, if it does not."""
    lacks = {column.name: column.lacks() for column in columns}
    for case in cases:
        for column in columns:
            missing = lacks[column.name]
            yield case, column, f"not here: needs {missing}" if missing else column.refuses(case)


def _measured(cell: _Cell, repeat: int, runs: Runs) -> Measurement:
    """The stored run, or a new one."""
    case, column = cell.case, cell.column
    known = runs.find(column.name, case, repeat)
    if known is not None:
        return known
    run = _on_time(column, case)
    if not column.is_exact:
        runs.add(column.name, case, repeat, run)
    return run


def _on_time(column: Column, case: Case) -> Measurement:
    """A run in which the host was not late, if one of the attempts is such a run; else the last attempt."""
    for _ in range(ATTEMPTS - 1):
        run = column.measure(case)
        if run.on_time:
            return run
    return column.measure(case)


def _written(interval: Interval, digits: int) -> str:
    """A mean with the half width of its interval, where there is one."""
    return with_interval(interval.estimate, interval.half_width, digits)


def _share(value: float, other: float | None) -> str:
    """The difference from another value in per cent."""
    return f"{(value / other - 1) * 100:+.2f}" if other else ""
