"""A slow link that many users share, as a figure and tables: `python -m` with the name of this package.

It runs the missing points of the plans in this folder, which `ackclock sweep` runs too: three minutes of CPU
time the first time. Ctrl-C keeps the finished runs.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import polars as pl
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ackclock.measures import statistics
from ackclock.report import style
from ackclock.report.canvas import new_figure
from ackclock.report.figures import image
from ackclock.sweeps.sweep import Sweep, SweepInterrupted
from verification.comparisons.publication import (
    Rows,
    folder,
    made,
    parser,
    print_rows,
    swept,
    write_rows,
    write_versions,
    written,
)

REPOSITORY = Path(__file__).resolve().parents[3]
PLANS = Path(__file__).resolve().parent
RESULTS = REPOSITORY / "results" / "slow-link-sweep"
TODAY = "CUBIC of today"
USERS = "flow.0.count"
COLUMNS = (
    ("load time, s", "page_median_s", 1, 1),
    ("longest stall, s", "longest_stall_s", 1, 1),
    ("pages", "pages", 1, 0),
    ("finished, %", "finished_share", 100, 1),
    ("mean of finished, s", "page_s", 1, 1),
    ("lost, %", "loss_share", 100, 1),
    ("queueing, s", "queueing_delay_s", 1, 2),
)
"""Columns of the table of gateways: heading, metric, factor and digits."""
DRAWN = {"page_median_s": "page load time [s]", "longest_stall_s": "longest stall [s]"}
"""Rows of the figure: metric and axis."""


def main(arguments: Sequence[str]) -> int:
    """Returns 0, or 130 after Ctrl-C."""
    asked = parser("slow_link", __doc__)
    asked.add_argument("--folder", type=Path, default=RESULTS, help="where runs are, and are added to")
    asked.add_argument("--workers", type=int, help="runs side by side")
    chosen = asked.parse_args(arguments)
    try:
        sweeps = swept(PLANS, ("plan", "links"), chosen.folder, chosen.workers)
    except SweepInterrupted as interrupted:
        print(interrupted, file=sys.stderr)
        return 130
    target: Path = folder("slow-link") if chosen.publish else chosen.folder
    target.mkdir(parents=True, exist_ok=True)
    with rc_context(style.MATPLOTLIB):
        about = {"Title": sweeps["links"].plan.title, "Description": made()}
        (target / "users.json").write_bytes(image(draw(sweeps["links"]), "json", about))
    for file, rows in tables(sweeps):
        write_rows(rows, target / file)
        print(f"{file}:")
        print_rows(rows)
    write_versions(target)
    print(f"Figures and tables: {target}")
    return 0


def tables(sweeps: Mapping[str, Sweep]) -> Iterator[tuple[str, Rows]]:
    """Every table with its file."""
    one = sweeps["plan"].runs
    yield "gateways.csv", by_gateway(one.filter(pl.col("sender") == TODAY))
    yield "senders.csv", by_sender(one)
    yield "links.csv", by_link(sweeps["links"].runs)


def by_gateway(runs: pl.DataFrame) -> Rows:
    """A row per gateway with all quantities."""
    rows = [["gateway", *(heading for heading, *_ in COLUMNS)]]
    for (gateway,), mine in runs.group_by("gateway", maintain_order=True):
        rows.append([str(gateway), *(_mean(mine, key, factor, digits) for _, key, factor, digits in COLUMNS)])
    return rows


def by_sender(runs: pl.DataFrame) -> Rows:
    """A row per gateway, a column per sender."""
    senders = runs["sender"].unique(maintain_order=True).to_list()
    rows = [["gateway", *map(str, senders)]]
    for (gateway,), mine in runs.group_by("gateway", maintain_order=True):
        rows.append([str(gateway), *(_cell(mine.filter(pl.col("sender") == sender)) for sender in senders)])
    return rows


def by_link(runs: pl.DataFrame) -> Rows:
    """A row per sender, rate and number of users, a column per gateway."""
    gateways = runs["gateway"].unique(maintain_order=True).to_list()
    rows = [["sender", "rate", "users", *gateways]]
    for (sender, rate, users), mine in runs.sort(USERS, maintain_order=True).group_by(
        "sender", "rate", USERS, maintain_order=True
    ):
        cells = [_cell(mine.filter(pl.col("gateway") == gateway)) for gateway in gateways]
        rows.append([str(sender), str(rate), str(users), *cells])
    order = {rate: place for place, rate in enumerate(runs["rate"].unique(maintain_order=True))}
    return [rows[0], *sorted(rows[1:], key=lambda row: (row[0], order[row[1]], int(row[2])))]


def draw(done: Sweep) -> Figure:
    """Load time and longest stall against the number of users: a column per rate, a line per gateway."""
    runs = done.runs.filter(pl.col("sender") == TODAY)
    rates = runs["rate"].unique(maintain_order=True).to_list()
    figure, axes = new_figure(2, len(rates), 3.6, sharex=True, sharey="row")
    for row, (key, said) in enumerate(DRAWN.items()):
        for column, rate in enumerate(rates):
            panel = axes[row * len(rates) + column]
            _lines(panel, runs.filter(pl.col("rate") == rate), key)
            panel.set(xscale="log", yscale="log")
            if row == 0:
                panel.set_title(str(rate))
            if column == 0:
                panel.set_ylabel(said)
    for panel in axes:
        users = runs[USERS].unique().sort().to_list()
        panel.set_xticks(users, [str(count) for count in users])
        panel.minorticks_off()
    figure.supxlabel("users", fontsize=9)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper left", ncols=2, fontsize=8)
    return figure


def _lines(panel: Axes, runs: pl.DataFrame, key: str) -> None:
    looks = style.looks(runs["gateway"].unique(maintain_order=True).to_list())
    for gateway, look in looks.items():
        mine = runs.filter(pl.col("gateway") == gateway).group_by(USERS).agg(pl.col(key).mean()).sort(USERS)
        panel.plot(
            mine[USERS], mine[key], color=look.colour, marker=look.marker, markersize=3.5, label=gateway
        )


def _cell(runs: pl.DataFrame) -> str:
    """The load time and the longest stall in seconds, and the share of finished pages in per cent."""
    time, stall, share = (_value(runs, key) for key in ("page_median_s", "longest_stall_s", "finished_share"))
    return f"{_seconds(time)} / {_seconds(stall)} ({100 * share:.0f})"


def _seconds(value: float) -> str:
    return f"{value:.{0 if value >= 10 else 1}f}"


def _value(runs: pl.DataFrame, key: str) -> float:
    return statistics.mean_interval(runs[key]).estimate


def _mean(runs: pl.DataFrame, key: str, factor: float, digits: int) -> str:
    return written(statistics.mean_interval(runs[key] * factor), digits)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
