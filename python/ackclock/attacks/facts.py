"""The facts of a run that objectives are made of, as one row of numbers."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ackclock.attacks.networks import OTHER, OWN
from ackclock.attacks.states import stays
from ackclock.measures import over_time
from ackclock.measures.record import RunRecord

__all__ = ["WINDOW_S", "facts"]

WINDOW_S = 10.0
"""The time in which a flow is starved."""

Floats = NDArray[np.float64]


def facts(result: RunRecord) -> Mapping[str, float]:
    """The facts of both groups of flows: `own_bits`, `other_bits` and so on, in base units."""
    names = [str(name) for name in result.columns("flows")["name"]]
    found: dict[str, float] = {}
    for group in (OWN, OTHER):
        mine = np.array([name.startswith(group) for name in names], dtype=bool)
        found |= {f"{group}_{key}": value for key, value in _of_group(result, mine).items()}
    return found


def _of_group(result: RunRecord, mine: NDArray[np.bool_]) -> dict[str, float]:
    flows = result.columns("flows")

    def column(name: str) -> Floats:
        return np.asarray(flows[name], dtype=float)[mine]

    rows = np.flatnonzero(mine)
    return {
        "bits": float(np.nansum(column("goodput_bit_per_s") * column("measured_s"))),
        "sent": float(column("packets_sent").sum()),
        "lost": float(column("packets_lost").sum()),
        "timeouts": float(column("timeouts").sum()),
        "retransmissions": float(column("retransmissions").sum()),
        "rtt_95_s": _round_trip(result, rows),
        "transfer_s": _transfer(result, rows),
        **_lowest(result, rows, column("start_s")),
        **stays(result, rows),
    }


def _of_flows(result: RunRecord, rows: NDArray[np.intp], name: str) -> tuple[Floats, Floats]:
    """Times and values of a series of some flows."""
    series = result.columns("flow_series")
    chosen = np.isin(np.asarray(series["flow"]), np.asarray(result.columns("flows")["flow"])[rows])
    return np.asarray(series["time_s"], dtype=float)[chosen], np.asarray(series[name], dtype=float)[chosen]


def _round_trip(result: RunRecord, rows: NDArray[np.intp]) -> float:
    """The round trip that 95 % of the samples do not exceed; NaN without one."""
    _, values = _of_flows(result, rows, "rtt_s")
    known = values[np.isfinite(values)]
    return float(np.quantile(known, 0.95)) if known.size else float("nan")


def _transfer(result: RunRecord, rows: NDArray[np.intp]) -> float:
    """The mean time of a file; one under way counts until the end of the run. NaN without a file."""
    if "transfers" not in result.tables:
        return float("nan")
    table = result.columns("transfers")
    mine = np.isin(np.asarray(table["flow"]), np.asarray(result.columns("flows")["flow"])[rows])
    start, finish = (np.asarray(table[name], dtype=float)[mine] for name in ("start_s", "finish_s"))
    end = result.scenario.duration_s
    taken = np.where(np.isfinite(finish), finish, end)[start < end] - start[start < end]
    return float(taken.mean()) if taken.size else float("nan")


def _lowest(result: RunRecord, rows: NDArray[np.intp], starts: Floats) -> dict[str, float]:
    """For each span of ten seconds after the last flow has begun: the goodput of the flow that has least."""
    last = float(starts.max()) if starts.size else 0.0
    found = {}
    numbers, times = np.asarray(result.columns("flows")["flow"])[rows], over_time.sample_times(result)
    every = [over_time.of_flow(result, int(number))["goodput_bit_per_s"] for number in numbers]
    for begin in np.arange(0.0, result.scenario.duration_s - WINDOW_S + 1e-9, WINDOW_S / 2):
        if begin < last or not rows.size:
            continue
        inside = (times > begin + 1e-9) & (times <= begin + WINDOW_S + 1e-9)
        means = [float(np.nan_to_num(one[inside]).mean()) if inside.any() else 0.0 for one in every]
        found[f"low_{begin:g}"] = min(means)
    return found
