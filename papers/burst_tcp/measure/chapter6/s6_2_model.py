"""6.2: an analytical model, `ackclock.models.FileModel`, and simulations of what it describes.

Files alone on a path of 100 ms that loses packets at random, by NewReno with standard slow start and with
B-TCP(4) and B-TCP(8), all from a window of one packet.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
from matplotlib import rc_context
from matplotlib.figure import Figure

from ackclock import Scenario, load_scenario, run
from ackclock.measures.statistics import mean_interval
from ackclock.models import FileModel
from ackclock.papers import Each
from ackclock.report.style import BLUE, MATPLOTLIB, ORANGE

from ..file_runs import ByStack, Study, better
from ..stack import THESIS

__all__ = ["COUNT", "measure"]

COUNT = 1
RTT_S = 0.1
SENDERS: Mapping[str, float | None] = {"NewReno": None, "B-TCP(4)": 4.0, "B-TCP(8)": 8.0}
"""By smoothing-out factor."""
STANDARD = "NewReno"
LOSSES = (0.0, 0.01, 0.02, 0.05)
PACKETS = (8, 16, 32, 48, 64)
RUNS, RUNS_QUICK = 10, 3
"""Each run has files of its own."""
FILES, FILES_QUICK = 2000, 200
"""Of each run."""
Key = tuple[str, int, float]
"""A sender, the packets of a file, and a loss rate."""


@dataclass(frozen=True)
class Point:
    """One sender, size and loss rate."""

    model_s: float
    simulated_s: list[float]
    """The mean of each run."""


def measure(study: Study) -> ByStack:
    """Table and figure, and whether the model has the gains."""
    context = study.context
    runs, files = (RUNS_QUICK, FILES_QUICK) if context.quick else (RUNS, FILES)
    scenarios = {
        (sender, packets, loss): scenario(sender, packets, loss, files)
        for sender in SENDERS
        for packets in PACKETS
        for loss in LOSSES
    }
    wanted = [(key, seed) for key in scenarios for seed in range(1, 1 + (runs if key[2] else 1))]

    def work(item: tuple[Key, int], told: Callable[[float], bool]) -> float:
        key, seed = item
        found = run(scenarios[key], seed=seed, progress=told).transfers
        return float((found["finish_s"] - found["start_s"]).to_numpy().mean())

    made = context.each([(float(files), item) for item in wanted], work)
    simulated: dict[Key, list[float]] = {}
    for (key, _), seconds in zip(wanted, made, strict=True):
        simulated.setdefault(key, []).append(seconds)
    points = {
        (sender, packets, loss): Point(
            FileModel(RTT_S, f=SENDERS[sender]).completion_s(packets, loss), seconds
        )
        for (sender, packets, loss), seconds in simulated.items()
    }
    context.table("completion-model", _table(points))
    context.figure(
        "completion-model",
        _draw(points),
        "Times of files over a path of 100 ms by the model (lines) and by simulation (marks, with 95 % "
        "intervals), by loss rate.",
    )
    return {THESIS.name: {"model-gains": _gains(points)}}


def scenario(sender: str, packets: int, loss: float, files: int) -> Scenario:
    """Files of this many packets, each alone on a path without a queue."""
    f = SENDERS[sender]
    slow_start = "standard(limit=1)" if f is None else f"btcp(f={f:g})"
    link: dict[str, object] = {"from": "a", "to": "b", "rate": "1 Gbit/s", "delay": f"{RTT_S / 2} s"}
    if loss:
        # Acknowledgments are not lost: the model has none.
        link |= {"loss": {"bernoulli": loss}, "reverse": {"loss": {"bernoulli": 0.0}}}
    return load_scenario(
        {
            "name": "files",
            "duration": f"{files + 400} s",
            "topology": {"graph": {"link": [link]}},
            "tcp": {
                "algorithm": f"newreno+{slow_start}+reno(limit=1)",
                "initial_window": "1 packets",
                "segments_per_ack": 1,
                "limited_transmit": False,
            },
            "flow": [
                {"from": "a", "to": "b", "packets": packets, "count": files, "start_jitter": f"{files} s"}
            ],
        }
    )


def _gain(points: Mapping[Key, Point], key: Key) -> tuple[float, list[float]]:
    """By how many per cent NewReno takes longer: by the model, and in the simulation as a sample per run."""
    mine, standard = points[key], points[STANDARD, *key[1:]]
    by_model = 100 * (standard.model_s / mine.model_s - 1)
    return by_model, better(standard.simulated_s, mine.simulated_s)


def _gains(points: Mapping[Key, Point]) -> Each:
    """The gain by the model less that in each run, in points, where packets are lost."""
    apart: dict[str, list[float]] = {}
    for key in points:
        sender, packets, loss = key
        if sender != STANDARD and loss:
            by_model, sample = _gain(points, key)
            apart[f"{sender}, {packets} packets, {100 * loss:g} % lost"] = [by_model - one for one in sample]
    return Each(apart)


def _table(points: Mapping[Key, Point]) -> pl.DataFrame:
    """A row per sender, size and loss rate."""
    rows = []
    for (sender, packets, loss), point in points.items():
        by_model, sample = _gain(points, (sender, packets, loss))
        mean = 1e3 * float(np.mean(point.simulated_s))
        rows.append(
            {
                "sender": sender,
                "packets": packets,
                "loss, %": round(100 * loss),
                "model, ms": round(1e3 * point.model_s, 1),
                "simulation, ms": _interval([1e3 * value for value in point.simulated_s]),
                "model above it, %": round(100 * (1e3 * point.model_s / mean - 1), 1),
                "gain by the model, %": round(by_model, 1),
                "gain in the simulation, %": _interval(sample),
            }
        )
    return pl.DataFrame(rows)


def _interval(values: list[float]) -> str:
    if len(values) == 1:
        return f"{values[0]:.1f}"
    found = mean_interval(values)
    return f"{found.estimate:.1f} ± {found.half_width:.1f}"


def _draw(points: Mapping[Key, Point]) -> Figure:
    """A panel per loss rate: times against sizes."""
    looks = dict(zip(SENDERS, (("0.35", "o"), (BLUE, "s"), (ORANGE, "^")), strict=True))
    with rc_context(MATPLOTLIB):
        figure = Figure(figsize=(7.2, 2.7), layout="constrained")
        panels = figure.subplots(1, len(LOSSES), sharex=True)
        for axes, loss in zip(panels, LOSSES, strict=True):
            sizes = np.arange(PACKETS[0], PACKETS[-1] + 1)
            for sender, (colour, marker) in looks.items():
                model = FileModel(RTT_S, f=SENDERS[sender])
                axes.plot(sizes, [model.completion_s(int(n), loss) for n in sizes], color=colour, lw=1.0)
                found = [mean_interval(points[sender, n, loss].simulated_s) for n in PACKETS]
                axes.errorbar(
                    PACKETS, [one.estimate for one in found],
                    yerr=[np.nan_to_num(one.half_width) for one in found],
                    fmt=marker, ms=3.5, color=colour, elinewidth=0.9, label=sender,
                )  # fmt: skip
            axes.set_title(f"{100 * loss:g} % lost")
            axes.set_xlabel("packets")
            axes.set_ylim(bottom=0)
        panels[0].set_ylabel("time, s")
        panels[0].legend(loc="lower right")
    return figure
