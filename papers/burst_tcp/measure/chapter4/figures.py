"""Figures 7, 8 and 10 to 13."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from ackclock.report.style import BLUE, GREEN, MATPLOTLIB, ORANGE, PURPLE, SKY, VERMILION

from ..file_runs import Floats
from ..stack import STACKS, THESIS
from .s4_3_parameters import Choice, File

WIDTH = 6.3
GREY = "#7a7a7a"
STANDARD, BURST = GREEN, SKY
LINES = (
    ("o", VERMILION, ()),
    ("s", ORANGE, (5, 1)),
    ("^", BLUE, (2, 1)),
    ("D", PURPLE, (1, 1)),
)
"""Marker, colour and dash of the first, second .. line of a plot."""
NAMES = {
    "standard": "slow start",
    "base(b=3)": "base 3",
    "base(b=4)": "base 4",
    "btcp(f=4)": "B-TCP(4)",
    "btcp(f=8)": "B-TCP(8)",
}
Drawn = dict[str, tuple[Figure, str]]


def all_of(windows: Mapping[str, Floats], choices: Mapping[str, Choice]) -> Drawn:
    """All of them, by name, with captions."""
    thesis = choices[THESIS.name]
    by_f = {f"f = {f}": thesis.files[f] for f in (2, 3, 4, 5)}
    by_mice = {f"mice_t = {mice}": thesis.by_mice[4, mice] for mice in (32, 40, 56, 80)}
    return {
        "figure-7": (
            growth(windows),
            """Figures 7 and 8: windows in each round trip, from one packet and without losses. Dashed: what
            the network of the text's examples holds.""",
        ),
        "figure-10": (
            factors(choices),
            """Figure 10: times of a file of 64 packets with NewReno (N) and B-TCP, f from 2 to 16; above
            without losses, below with a packet lost at 3 s. Dashed: NewReno's time.""",
        ),
        "figure-11": (
            by_round(by_f),
            "Figure 11: windows in each round trip, f from 2 to 5, up to the end of the file, as it was run.",
        ),
        "figure-12": (
            thresholds(choices),
            """Figure 12: times of the file with NewReno (N) and B-TCP, mice_t from 8 to 80; above f = 4,
            below f = 8. Dashed: NewReno's time.""",
        ),
        "figure-13": (
            by_round(by_mice),
            "Figure 13: windows in each round trip, f = 4, mice_t from 32 to 80, as it was run.",
        ),
    }


def growth(windows: Mapping[str, Floats]) -> Figure:
    """Figures 7 and 8, side by side."""
    with rc_context(MATPLOTLIB):
        figure = Figure(figsize=(WIDTH, 2.7), layout="constrained")
        panels = figure.subplots(1, 2, sharey=True)
        shown = (("standard", "base(b=3)", "base(b=4)"), ("standard", "btcp(f=4)", "btcp(f=8)"))
        for axes, names, title in zip(
            panels, shown, ("Figure 7: generalised slow start", "Figure 8: B-TCP"), strict=True
        ):
            _lines(axes, {NAMES[name]: windows[name] for name in names}, 0)
            axes.axhline(32, color=GREY, lw=0.8, dashes=(4, 2))
            axes.set(ylim=(0, 85), title=title)
        panels[0].set_ylabel("cwnd in packets")
    return figure


def by_round(files: Mapping[str, File]) -> Figure:
    """Windows of files, one per round trip after the handshake."""
    with rc_context(MATPLOTLIB):
        figure = Figure(figsize=(WIDTH, 2.6), layout="constrained")
        axes = figure.subplots()
        _lines(axes, {name: file.windows[: int(file.time_s)] for name, file in files.items()}, 1)
        axes.axhline(10, color=GREY, lw=0.8, dashes=(4, 2))
        axes.set_ylabel("cwnd in packets")
        axes.set_ylim(0)
    return figure


def _lines(axes: Axes, windows: Mapping[str, Floats], first: int) -> None:
    for (name, values), (marker, colour, dash) in zip(windows.items(), LINES, strict=False):
        rounds = first + np.arange(len(values))
        (line,) = axes.plot(rounds, values, marker=marker, color=colour, label=name, ms=4)
        if dash:
            line.set_dashes(dash)
    axes.set_xlabel("round trips")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.legend()


def factors(choices: Mapping[str, Choice]) -> Figure:
    """Figure 10 for every stack."""
    rows = {
        "no loss: time in s": {
            name: (choice.standard, list(choice.files.values())) for name, choice in choices.items()
        },
        "loss at 3 s: time in s": {
            name: (choice.standard_lossy, list(choice.lossy.values())) for name, choice in choices.items()
        },
    }
    factors = list(choices[THESIS.name].files)
    return _bars(rows, factors, [f for f in factors if f % 4 == 0], "f")


def thresholds(choices: Mapping[str, Choice]) -> Figure:
    """Figure 12 for every stack."""
    mice = sorted({mice for _, mice in choices[THESIS.name].by_mice})
    rows = {
        f"f = {f}: time in s": {
            name: (choice.standard, [choice.by_mice[f, value] for value in mice])
            for name, choice in choices.items()
        }
        for f in (4, 8)
    }
    return _bars(rows, mice, [value for value in mice if value % 32 == 0], "mice_t in packets")


def _bars(
    rows: Mapping[str, Mapping[str, tuple[File, Sequence[File]]]],
    values: Sequence[int],
    ticks: Sequence[int],
    label: str,
) -> Figure:
    """A row of panels each, a panel per stack: NewReno's bar first, then B-TCP's."""
    with rc_context(MATPLOTLIB):
        figure = Figure(figsize=(WIDTH, 4.2), layout="constrained")
        panels = figure.subplots(len(rows), len(STACKS), sharex=True, sharey=True)
        for row, (line, (title, found)) in enumerate(zip(panels, rows.items(), strict=True)):
            for axes, stack in zip(line, STACKS, strict=True):
                standard, files = found[stack.name]
                axes.bar(-1, standard.time_s, 0.8, color=STANDARD)
                axes.bar(range(len(values)), [file.time_s for file in files], 0.8, color=BURST)
                axes.axhline(standard.time_s, color=STANDARD, lw=0.8, dashes=(4, 2))
                axes.set_xticks([-1, *(values.index(tick) for tick in ticks)], ["N", *map(str, ticks)])
                axes.grid(visible=False, axis="x")
                axes.set_title(stack.short if row == 0 else "")
            line[0].set_ylabel(title)
        for axes in panels[-1]:
            axes.set_xlabel(label)
    return figure
