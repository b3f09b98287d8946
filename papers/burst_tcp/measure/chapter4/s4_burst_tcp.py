"""Chapter 4: windows of slow start, of its generalisation and of B-TCP, and how f and mice_t were chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from ackclock import Result
from ackclock.papers import Context, Holds, Measured, Values

from . import chapter4_figures as figures
from .stack import STACKS, THESIS, Stack
from .study import ByStack, Floats, Study

COUNT = 0
FACTORS = range(2, 17)
THRESHOLDS = range(8, 81, 8)
RTT_S = 1 + 1064 * 8 / 1.5e6 + 40 * 8 / 1.5e6
"""The round trip of a packet over the path of 4.3."""
PACKETS = 64
ROOM_PACKETS = 32
"""The capacity of the network of the examples in 3.2.5, 4.1 and 4.2."""
LOSS_S = 3.0
BIG_BURST = 10
"""Packets; 4.3 calls a first burst of more dangerous."""
GROWTHS = ("standard", "base(b=3)", "base(b=4)", "btcp(f=4)", "btcp(f=8)")
"""Slow starts of figures 7 and 8 and of the text's examples."""


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


def measure(study: Study) -> ByStack:
    """All of chapter 4."""
    context = study.context
    choices = {stack.name: Choice.of(context, stack) for stack in STACKS}
    measured: ByStack = {
        name: {**factors(choice), **factors_with_loss(choice), **thresholds(choice)}
        for name, choice in choices.items()
    }
    windows = {name: growth(context, name) for name in GROWTHS}
    measured[THESIS.name] |= flow_level(context, windows)
    _report(context, windows, choices)
    return measured


# --- 4.1 and 4.2: windows by round trips, from one packet on ---


def growth(context: Context, slow_start: str) -> Floats:
    """The window in each round trip over the path, until it is past 64 packets."""
    settings = {
        "tcp.handshake": False,
        "tcp.initial_window": "1 packets",
        "tcp.receive_window": "unlimited",
        "flow.0.packets": 2000,
        "duration": "14 s",
        "trace.interval": "10 ms",
    }
    result = context.run(
        context.scenario("path", {**settings, "tcp.algorithm": f"newreno+{slow_start}+reno(limit=1)"})
    )
    windows = by_round(result, 0.0)
    past = np.flatnonzero(windows >= PACKETS)
    return windows[: past[0] + 1] if past.size else windows


def by_round(result: Result, begin_s: float) -> Floats:
    """Windows near the end of each round trip; of all packets of a file, acknowledgments are in by then."""
    series = result.flow_series
    times = series["time_s"].to_numpy()
    ends = np.arange(begin_s + 0.9 * RTT_S, times[-1], RTT_S)
    places = np.searchsorted(times, ends, side="right") - 1
    return np.asarray(series["cwnd_packets"].to_numpy()[places], dtype=np.float64)


def rounds_for(windows: Floats, packets: int) -> int:
    """Round trips in which windows of these sizes send so many packets."""
    return int(np.searchsorted(np.cumsum(np.floor(windows)), packets)) + 1


def flow_level(context: Context, windows: Mapping[str, Floats]) -> dict[str, Measured]:
    """4.1 and 4.2, and the example of 3.2.5."""
    room = {name: in_room(context, name, PACKETS) for name in windows}
    standard = rounds_for(windows["standard"], PACKETS)
    burst = {f: rounds_for(windows[f"btcp(f={f})"], PACKETS) for f in (4, 8)}
    factors = windows["base(b=3)"][1:] / windows["base(b=3)"][:-1]
    reached = {b: int(np.argmax(windows[name] >= PACKETS)) for b, name in ((2, "standard"), (4, "base(b=4)"))}
    text = ", ".join(f"{name} {time:.2f} s with {lost} lost" for name, (time, lost, _) in room.items())
    lost = in_room(context, "standard", 4 * PACKETS)[2]
    return {
        "base-3": Values([float(np.mean(factors))]),
        "base-2-reaches-64": Values([reached[2]]),
        "base-4-reaches-64": Values([reached[4]]),
        "base-2-sent": Values([before_loss(context, "standard")]),
        "base-4-sent": Values([before_loss(context, "base(b=4)")]),
        "base-2-ahead": Holds(
            [room["standard"][1] == 0, room["standard"][0] < room["base(b=4)"][0]], note=text
        ),
        "half-lost": Values(
            [100 * float(np.sum((lost >= PACKETS - 1) & (lost < 2 * PACKETS - 1))) / PACKETS]
        ),
        "btcp4-earlier": Values([standard - burst[4]]),
        "btcp8-rounds": Values([burst[8]]),
        "btcp8-as-slow-start": Values([burst[8] - standard]),
        "btcp-no-loss": Holds([room[f"btcp(f={f})"][1] == 0 for f in (4, 8)], note=text),
        "slow-start-loses": Holds([room["standard"][1] > 0], note=text),
    }


def in_room(context: Context, slow_start: str, packets: int) -> tuple[float, int, Floats]:
    """A file over a path that holds 32 packets: its time, what was lost, and the ordinals of that from 0.

    The path is the base experiment's, with a queue in which a window of 32 packets fits, and not many more.
    """
    settings = {
        "flow.0.count": 1,
        "flow.0.start_jitter": "0 s",
        "flow.0.size": f'{{ constant = "{packets} packets" }}',
        "duration": "60 s",
        "topology.dumbbell.bottleneck.buffer": "16 packets",
        "tcp.handshake": False,
        "tcp.initial_window": "1 packets",
        "tcp.receive_window": "unlimited",
        "tcp.algorithm": f"newreno+{slow_start}+reno(limit=1)",
        "trace.flows": True,
        "trace.interval": "1 s",
    }
    result = context.run(context.scenario("base", settings))
    file = result.transfers.row(0, named=True)
    lost = result.drops["sequence_bytes"].to_numpy() // 1024
    return float(file["finish_s"] - file["start_s"]), int(file["packets_lost"]), lost.astype(np.float64)


def before_loss(context: Context, slow_start: str) -> float:
    """Packets sent before the first that is lost, on the path that holds 32."""
    return float(in_room(context, slow_start, 4 * PACKETS)[2].min())


# --- 4.3: one file of 64 packets ---


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


def _report(context: Context, windows: Mapping[str, Floats], choices: Mapping[str, Choice]) -> None:
    """The figures, and the times under every stack."""
    for name, (figure, caption) in figures.all_of(windows, choices).items():
        context.figure(name, figure, " ".join(caption.split()))
    for name, standard, files in (
        ("files", "standard", "files"),
        ("files-with-loss", "standard_lossy", "lossy"),
    ):
        columns = {
            stack: [getattr(choice, standard), *getattr(choice, files).values()]
            for stack, choice in choices.items()
        }
        times = {stack: [f"{one.time_s:.2f}" for one in found] for stack, found in columns.items()}
        variants = ["NewReno", *(f"B-TCP({f})" for f in FACTORS)]
        context.table(name, pl.DataFrame({"variant": variants, **times}))
