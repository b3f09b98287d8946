"""Beyond the paper: today's senders and queues on its link, and windows below one packet.

`python -m papers.sub_packet.measure.today` writes the table and the figure that
docs/comparisons/below-one-packet.md shows.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from matplotlib import rc_context
from matplotlib.figure import Figure

from ackclock.papers import Context, ProgressCallback, load_paper
from ackclock.provenance import command_line, described_version, git_commit
from ackclock.report.figures import image
from ackclock.report.style import MATPLOTLIB

from . import webusers
from .drawing import COLOURS, MARKERS, legend_below, panels
from .study import WAYS, Case, Outcome, both, simulate_kinds

PAGE = Path(__file__).parents[3] / "published" / "comparisons" / "below-one-packet"
LOADS = (50, 100, 200, 400)
SHOWN = 200
"""Flows of the table: half a packet per round trip with a full buffer."""
TODAY = (
    ("tcp.initial_window", "10 packets"),
    ("tcp.receive_window", "unlimited"),
    ("tcp.timestamps", True),
    ("tcp.rto_initial", "1 s"),
    ("tcp.rto_min", "200 ms"),
    ("tcp.rto_max", "120 s"),
)
"""Linux's, but for delayed acknowledgments, which the paper leaves out."""


@dataclass(frozen=True)
class Setting:
    """A sender and a queue."""

    sender: str
    algorithm: str
    queue: str = "droptail"
    buffer: int | None = None
    """In packets; the paper's unless given."""
    is_today: bool = True

    @property
    def name(self) -> str:
        """For people."""
        return f"{self.sender}, {self.queue.partition('(')[0]}"

    def case(self, flows: int) -> Case:
        """This many flows over the paper's link."""
        settings = TODAY if self.is_today else ()
        return Case(
            flows=flows, algorithm=self.algorithm, queue=self.queue, buffer=self.buffer, settings=settings
        )


CUBIC = ("CUBIC with RACK-TLP", "rack+cubic")
BELOW_ONE = ("windows below one", "rack+subpacket")
SETTINGS = (
    Setting("the paper's SACK", "sack", is_today=False),
    Setting("the paper's SACK", "sack", "protect", is_today=False),
    Setting("the paper's SACK", "sack", "classes", is_today=False),
    Setting("the paper's SACK", "sack", "budgets", is_today=False),
    Setting(*CUBIC),
    Setting(*CUBIC, queue="red"),
    Setting(*CUBIC, queue="codel", buffer=1000),
    Setting(*CUBIC, queue="pie", buffer=1000),
    Setting(*CUBIC, queue="fq-codel", buffer=10240),
    Setting("Reno with RACK-TLP", "rack+reno", "fq-codel", 10240),
    Setting("BBRv1", "rack+bbr1"),
    Setting("BBRv3", "rack+bbr3"),
    Setting("BBRv3", "rack+bbr3", "fq-codel", 10240),
    Setting("TFRC", "tfrc"),
    Setting(*BELOW_ONE),
    Setting(*BELOW_ONE, queue="fq-codel", buffer=10240),
)
DRAWN = (0, 1, 2, 4, 8, 11, 14, 15)
"""Which of them the figure shows."""


def run(context: Context) -> dict[str, dict[str, list[Outcome]]]:
    """By kind of sender and name of the setting, a run per load."""
    cases = [setting.case(flows) for setting in SETTINGS for flows in LOADS]
    found = simulate_kinds(context, cases)
    return {
        kind: {
            setting.name: outcomes[i * len(LOADS) : (i + 1) * len(LOADS)]
            for i, setting in enumerate(SETTINGS)
        }
        for kind, outcomes in found.items()
    }


def hangs(context: Context) -> dict[str, float]:
    """The median over 200 users, four connections each, of the longest hang in ten minutes, in s."""

    def work(setting: Setting, told: ProgressCallback) -> float:
        case = both(setting.case(2 * 200))["random"]
        longest = webusers.hangs_of(context, case, 200, 4, told).longest_s
        return float(np.median(longest))

    found = context.each([(1.0, setting) for setting in SETTINGS], work)
    return {setting.name: hang for setting, hang in zip(SETTINGS, found, strict=True)}


def table(found: dict[str, dict[str, list[Outcome]]], longest: dict[str, float]) -> pl.DataFrame:
    """A row per setting, at half a packet per round trip."""
    at = LOADS.index(SHOWN)
    rows = []
    for setting in SETTINGS:
        random, clockwork = (found[kind][setting.name][at] for kind in ("random", "clockwork"))
        rows.append(
            {
                "sender": setting.sender,
                "queue": setting.queue,
                "lost": f"{100 * random.loss:.0f} %",
                "silent": f"{100 * random.silent.mean():.0f} %",
                "index": f"{random.short_term:.2f}",
                "round trip": f"{random.mean_rtt_s:.2f} s",
                "goodput": f"{100 * random.goodput:.0f} %",
                "longest hang": f"{longest[setting.name]:.0f} s",
                "clockwork: silent": f"{100 * clockwork.silent.mean():.0f} %",
                "clockwork: index": f"{clockwork.short_term:.2f}",
            }
        )
    return pl.DataFrame(rows)


def draw(found: dict[str, dict[str, list[Outcome]]]) -> Figure:
    """Fairness over 20 s against the number of flows."""
    figure, axes = panels(3.6)
    for kind, axis in axes.items():
        for number, (colour, marker) in zip(
            DRAWN, zip((*COLOURS, "black"), MARKERS, strict=True), strict=True
        ):
            name = SETTINGS[number].name
            index = [outcome.short_term for outcome in found[kind][name]]
            axis.plot(LOADS, index, marker=marker, color=colour, markersize=3.5, linewidth=0.9, label=name)
        axis.set(xscale="log", xlabel="flows over 1 Mbps", ylim=(0, 1.02))
        axis.set_xticks(LOADS, [str(flows) for flows in LOADS])
        axis.minorticks_off()
    axes["clockwork"].set_ylabel("Jain's index over 20 s")
    legend_below(figure, axes["clockwork"], 2)
    return figure


def main(arguments: Sequence[str]) -> None:
    """Writes what the page shows."""
    workers = int(arguments[0]) if arguments else None
    context = Context(load_paper(Path(__file__).parents[1]), quick=False, workers=workers)
    WAYS["random"] = {**WAYS["random"], "random": 1.0}  # a whole packet time, as the page has it
    found = run(context)
    PAGE.mkdir(exist_ok=True)
    table(found, hangs(context)).write_csv(PAGE / "table.csv")
    with rc_context(MATPLOTLIB):
        picture = image(draw(found), "json", {"Title": "Below one packet per round trip, today"})
    (PAGE / "fairness.json").write_bytes(picture)
    made = f"Ackclock {described_version(git_commit())}\n{command_line()}\n"
    (PAGE / "versions.txt").write_text(made, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
