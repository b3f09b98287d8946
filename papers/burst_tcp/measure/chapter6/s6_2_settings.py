"""The future work of the thesis: the best f and mice_t (6.2), and B-TCP on long fat pipes (5.5).

    python -m papers.burst_tcp.measure.chapter6.s6_2_settings

runs the two plans in plans/ (what is in results/burst-tcp-beyond already is not run again) and renews the
figures and tables of the page docs/comparisons/burst-tcp-settings.md.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

import ackclock
from ackclock import Result, Sweep
from ackclock.measures.statistics import mean_interval
from ackclock.provenance import command_line
from ackclock.report.figures import image
from ackclock.report.style import BLUE, GREEN, MATPLOTLIB, ORANGE, VERMILION

PAPER = Path(__file__).resolve().parents[2]
STORE = Path("results/burst-tcp-beyond")
PAGE = PAPER.parents[1] / "published" / "comparisons" / "burst-tcp-settings"
STANDARD = "standard"
THESIS = ("f=4, mice=32", "f=8, mice=32")
NETWORK = ("stack", "round_trip", "topology.dumbbell.bottleneck.buffer", "flow.0.count")
"""The axes that are not B-TCP's."""
BUFFER, COUNT = NETWORK[2:]
LINK_PACKETS_PER_S = 21_000
AVOIDANCES = {"hstcp": BLUE, "htcp": GREEN, "cubic": ORANGE}
SHADES, MOST_SHADE = "YlGn", 45
"""Colours of gains in per cent, from 0 on."""
JOIN_S = 30.0
"""When the second flow of the long fat pipe begins, or up to a second later."""


def main() -> None:
    """Runs both plans and writes the page's figures and tables."""
    PAGE.mkdir(exist_ok=True)
    settings = ackclock.sweep(PAPER / "plans" / "best-setting.toml", STORE / "settings", progress=_tell)
    cells = by_cell(settings)
    _save("where", where_figure(cells))
    _save("regret", regret_figure(cells))
    regrets(cells).write_csv(PAGE / "regret.csv", float_precision=1)
    by_buffer(cells).write_csv(PAGE / "buffers.csv", float_precision=1)
    thesis_table(cells).write_csv(PAGE / "thesis.csv", float_precision=1)
    begun = ackclock.sweep(
        PAPER / "plans" / "high-speed.toml", STORE / "high-speed", measure=beginnings, progress=_tell
    )
    high = high_speed(begun)
    high.write_csv(PAGE / "high-speed.csv")
    _save("high-speed", high_speed_figure(begun))


def _tell(done: float, total: float) -> None:
    sys.stderr.write(f"\r{100 * done / total:5.1f} %")


def _save(name: str, figure: Figure) -> None:
    about = {"Title": f"Burst TCP's settings: {name}", "Description": f"command: {command_line()}"}
    (PAGE / f"{name}.json").write_bytes(image(figure, "json", about))


# --- f and mice_t ---


def by_cell(sweep: Sweep) -> pl.DataFrame:
    """A row per network and setting: the mice's mean time, compared with the standard's and the best."""
    means = sweep.runs.group_by(*NETWORK, "label", maintain_order=True).agg(
        pl.col("mice_transfer_s").mean().alias("time_s"),
        (100 * pl.col("mice_loss_share").mean()).alias("mice_lost_percent"),
        (100 * pl.col("elephants_loss_share").mean()).alias("elephants_lost_percent"),
        pl.col("elephants_goodput_bit_per_s").mean().alias("elephants_bit_per_s"),
    )
    standard = means.filter(pl.col("label") == STANDARD).select(
        *NETWORK,
        pl.col("time_s").alias("standard_s"),
        pl.col("elephants_bit_per_s").alias("standard_elephants_bit_per_s"),
    )
    return means.join(standard, on=list(NETWORK), maintain_order="left").with_columns(
        (100 * (pl.col("standard_s") / pl.col("time_s") - 1)).alias("gain_percent"),
        (100 * (pl.col("time_s") / pl.col("time_s").min().over(*NETWORK) - 1)).alias("regret_percent"),
        (100 * (pl.col("elephants_bit_per_s") / pl.col("standard_elephants_bit_per_s") - 1)).alias(
            "elephants_percent"
        ),
    )


def regrets(cells: pl.DataFrame) -> pl.DataFrame:
    """A row per stack and setting: gains over the networks, and how far it is from the best of each."""
    return (
        cells.group_by("stack", "label", maintain_order=True)
        .agg(
            pl.col("gain_percent").mean().alias("mean gain, %"),
            pl.col("gain_percent").min().alias("least gain, %"),
            pl.col("regret_percent").mean().alias("mean regret, %"),
            pl.col("regret_percent").max().alias("largest regret, %"),
            pl.col("elephants_percent").mean().alias("elephants' goodput, %"),
            pl.col("mice_lost_percent").mean().alias("mice lose, %"),
        )
        .sort("stack", "mean regret, %", maintain_order=True)
        .rename({"label": "setting"})
    )


def by_buffer(cells: pl.DataFrame, window: int = 2) -> pl.DataFrame:
    """A row per setting, the largest first step first: mean gains in % by buffer."""
    buffers = cells[BUFFER].unique(maintain_order=True).to_list()
    mine = cells.filter((pl.col("stack") == f"initial window {window}") & (pl.col("label") != STANDARD))
    rows = []
    for (label,), some in mine.group_by("label", maintain_order=True):
        f, mice = (int(part.partition("=")[2]) for part in str(label).split(", "))
        gains = dict(some.group_by(BUFFER).agg(pl.col("gain_percent").mean()).iter_rows())
        step = max(1, (mice - window) // f)
        rows.append(
            {"setting": label, "first step, packets": step, **{name: gains[name] for name in buffers}}
        )
    table = pl.DataFrame(rows)
    return table.sort("first step, packets", descending=True, maintain_order=True)


def thesis_table(cells: pl.DataFrame) -> pl.DataFrame:
    """A row per network: what the thesis' two settings gain, and the best one."""
    rows = []
    for key, mine in cells.group_by(*NETWORK, maintain_order=True):
        best = mine.sort("time_s", maintain_order=True).to_dicts()[0]
        gains = dict(zip(mine["label"], mine["gain_percent"], strict=True))
        rows.append(
            {
                **dict(zip(("stack", "round trip", "buffer", "files"), key, strict=True)),
                **{f"{label}: gain, %": gains[label] for label in THESIS},
                "best": best["label"],
                "its gain, %": best["gain_percent"],
            }
        )
    return pl.DataFrame(rows)


def where_figure(cells: pl.DataFrame) -> Figure:
    """In every network the setting with the least time, and its gain: a panel per stack and round trip."""
    stacks, trips, buffers, counts = (cells[name].unique(maintain_order=True).to_list() for name in NETWORK)
    best = cells.sort("time_s", maintain_order=True).group_by(*NETWORK, maintain_order=True).first()
    with rc_context(MATPLOTLIB):
        figure = Figure(figsize=(6.3, 6.6), layout="constrained")
        panels = figure.subplots(len(trips), len(stacks), sharex=True, sharey=True)
        for row, trip in zip(panels, trips, strict=True):
            for axes, stack in zip(row, stacks, strict=True):
                mine = best.filter((pl.col("stack") == stack) & (pl.col("round_trip") == trip))
                _cells(axes, mine, buffers, counts)
                axes.set_title(f"{stack}, {trip}")
            row[0].set_ylabel("files")
        for axes in panels[-1]:
            axes.set_xlabel("buffer, packets waiting")
        shades = ScalarMappable(Normalize(0, MOST_SHADE), SHADES)
        figure.colorbar(shades, ax=panels, label="gain over standard slow start, %", shrink=0.6)
    return figure


def _cells(axes: Axes, best: pl.DataFrame, buffers: Sequence[str], counts: Sequence[int]) -> None:
    gains = np.zeros((len(counts), len(buffers)))
    for row in best.to_dicts():
        y, x = counts.index(row[COUNT]), buffers.index(row[BUFFER])
        gains[y, x] = row["gain_percent"]
        name = (
            "standard" if row["label"] == STANDARD else row["label"].replace("f=", "").replace(" mice=", " ")
        )
        axes.text(x, y, f"{name}\n{row['gain_percent']:+.0f} %", ha="center", va="center", fontsize=7)
    axes.imshow(gains, cmap=SHADES, vmin=0, vmax=MOST_SHADE, aspect="auto", origin="lower")
    axes.set_xticks(range(len(buffers)), [text.removesuffix(" packets") for text in buffers])
    axes.set_yticks(range(len(counts)), [str(count) for count in counts])
    axes.grid(visible=False)


def regret_figure(cells: pl.DataFrame) -> Figure:
    """The slowdown of a setting relative to the best, over all networks: f across, a line per mice_t."""
    table = cells.filter(pl.col("label") != STANDARD).with_columns(
        pl.col("label").str.extract(r"f=(\d+)").cast(pl.Int64).alias("f"),
        pl.col("label").str.extract(r"mice=(\d+)").cast(pl.Int64).alias("mice"),
    )
    stacks = cells["stack"].unique(maintain_order=True).to_list()
    with rc_context(MATPLOTLIB):
        figure = Figure(figsize=(6.3, 4.4), layout="constrained")
        panels = figure.subplots(2, len(stacks), sharex=True, sharey="row")
        for column, stack in enumerate(stacks):
            for row, (how, words) in enumerate((("mean", "mean"), ("max", "largest"))):
                axes = panels[row][column]
                for mice, colour, marker in zip((16, 32, 64), (ORANGE, BLUE, GREEN), "s^o", strict=True):
                    mine = table.filter((pl.col("stack") == stack) & (pl.col("mice") == mice))
                    regret = pl.col("regret_percent")
                    points = (
                        mine.group_by("f").agg(regret.mean() if how == "mean" else regret.max()).sort("f")
                    )
                    axes.plot(
                        points["f"],
                        points["regret_percent"],
                        color=colour,
                        marker=marker,
                        label=f"mice_t = {mice}",
                    )
                standard = cells.filter((pl.col("stack") == stack) & (pl.col("label") == STANDARD))
                level = standard["regret_percent"].to_numpy()
                axes.axhline(
                    float(level.mean() if how == "mean" else level.max()), color=VERMILION, dashes=(4, 2),
                    label="standard",
                )  # fmt: skip
                axes.set_title(f"{words}: {stack}")
                axes.set_ylim(bottom=0)
            panels[1][column].set_xlabel("f")
        for row in panels:
            row[0].set_ylabel("above the best, %")
        handles, labels = panels[0][0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=len(labels))
    return figure


# --- long fat pipes ---


def beginnings(result: Result) -> dict[str, float]:
    """The start of either flow: shares of the link, and seconds until they reach it."""
    series = result.flow_series.sort("flow", "time_s")
    flows = result.flows.sort("flow")
    found: dict[str, float] = {}
    for index, (name, part) in enumerate((("first", 0.9), ("second", 0.25))):
        mine = series.filter(pl.col("flow") == index)
        time = mine["time_s"].to_numpy()
        packet_bits = 8 * flows["bytes_delivered"][index] / flows["packets_delivered"][index]
        share = mine["goodput_bit_per_s"].to_numpy() / packet_bits / LINK_PACKETS_PER_S
        start = float(flows["start_s"][index])
        reached = time[(time > start) & (np.nan_to_num(share) >= part)]
        found[f"{name}_reached_s"] = float(reached[0]) - start if reached.size else float("nan")
        early = (time > start) & (time <= start + 10)
        found[f"{name}_ten_seconds"] = float(np.nan_to_num(share[early]).mean())
        later = time > JOIN_S + 1
        found[f"{name}_later"] = float(np.nan_to_num(share[later]).mean())
    alone = series.filter((pl.col("flow") == 0) & (pl.col("time_s") <= JOIN_S))
    found["lost_alone"] = float(alone["retransmissions"].max() or 0)  # type: ignore[arg-type]
    return found


HIGH_SPEED = {
    "first_reached_s": ("first: 90 % of the link after, s", 1.0, 2),
    "first_ten_seconds": ("first: its first 10 s, % of the link", 100.0, 1),
    "lost_alone": ("first: lost before 30 s", 1.0, 0),
    "second_reached_s": ("second: 25 % of the link after, s", 1.0, 1),
    "second_later": ("second: from 31 s on, % of the link", 100.0, 1),
}


def high_speed(sweep: Sweep) -> pl.DataFrame:
    """A row per path, avoidance and slow start: means over seeds with half of their 95 % intervals."""
    rows = []
    for (path, label), mine in sweep.runs.group_by("path", "label", maintain_order=True):
        start, _, avoidance = str(label).rpartition(" ")
        row = {"path": str(path), "avoidance": avoidance, "slow start": start}
        for key, (title, factor, digits) in HIGH_SPEED.items():
            values = [factor * value for value in mine[key].to_list() if np.isfinite(value)]
            if len(values) < mine.height:
                row[title] = f"never in {mine.height - len(values)} of {mine.height}"
                continue
            interval = mean_interval(values)
            row[title] = f"{interval.estimate:.{digits}f} ± {interval.half_width:.{digits}f}"
        rows.append(row)
    return pl.DataFrame(rows)


def high_speed_figure(sweep: Sweep) -> Figure:
    """The first ten seconds, and losses before the second flow, per path, slow start and avoidance."""
    paths = sweep.runs["path"].unique(maintain_order=True).to_list()
    with rc_context(MATPLOTLIB):
        figure = Figure(figsize=(6.3, 2.4 + 1.6 * len(paths)), layout="constrained")
        panels = figure.subplots(len(paths), 2, sharey=True, squeeze=False)
        for row, path in zip(panels, paths, strict=True):
            mine = sweep.runs.filter(pl.col("path") == path)
            _dots(row[0], mine, "first_ten_seconds", 100)
            _dots(row[1], mine, "lost_alone", 1)
            row[0].set_title(f"{path}: the first 10 s")
            row[1].set_title(f"{path}: until the second flow")
            row[0].set_xlim(0, 100)
            row[1].set_xscale("symlog", linthresh=10)
            row[1].set_xlim(left=-2)
        panels[-1][0].set_xlabel("share of the link, %")
        panels[-1][1].set_xlabel("packets lost")
        handles, labels = panels[0][0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=len(labels))
    return figure


def _dots(axes: Axes, runs: pl.DataFrame, key: str, factor: float) -> None:
    """A row per slow start, a dot per avoidance."""
    starts = list(dict.fromkeys(label.rpartition(" ")[0] for label in runs["label"]))
    places = np.arange(len(starts))[::-1]
    for offset, (avoidance, colour) in enumerate(AVOIDANCES.items()):
        values = [
            mean_interval(runs.filter(pl.col("label") == f"{start} {avoidance}")[key].to_list())
            for start in starts
        ]
        axes.errorbar(
            [factor * value.estimate for value in values], places + 0.22 * (1 - offset),
            xerr=[factor * value.half_width for value in values], fmt="o", ms=3.5, color=colour,
            capsize=2, label=avoidance,
        )  # fmt: skip
    axes.set_yticks(places, starts)


if __name__ == "__main__":
    main()
