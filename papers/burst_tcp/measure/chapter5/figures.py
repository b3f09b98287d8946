"""Figures 15 to 35 in the axes of the thesis, with the stacks side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Literal

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from ackclock.measures.statistics import mean_interval
from ackclock.report.style import BLUE, GREEN, MATPLOTLIB, ORANGE, PURPLE, SKY, VERMILION

from ..file_runs import LOADS
from ..stack import STACKS, VARIANTS
from .experiment import BURSTS, CLASSES, SACK, WINDOWED, Contest, existing, pooled_mice
from .runs import Contests, Runs
from .s5_6_deployment import FLOWS, SENDERS, Mixtures

COLOURS = {"newreno": GREEN, "btcp4": VERMILION, "btcp8": BLUE, WINDOWED: ORANGE}
MARKERS = {"newreno": "^", "btcp4": "s", "btcp8": "o", WINDOWED: "D"}
NAMES = {**VARIANTS, WINDOWED: "NewReno, larger initial window"}
FURTHER = ((PURPLE, "v"), (SKY, "P"), ("#7a7a7a", "X"))
"""The colours and marks of competitors, in turn."""
WIDTH = 6.3
Drawn = dict[str, tuple[Figure, str]]


@dataclass(frozen=True)
class Look:
    """How a variant is drawn."""

    name: str
    colour: str
    marker: str


def looks(variants: Iterable[str]) -> dict[str, Look]:
    """The variants that are drawn, each with its look: all but SACK."""
    drawn = [name for name in variants if name != SACK]
    further = dict(zip((name for name in drawn if name not in COLOURS), cycle(FURTHER), strict=False))
    return {
        name: Look(name, *further[name])
        if name in further
        else Look(NAMES[name], COLOURS[name], MARKERS[name])
        for name in drawn
    }


def figures(runs: Runs) -> Drawn:
    """All of them, by name, with captions."""
    base = {name: contest.at_points(LOADS) for name, contest in runs.base.items()}
    plots: dict[str, tuple[Contests, str]] = {
        "figure-15a": (base, "one way, mice up to 32 packets"),
        "figure-15a-heavy": (runs.base, "one way, up to 2500 flows"),
        "figure-17": (runs.slow, "one way, 1 Mbit/s"),
        "figure-18": (runs.large, "one way, a buffer of 14 packets"),
        "figure-19": (runs.small, "one way, a buffer of 3 packets"),
        "figure-21": (runs.reverse, "both ways"),
        "figure-26": (runs.delayed, "both ways, delayed acknowledgments"),
        "figure-28a": (runs.udp["before"], "both ways, before the UDP flow"),
        "figure-28b": (runs.udp["during"], "both ways, during the UDP flow"),
        "figure-31a": (runs.hops, "two bottlenecks, no background traffic"),
        "figure-31b": (runs.crossed, "two bottlenecks, background traffic"),
    }
    bars: dict[str, tuple[Contests, str]] = {
        "figure-16": (base, "one way"),
        "figure-20": (runs.small, "one way, a buffer of 3 packets"),
        "figure-22": (runs.reverse, "both ways"),
        "figure-27": (runs.delayed, "both ways, delayed acknowledgments"),
        "figure-29": (runs.udp["during"], "both ways, during the UDP flow"),
        "figure-32": (runs.crossed, "two bottlenecks, background traffic"),
    }
    found = {
        name: (times(contests, name, what), _caption(name, what)) for name, (contests, what) in plots.items()
    }
    found |= {name: (losses(contests), _caption(name, what)) for name, (contests, what) in bars.items()}
    found["figure-15b"] = (
        times(base, "figure-15b", "one way, mice up to 82 packets", by_aest),
        _caption("figure-15b", "one way, mice up to the 82 packets of AEST"),
    )
    found["figure-23"] = (
        times(
            runs.reverse,
            "figure-23",
            "both ways",
            by_cov,
            "COV",
        ),
        "Figure 23: the coefficient of variation of the mice's transfer times, both ways. " + INTERVALS,
    )
    found["figure-24"] = (
        distributions(runs.reverse),
        """Figures 24 and 25: the distribution of the mice's transfer times, both ways, under the thesis'
        stack; the vertical line is their mean.""",
    )
    found["figure-33"] = (
        mixtures_times(runs.deployment),
        "Figure 33: the mice's mean transfer times while B-TCP takes NewReno's place. " + INTERVALS,
    )
    found["figure-34"] = (
        mixtures_losses(runs.deployment),
        """Figures 34 and 35: packets lost, in per cent of all packets, while B-TCP takes
        NewReno's place, under the thesis' stack.""",
    )
    return {name: (figure, " ".join(caption.split())) for name, (figure, caption) in found.items()}


INTERVALS = "95 % intervals over seeds; the stacks are those of the README."


def _caption(name: str, what: str) -> str:
    number = name.removeprefix("figure-").removesuffix("-heavy")
    shown = (
        "packets lost by mice and by elephants"
        if number.isdigit() and int(number) in LOSSES
        else ("the mice's mean transfer time")
    )
    return f"Figure {number}: {shown}, {what}. {INTERVALS}"


LOSSES = (16, 20, 22, 27, 29, 32)

Samples = Callable[[Contest, str, float], Sequence[float]]


def by_mice(contest: Contest, variant: str, point: float) -> Sequence[float]:
    """Mean times of mice up to 32 packets."""
    return contest.times(variant, point)


def by_aest(contest: Contest, variant: str, point: float) -> Sequence[float]:
    """The figure with the threshold of 82 packets from AEST."""
    return [run.by_aest["mice_transfer_s"] for run in contest.found[variant, point]]


def by_cov(contest: Contest, variant: str, point: float) -> Sequence[float]:
    """The coefficient of variation of the mice's times."""
    return contest.numbers("mice_transfer_cov", variant, point)


def _panels(rows: int, height: float, sharey: Literal["row", "all"] = "all") -> tuple[Figure, np.ndarray]:
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    return figure, figure.subplots(rows, len(STACKS), sharex=True, sharey=sharey, squeeze=False)


def times(
    contests: Contests, name: str, what: str, samples: Samples = by_mice, label: str = "transfer time in s"
) -> Figure:
    """A panel per stack, a line per variant over the number of flows."""
    with rc_context(MATPLOTLIB):
        figure, panels = _panels(1, 2.5)
        for axes, stack in zip(panels[0], STACKS, strict=True):
            contest = contests[stack.name]
            for variant, look in looks(contest.variants()).items():
                points = [mean_interval(existing(samples(contest, variant, n))) for n in contest.points]
                middle = np.asarray([interval.estimate for interval in points])
                half = np.nan_to_num([interval.half_width for interval in points])
                axes.errorbar(
                    contest.points, middle, yerr=half, color=look.colour, marker=look.marker,
                    ms=3.5, lw=1.1, capsize=2, label=look.name,
                )  # fmt: skip
            axes.set_title(stack.short)
            axes.set_xlabel("number of flows")
        panels[0][0].set_ylabel(label)
        panels[0][0].set_ylim(bottom=0)
        _legend(figure, panels[0][0], f"F{name[1:].replace('-', ' ').removesuffix(' heavy')}: {what}")
    return figure


def _legend(figure: Figure, axes: Axes, title: str = "") -> None:
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), title=title or None)


def losses(contests: Contests) -> Figure:
    """Bars of lost packets: a row per class, a column per stack."""
    with rc_context(MATPLOTLIB):
        figure, panels = _panels(len(CLASSES), 3.6, "row")
        for row, of in zip(panels, CLASSES, strict=True):
            for axes, stack in zip(row, STACKS, strict=True):
                contest = contests[stack.name]
                variants = looks(contest.variants())
                width = 0.8 / len(variants)
                for place, (variant, look) in enumerate(variants.items()):
                    points = [mean_interval(existing(contest.losses(of, variant, n))) for n in contest.points]
                    axes.bar(
                        np.arange(len(points)) + (place - (len(variants) - 1) / 2) * width,
                        [interval.estimate for interval in points],
                        width,
                        yerr=np.nan_to_num([interval.half_width for interval in points]),
                        color=look.colour,
                        label=look.name,
                        error_kw={"lw": 0.7},
                    )
                axes.set_xticks(range(len(contest.points)), [f"{n:.0f}" for n in contest.points])
                axes.tick_params(axis="x", labelsize=6.5)
                axes.set_title(stack.short if of == CLASSES[0] else "")
            row[0].set_ylabel(f"{of}: lost, % of all")
            row[0].set_ylim(bottom=0)
        for axes in panels[-1]:
            axes.set_xlabel("number of flows")
        _legend(figure, panels[0][0])
    return figure


def distributions(contests: Contests) -> Figure:
    """The share of mice that took no longer, at the least and the greatest load: all but B-TCP(4)."""
    contest = contests[STACKS[0].name]
    drawn = looks(("btcp8", "newreno", *(name for name in contest.rivals() if name not in VARIANTS)))
    with rc_context(MATPLOTLIB):
        figure = Figure(figsize=(WIDTH, 2.1 * len(drawn)), layout="constrained")
        ends = (contest.points[0], contest.points[-1])
        panels = figure.subplots(len(drawn), len(ends), sharex=True, sharey=True)
        for row, (variant, look) in zip(panels, drawn.items(), strict=True):
            for axes, point in zip(row, ends, strict=True):
                values = np.sort(np.concatenate(pooled_mice(contest, variant, point)))
                shares = 100 * np.arange(1, values.size + 1) / values.size
                kept = np.linspace(0, values.size - 1, min(values.size, 600)).astype(int)
                axes.step(values[kept], shares[kept], color=look.colour, where="post")
                axes.axvline(float(values.mean()), color="#7a7a7a", lw=0.8, dashes=(4, 2))
                axes.set_title(f"{look.name}, {point:.0f} flows")
                axes.set(xlim=(0, 2), ylim=(0, 100))
            row[0].set_ylabel("mice, %")
        for axes in panels[-1]:
            axes.set_xlabel("transfer time in s")
    return figure


def mixtures_times(deployed: Mapping[str, Mixtures]) -> Figure:
    """Figure 33: a row per B-TCP, a column per stack."""
    variants = deployed[STACKS[0].name].variants
    drawn = looks(("newreno", *variants))
    with rc_context(MATPLOTLIB):
        figure, panels = _panels(len(variants), 1.9 * len(variants), "row")
        for row, variant in zip(panels, variants, strict=True):
            for axes, stack in zip(row, STACKS, strict=True):
                mixtures = deployed[stack.name]
                if variant not in mixtures.variants:
                    continue
                for sender, look in zip(SENDERS, (drawn["newreno"], drawn[variant]), strict=True):
                    none_of_it = FLOWS if sender == "newreno" else 0
                    steps = [step for step in mixtures.steps if step != none_of_it]
                    points = [mixtures.interval(variant, step, sender) for step in steps]
                    axes.errorbar(
                        steps, [point.estimate for point in points],
                        yerr=np.nan_to_num([point.half_width for point in points]), color=look.colour,
                        marker=look.marker, ms=3.5, lw=1.1, capsize=2, label=look.name,
                    )  # fmt: skip
                axes.set_title(stack.short if variant == variants[0] else "")
            row[0].set_ylabel("transfer time in s")
            row[0].set_ylim(bottom=0)
            row[0].legend(loc="lower left", fontsize=7)
        for axes in panels[-1]:
            axes.set_xlabel("B-TCP flows of 1200")
    return figure


def mixtures_losses(deployed: Mapping[str, Mixtures]) -> Figure:
    """Figures 34 and 35: stacked bars, a row per class, a column per B-TCP."""
    mixtures = deployed[STACKS[0].name]
    drawn = looks(("newreno", *mixtures.variants))
    between = ", " if len(mixtures.variants) == len(BURSTS) else "\n"
    with rc_context(MATPLOTLIB):
        figure = Figure(figsize=(WIDTH, 4.2), layout="constrained")
        panels = figure.subplots(len(CLASSES), len(mixtures.variants), sharey="row", sharex=True)
        places = range(len(mixtures.steps))
        for row, of in zip(panels, CLASSES, strict=True):
            for axes, variant in zip(row, mixtures.variants, strict=True):
                bottom = np.zeros(len(mixtures.steps))
                for sender, look in zip(SENDERS, (drawn["newreno"], drawn[variant]), strict=True):
                    heights = [
                        float(np.nanmean(mixtures.lost(of, variant, step, sender))) for step in mixtures.steps
                    ]
                    axes.bar(places, heights, 0.7, bottom=bottom, color=look.colour, label=look.name)
                    bottom += heights
                axes.set_xticks(places, [str(step) for step in mixtures.steps])
                axes.set_title(f"{of}{between}{drawn[variant].name}")
            row[0].set_ylabel(f"{of}: lost, % of all")
        for axes in panels[-1]:
            axes.set_xlabel("B-TCP flows of 1200")
        handles = [Patch(color=look.colour, label=look.name) for look in drawn.values()]
        figure.legend(handles=handles, loc="outside upper center", ncols=len(handles))
    return figure
