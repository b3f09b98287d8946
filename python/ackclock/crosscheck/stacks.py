"""The comparison: every case on every stack that this machine has."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ackclock.crosscheck.cases import Case, Times
from ackclock.crosscheck.kernel import KernelsOwn, OursInKernel
from ackclock.crosscheck.measurement import Column, Measurement
from ackclock.crosscheck.simulated import Simulated
from ackclock.crosscheck.sockets import Sockets
from ackclock.errors import InputError
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
"""The simulator stands before the stacks whose packets carry as much as its own."""

HEADINGS = (
    *("algorithm", "path", "stack", "goodput, Mbit/s", "of the simulator's, %", "loss period, s"),
    *("period of the simulator's, %", "retransmissions", "mean RTT, ms", "host late, p99 in us", "remark"),
)

ATTEMPTS = 3
"""Runs of which the last counts even where the host did not keep the link's time."""


@dataclass(frozen=True)
class Row:
    """A case on a stack: its runs, those of the simulator with the same packets, or why there are none."""

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


def compare(
    cases: Sequence[Case],
    times: Times,
    repeats: int,
    columns: Sequence[Column] = COLUMNS,
    tell: Callable[[float, float], None] | None = None,
) -> Iterator[Row]:
    """Runs every case on every stack; a row where a stack does not run says why."""
    lacks = {column.name: column.lacks() for column in columns}
    total, done = len(cases) * len(columns), 0
    for case in cases:
        predicted: dict[int, Measurement] = {}
        for column in columns:
            if tell:
                tell(done, total)
            done += 1
            missing = lacks[column.name]
            reason = f"not here: needs {missing}" if missing else column.refuses(case)
            if reason:
                yield Row(case, column, (), None, reason)
                continue
            if column.payload not in predicted:
                predicted[column.payload] = Simulated(payload=column.payload).measure(case, times)
            yield _row(case, column, times, repeats, predicted[column.payload])
    if tell:
        tell(total, total)


def _row(case: Case, column: Column, times: Times, repeats: int, predicted: Measurement) -> Row:
    try:
        runs = tuple(_on_time(column, case, times) for _ in range(1 if column.is_exact else repeats))
    except InputError as error:
        return Row(case, column, (), None, str(error))
    remark = "" if all(run.on_time for run in runs) else "the host did not keep time"
    return Row(case, column, runs, predicted, remark)


def _on_time(column: Column, case: Case, times: Times) -> Measurement:
    """A run in which the host kept time, if one of the attempts has it."""
    for _ in range(ATTEMPTS - 1):
        run = column.measure(case, times)
        if run.on_time:
            return run
    return column.measure(case, times)


def _written(interval: Interval, digits: int) -> str:
    """A mean with the half width of its interval, where there is one."""
    mean = f"{interval.estimate:.{digits}f}"
    return mean if math.isnan(interval.low) else f"{mean} ± {interval.half_width:.{digits}f}"


def _share(value: float, other: float | None) -> str:
    """The difference to another value in per cent."""
    return f"{(value / other - 1) * 100:+.2f}" if other else ""
