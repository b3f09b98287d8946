"""Readings of Compound TCP, (14) to (17), and of FAST's tuning, of which the published verdicts have one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from ackclock import Ack, Congestion
from ackclock.papers import Context, Measured, Values

from .sentences import of_tuning
from .study import ABSTRACT, RTTS_MS, TABLES, Outcome, Run, dumbbell, specification
from .traces import Windows

SHORTER = {"duration": "240 s", "warm_up": "60 s", "flow.1.start": "60 s", "trace.interval": "100 ms"}
"""Compound TCP is back on a full path within seconds at each round-trip time."""
ALPHA, BETA, GAMMA, ZETA, EXPONENT, LOW_WINDOW = 0.125, 0.5, 30.0, 0.1, 0.8, 41.0
"""Table 5-4."""
BEFORE = specification("tcp", ABSTRACT).rpartition("+")[0]
"""The transport and the slow start."""
SEARCHED = ("readings",)
"""The part that the search of settings runs; a user cannot name it."""
LEVELS: dict[str, str] = {}
"""The reading that the search measures: a level for each factor of plans/settings.toml."""


def use(points: Sequence[Mapping[str, str]], _settings: Sequence[Mapping[str, object]]) -> list[str]:
    """Measures a point of plans/settings.toml; returns the ending of its claims: any."""
    LEVELS.update(points[0])
    return [""]


class Compound:
    """Compound TCP as an avoidance, by the present reading."""

    def __init__(self) -> None:
        self.cwnd = self.ssthresh = 2.0  # of both windows, as the connection has it
        self.dwnd = 0.0
        self.round: int | None = None
        self.rtts: list[float] = []
        self.lost = False
        self.both_rates = LEVELS["throughput"] == "both windows"
        self.both_growth = LEVELS["growth"] == "both windows"
        self.is_smoothed = LEVELS["round_trip"] == "smoothed"
        self.waits = LEVELS["loss"] == "at the next period"
        self.keeps = LEVELS["after_loss"] != "0"

    def on_ack(self, ack: Ack) -> None:
        """(14), and (17) at the first acknowledgment of a round."""
        if ack.rtt is not None:
            self.rtts.append(ack.rtt)
        if not ack.may_grow:
            return
        if self.cwnd < LOW_WINDOW:
            self.dwnd = 0.0
        elif ack.round != self.round and self.rtts:
            mean = sum(self.rtts) / len(self.rtts)
            self.update(ack.min_rtt, ack.srtt if self.is_smoothed else mean)
            self.round, self.rtts = ack.round, []
        self.cwnd += 1.0 / self.cwnd

    def update(self, least: float, rtt: float) -> None:
        """(17)."""
        alone = self.cwnd - self.dwnd
        queued = (self.cwnd if self.both_rates else alone) * (1 - least / rtt)
        if self.lost and self.waits:
            self.dwnd = self.after_loss(self.cwnd, alone)
        elif queued < GAMMA:
            self.dwnd += max(0.0, ALPHA * (self.cwnd if self.both_growth else alone) ** EXPONENT - 1)
        else:
            self.dwnd = max(0.0, self.dwnd - ZETA * queued)
        self.lost = False
        self.cwnd = alone + self.dwnd

    def after_loss(self, win: float, alone: float) -> float:
        """The delay window after a loss, from both windows and from the loss-based one."""
        return max(0.0, win * (1 - BETA) - alone / 2) if self.keeps else 0.0

    def on_congestion(self, event: Congestion) -> None:
        """(15) and (16)."""
        alone = max(self.cwnd - self.dwnd, 2.0)
        if event.restart:
            self.dwnd = 0.0
        elif not self.waits:
            self.dwnd = self.after_loss(self.cwnd, alone)
        self.lost = True
        self.rtts = []
        self.ssthresh = max(alone / 2 + self.dwnd, 2.0)

    def observe(self) -> dict[str, float]:
        """The delay window, for averages without it."""
        return {"dwnd": self.dwnd}


def measure(context: Context) -> dict[str, Measured]:
    """The cells of Compound TCP and the sentences on FAST's tuning by the present reading."""
    context.expect(2 * len(RTTS_MS))
    found: dict[str, Measured] = {}
    for rtt in RTTS_MS:
        outcome = compound(context, rtt, SHORTER)
        found |= {f"{table}-ctcp-{rtt}": Values([outcome.value(table)]) for table in TABLES}
    tuning = f"{BEFORE}+fast(tuning=1,alpha={LEVELS['first_alpha']})"
    names = {"tcp": specification("tcp", ABSTRACT), "fast-tuning": tuning}
    grid = {}
    for rtt in RTTS_MS:
        race = context.compare(names, dumbbell(context, rtt, {"trace.interval": "100 ms"}))
        for result in race.results:
            grid[result.label, rtt] = Run(Outcome.of(result, rtt), Windows.of(result))
    return {**found, **of_tuning(grid)}


def compound(context: Context, rtt: int, settings: Mapping[str, str]) -> Outcome:
    """Compound TCP in numbers, with the average of `cwnd` that the reading has."""
    race = context.compare({f"{BEFORE}+compound-read": Compound}, dumbbell(context, rtt, settings))
    (result,) = race.results
    outcome = Outcome.of(result, rtt)
    if LEVELS["average"] == "both windows":
        return outcome
    late = result.gauges.filter((pl.col("name") == "dwnd") & (pl.col("time_s") >= result.scenario.warm_up_s))
    by_flow = [late.filter(pl.col("flow") == flow)["value"].to_numpy() for flow in (0, 1)]
    first, second = (
        window - float(np.mean(delay)) for window, delay in zip(outcome.windows, by_flow, strict=True)
    )
    return replace(outcome, windows=(first, second))
