"""The strip of each call of a run: target and received rate, with the freezes that its viewer saw."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock.report import style
from ackclock.report.curves import Curve, Floats, Panel, TimeFigure, thinned
from ackclock.report.quantities import QUANTITIES
from ackclock.report.series_reader import FLOWS_SHOWN

if TYPE_CHECKING:
    from ackclock.measures.record import RunRecord

__all__ = ["call_figure"]


def call_figure(result: RunRecord, points: int) -> TimeFigure | None:
    """A panel for each of the first calls; none for a run without one."""
    flows = result.columns("flows")
    rows = [row for row, kind in enumerate(flows["kind"]) if kind == "rtp"]
    if not rows:
        return None
    quantity = QUANTITIES["calls"]
    looks = style.looks(tuple(str(flows["name"][row]) for row in rows))
    panels = []
    for row in rows[:FLOWS_SHOWN]:
        name = str(flows["name"][row])
        target = _target(result, row)
        rates = _of_flow(result, "flow_series", row, "goodput_bit_per_s")
        curves = [
            Curve(label, looks[name], *thinned(time, quantity.factor * value, points), is_auxiliary=is_target)
            for label, (time, value), is_target in (("received", rates, False), ("target", target, True))
        ]
        panels.append(
            Panel(f"{name} ({flows['algorithm'][row]})", tuple(curves), _freezes(result, row), "freeze")
        )
    note = f"The first {FLOWS_SHOWN} of {len(rows)} calls." if len(rows) > FLOWS_SHOWN else ""
    return TimeFigure(quantity, tuple(panels), note)


def _of_flow(result: RunRecord, table: str, row: int, column: str) -> tuple[Floats, Floats]:
    """A column of a flow's rows over time."""
    columns = result.columns(table)
    mine = np.asarray(columns["flow"]) == row
    return np.asarray(columns["time_s"], dtype=float)[mine], np.asarray(columns[column], dtype=float)[mine]


def _target(result: RunRecord, row: int) -> tuple[Floats, Floats]:
    """The target rate of a call over time, in bit/s."""
    gauges = result.columns("gauges")
    mine = np.array([str(name) == "target_bit_per_s" for name in gauges["name"]], dtype=bool)
    mine &= np.asarray(gauges["flow"]) == row
    return np.asarray(gauges["time_s"], dtype=float)[mine], np.asarray(gauges["value"], dtype=float)[mine]


def _freezes(result: RunRecord, row: int) -> Floats:
    """The times at which the picture of a call froze, in s."""
    columns = result.columns("freezes")
    mine = np.asarray(columns["flow"]) == row
    times: Floats = np.asarray(columns["time_s"], dtype=float)[mine]
    return times
