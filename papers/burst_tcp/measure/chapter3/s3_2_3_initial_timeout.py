"""3.2.3: what the initial retransmission timeout costs the mice of the base experiment.

The standard TCP of each stack, with one initial timeout for SYNs and for data. The claim is about the mean of
all mice; the table also has those that lost a packet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from ackclock import Result
from ackclock.measures import transfers
from ackclock.measures.statistics import mean_interval
from ackclock.papers import Ordered

from .. import survey
from ..file_runs import MICE_PACKETS, ByStack, Study, cases, race
from ..stack import MODERN, STACKS, THESIS

__all__ = ["COUNT", "measure"]

COUNT = 1
FLOWS = 1250
TIMEOUTS_S = (3.0, 1.0, 0.5)
"""The standard's, and the bounds of what Seddigh and Devetsikiotis propose."""
BOTH = (THESIS, MODERN)
STANDARD = "newreno"


@dataclass(frozen=True)
class Times:
    """Mean times of one run, in s."""

    mice: float
    mice_that_lost: float
    """Of those that lost a packet; nan where none did."""
    elephants: float

    @staticmethod
    def of(result: Result) -> Times:
        """From the files that finished."""
        files = transfers.records(result).filter(pl.col("time_s").is_finite())
        classes = transfers.by_class(files, MICE_PACKETS)
        mice = classes["mice"]
        lost = mice.filter(pl.col("packets_lost") > 0)["time_s"].to_numpy()
        return Times(
            mice=float(mice["time_s"].to_numpy().mean()),
            mice_that_lost=float(lost.mean()) if lost.size else float("nan"),
            elephants=float(classes["elephants"]["time_s"].to_numpy().mean()),
        )


def measure(study: Study) -> ByStack:
    """The table, and the mean times of mice."""
    base = study.context.scenario("base", {"flow.0.count": FLOWS})
    points = {
        timeout: {"tcp.rto_initial": f"{timeout:g} s", "tcp.syn_timeout": f"{timeout:g} s"}
        for timeout in TIMEOUTS_S
    }
    open_settings = {
        "tcp.initial_window": survey.LEVELS["first_window"],
        "topology.dumbbell.bottleneck.buffer": f"{survey.packets('queue') - 1} packets",
    }
    thesis = {timeout: {**open_settings, **settings} for timeout, settings in points.items()}
    stacks = [stack for stack in BOTH if stack in STACKS]
    wanted = [
        case
        for stack in stacks
        for case in cases(base, thesis if stack is THESIS else points, (STANDARD,), (stack,))
    ]
    found = race(study, wanted, Times.of)
    rows, claims = [], ByStack()
    for stack in stacks:
        runs = {timeout: found.of(stack, STANDARD, timeout) for timeout in TIMEOUTS_S}
        rows += [_row(stack.short, timeout, mine) for timeout, mine in runs.items()]
        order = {f"{timeout:g} s": [1e3 * one.mice for one in mine] for timeout, mine in runs.items()}
        claims[stack.name] = {"initial-timeout-mice": Ordered(order)}
    study.context.table("initial-timeouts", pl.DataFrame(rows))
    return claims


def _row(stack: str, timeout_s: float, runs: Sequence[Times]) -> dict[str, object]:
    times = {
        "mice, ms": [one.mice for one in runs],
        "mice that lost, ms": [one.mice_that_lost for one in runs if np.isfinite(one.mice_that_lost)],
        "elephants, ms": [one.elephants for one in runs],
    }
    row: dict[str, object] = {"stack": stack, "initial timeout": f"{timeout_s:g} s"}
    for name, values in times.items():
        interval = mean_interval([1e3 * value for value in values])
        row[name] = f"{interval.estimate:.0f} ± {interval.half_width:.0f}"
    return row
