"""4.3: one file of 64 packets, by which f and mice_t were chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from ackclock.papers import Context, Holds, Measured

from ..file_runs import Floats
from ..stack import THESIS, Stack
from .s4_1_growth import PACKETS, RTT_S, by_round

FACTORS = range(2, 17)
THRESHOLDS = range(8, 81, 8)
LOSS_S = 3.0
BIG_BURST = 10
"""Packets; 4.3 calls a first burst of more dangerous."""


@dataclass(frozen=True)
class File:
    """The transfer of the file of 64 packets over the path."""

    time_s: float
    windows: Floats
    """In packets, one for each round trip after the handshake, when its acknowledgments are in."""
    halved: float
    """The threshold that a loss has left, in packets; NaN without a loss."""


@dataclass(frozen=True)
class Choice:
    """The runs by which 4.3 chose the parameters, under one stack."""

    stack: Stack
    standard: File
    standard_lossy: File
    files: Mapping[int, File]
    """By f, with mice_t = 32."""
    lossy: Mapping[int, File]
    """The transfer with a packet lost at 3 s."""
    by_mice: Mapping[tuple[int, int], File]
    """By f and mice_t."""

    @staticmethod
    def of(context: Context, stack: Stack) -> Choice:
        """All of them."""
        return Choice(
            stack,
            transfer(context, stack, "newreno"),
            transfer(context, stack, "newreno", loses=True),
            {f: transfer(context, stack, f"btcp{f}") for f in FACTORS},
            {f: transfer(context, stack, f"btcp{f}", loses=True) for f in FACTORS},
            {(f, mice): transfer(context, stack, f"btcp{f}", mice) for f in (4, 8) for mice in THRESHOLDS},
        )

    def first_burst(self, file: File) -> float:
        """The window, in whole packets, when acknowledgments have grown it for the first time.

        With the head start that of the SYN has.
        """
        return float(np.floor(file.windows[0 if self.stack is THESIS else 1] + 1e-9))


def transfer(context: Context, stack: Stack, variant: str, mice: int = 32, *, loses: bool = False) -> File:
    """One transfer; with `loses`, the first packet that is sent from 3 s on is lost."""
    scenario = stack.scenario(context.scenario("path"), variant, {"trace.interval": "10 ms"}, mice)
    settings: dict[str, object] = {}
    if loses:
        sent = context.run(scenario, settings={"trace.packets": ["sender->receiver"]}).packets
        sent = sent.filter(pl.col("payload_bytes") > 0)
        departures = sent["time_s"] - 0.5 - sent["wire_bytes"] * 8 / 1.5e6
        ordinal = int((departures < LOSS_S - 1e-9).sum()) + 1
        settings["topology.graph.link.0.loss"] = f"{{ scripted = {{ flow = 0, packets = [{ordinal}] }} }}"
    result = context.run(scenario, settings=settings)
    done = result.transfers.row(0, named=True)
    thresholds = result.flow_series["ssthresh_packets"].to_numpy()
    cut = thresholds[np.isfinite(thresholds) & (thresholds < PACKETS)]
    return File(
        time_s=float(done["finish_s"] - done["start_s"]),
        windows=by_round(result, 1.0),
        halved=float(cut[0]) if cut.size else float("nan"),
    )


def factors(choice: Choice) -> dict[str, Measured]:
    """Figures 10(a) and 11: f from 2 to 16 without losses."""
    standard, files = choice.standard.time_s, choice.files
    bursts = {f: choice.first_burst(files[f]) for f in (2, 3, 4, 5)}
    return {
        "factor-slower": Holds(
            [(files[f].time_s > standard) == (f >= 7) for f in FACTORS], note=_times(choice.standard, files)
        ),
        "factor-one-rtt": _one_round_trip({f"f={f}": files[f].time_s - standard for f in (7, 8, 9)}),
        "factor-bursts": Holds(
            [(bursts[f] > BIG_BURST) == (f <= 3) for f in bursts],
            note=", ".join(f"f={f} {burst:.0f}" for f, burst in bursts.items()),
        ),
    }


def factors_with_loss(choice: Choice) -> dict[str, Measured]:
    """Figure 10(b): the same with a loss at 3 s."""
    standard, files = choice.standard_lossy, choice.lossy
    better = [f for f in FACTORS if files[f].time_s < standard.time_s]
    halves = ", ".join(f"f={f} {files[f].halved:.1f}" for f in better)
    return {
        "loss-better": Holds([bool(better)], note=_times(standard, files)),
        "loss-halved": Holds(
            [files[f].halved > standard.halved for f in better],
            note=f"NewReno {standard.halved:.1f}; {halves}",
        ),
        "loss-nine": Holds([files[9].time_s > files[f].time_s for f in range(2, 9)]),
    }


def thresholds(choice: Choice) -> dict[str, Measured]:
    """Figures 12 and 13: mice_t from 8 to 80."""
    files = choice.by_mice
    good = {mice: all(files[f, mice].time_s <= choice.standard.time_s for f in (4, 8)) for mice in THRESHOLDS}
    times = "; ".join(
        f"f={f}: " + ", ".join(f"{mice} {files[f, mice].time_s:.2f}" for mice in THRESHOLDS) for f in (4, 8)
    )
    bursts = {mice: choice.first_burst(files[4, mice]) for mice in (32, 40, 56, 80)}
    return {
        "mice-forty": Holds(
            [good[mice] == (mice >= 40) for mice in THRESHOLDS],
            note=f"NewReno {choice.standard.time_s:.2f} s; {times}",
        ),
        "mice-one-rtt": _one_round_trip(
            {f"f={f}": files[f, 32].time_s - files[f, 40].time_s for f in (4, 8)}
        ),
        "mice-bursts": Holds(
            [(burst >= BIG_BURST) == (mice > 32) for mice, burst in bursts.items()],
            note=", ".join(f"mice_t={mice} {burst:.0f}" for mice, burst in bursts.items()),
        ),
    }


def _one_round_trip(differences_s: Mapping[str, float]) -> Holds:
    """True if each of these is one round trip, within a quarter of one."""
    trips = {name: difference / RTT_S for name, difference in differences_s.items()}
    return Holds(
        [abs(number - 1) <= 0.25 for number in trips.values()],
        note=", ".join(f"{name} {number:.2f}" for name, number in trips.items()),
    )


def _times(standard: File, files: Mapping[int, File]) -> str:
    return f"NewReno {standard.time_s:.2f} s; " + ", ".join(
        f"f={f} {one.time_s:.2f}" for f, one in files.items()
    )
