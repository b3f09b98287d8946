"""Which algorithm for a long fat pipe, as heat maps and tables: `python -m` with the name of this package.

It runs the missing points of the three plans in this folder, which `ackclock sweep` runs too: some fifteen
minutes of CPU time the first time. Ctrl-C keeps the finished runs.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from ackclock.measures import statistics
from ackclock.provenance import command_line, described_version, git_commit
from ackclock.report.figures import image
from ackclock.sweeps import heat_maps
from ackclock.sweeps.sweep import Sweep, SweepInterrupted
from verification.comparisons.publication import (
    Rows,
    folder,
    parser,
    print_rows,
    swept,
    write_rows,
    write_versions,
    written,
)

REPOSITORY = Path(__file__).resolve().parents[3]
PLANS = Path(__file__).resolve().parent
RESULTS = REPOSITORY / "results" / "long-fat-pipe-sweep"
BOUNDS = {
    "utilisation": (0.0, 100.0),
    "fairness": (0.25, 1.0),
    "loss_share": (0.0, 10.0),
    "queueing_delay_s": (0.0, 200.0),
}
"""The bounds of the colours of each map, in the unit shown."""
MAPS = {"plan": tuple(BOUNDS), "starts": ("utilisation", "loss_share"), "recoveries": ()}
"""The figures of each plan."""
CLEAN = 1e-6
"""Up to this loss rate a path counts as clean."""
COLUMNS = (
    ("use, 1 flow, clean, %", "utilisation", 100, "1 flow", True),
    ("use, 1 flow, lossy, %", "utilisation", 100, "1 flow", False),
    ("use, 4 flows, clean, %", "utilisation", 100, "4 flows", True),
    ("use, 4 flows, lossy, %", "utilisation", 100, "4 flows", False),
    ("fairness, 4 flows, clean", "fairness", 1, "4 flows", True),
    ("queueing, clean, ms", "queueing_delay_s", 1e3, "", True),
    ("dropped, clean, %", "loss_share", 100, "", True),
)
"""Columns of the table: heading, metric, factor, number of flows (empty: all), and True for clean paths
only."""
RULE = "use × fairness"
"""The measure of a choice: utilisation times Jain's index, which is 1 for one flow."""
WEIGHTS = {"use alone": 0.0, "use × √fairness": 0.5, RULE: 1.0, "use × fairness²": 2.0}
MARGIN = 0.01
"""A smaller difference, as a share of the link, does not count for a choice."""


def main(arguments: Sequence[str]) -> int:
    """Returns 0, or 130 after Ctrl-C."""
    asked = parser("long_fat_pipe", __doc__)
    asked.add_argument("--folder", type=Path, default=RESULTS, help="where runs are, and are added to")
    asked.add_argument("--workers", type=int, help="runs side by side")
    chosen = asked.parse_args(arguments)
    try:
        sweeps = swept(PLANS, MAPS, chosen.folder, chosen.workers)
    except SweepInterrupted as interrupted:
        print(interrupted, file=sys.stderr)
        return 130
    target: Path = folder("long-fat-pipe") if chosen.publish else chosen.folder
    for name, done in sweeps.items():
        draw(done, name, target)
    for file, rows in tables(sweeps):
        write_rows(rows, target / file)
        print(f"{file}:")
        print_rows(rows)
    write_versions(target)
    print(f"Figures and tables: {target}")
    return 0


def draw(done: Sweep, plan: str, target: Path) -> None:
    """The maps of one plan: those of the whole grid are named by the metric, others by the plan."""
    made = f"Ackclock {described_version(git_commit())}; {command_line()}"
    for key in MAPS[plan]:
        for _, figure in heat_maps.draw(done, key, BOUNDS[key]):
            about = {"Title": f"{done.plan.title} {key}", "Description": made}
            name = key if plan == "plan" else f"{plan}_{key}"
            (target / f"{name}.json").write_bytes(image(figure, "json", about))


def tables(sweeps: Mapping[str, Sweep]) -> Iterator[tuple[str, Rows]]:
    """Every table with its file."""
    runs = judged(sweeps["plan"].runs)
    yield "choice-one.csv", choices(runs.filter(pl.col("flows") == "1 flow"), shared=False)
    yield "choice-four.csv", choices(runs.filter(pl.col("flows") == "4 flows"), shared=True)
    yield "weights.csv", weights(runs.filter(pl.col("flows") == "4 flows"))
    with_rack = judged(sweeps["recoveries"].runs)
    yield "choice-rack.csv", choices(with_rack, shared=True)
    yield "recoveries.csv", recoveries(runs, with_rack)
    yield "table.csv", overview(sweeps["plan"].runs)


def judged(runs: pl.DataFrame) -> pl.DataFrame:
    """The runs with columns for the rule's value, the flows and the buffer."""
    parts = pl.col("flows and buffer").str.split(", ").list
    return runs.with_columns(
        (pl.col("utilisation") * pl.col("fairness").fill_nan(1.0)).alias(RULE),
        parts.first().alias("flows"),
        parts.last().alias("buffer"),
    )


def choices(runs: pl.DataFrame, shared: bool) -> Rows:
    """A row per buffer and loss rate: the best algorithm by the rule, its lead, and those that may be equal.

    With several flows (`shared`), also the parts of the rule's value.
    """
    rows = [["buffer", "loss rate", "best"]]
    rows[0] += [f"{RULE}, %", "use, %", "Jain's index"] if shared else ["use, %"]
    rows[0].append("not told apart from it")
    for place, cell in cells(runs):
        found = ranked(cell, RULE)
        mine = cell.filter(pl.col("label") == found.best[0])
        row = [*place, _names(found.best), _mean(mine, RULE, 100, 1)]
        if shared:
            row += [_mean(mine, "utilisation", 100, 1), _mean(mine, "fairness", 1, 2)]
        rows.append([*row, _names(found.alike) or "–"])
    return rows


def weights(runs: pl.DataFrame) -> Rows:
    """A row per buffer and loss rate: the best algorithm if fairness weighs more or less."""
    rows = [["buffer", "loss rate", *WEIGHTS]]
    for place, cell in cells(runs):
        row = [*place]
        for power in WEIGHTS.values():
            value = pl.col("utilisation") * pl.col("fairness") ** power
            row.append(_names(ranked(cell.with_columns(value.alias("value")), "value").best))
        rows.append(row)
    return rows


def cells(runs: pl.DataFrame) -> Iterator[tuple[list[str], pl.DataFrame]]:
    """Buffer and loss rate in the tables' notation, with the runs at these values."""
    for (buffer, loss), cell in runs.group_by("buffer", "loss rate", maintain_order=True):
        yield [str(buffer), _rate(loss)], cell


@dataclass(frozen=True)
class Ranking:
    """The best algorithm of a cell, and those whose intervals overlap its own."""

    best: list[str]
    """The algorithms with the highest mean, within half a thousandth."""
    alike: list[str]
    """Other algorithms whose difference from it may be the margin or less, by the 95 % interval of pairs by
    seed."""


def ranked(cell: pl.DataFrame, key: str) -> Ranking:
    """The algorithms of one cell by one column, where more is better."""
    means = {
        str(label): _values(cell, str(label), key) for label in cell["label"].unique(maintain_order=True)
    }
    highest = max(means, key=lambda label: float(means[label][key].mean()))  # type: ignore[arg-type]
    best, alike = [], []
    for label, mine in means.items():
        pairs = means[highest].join(mine, on="seed", how="inner", maintain_order="left")
        behind = statistics.paired_difference(pairs[key], pairs[f"{key}_right"])
        if behind.estimate < 0.0005:
            best.append(label)
        elif behind.low <= MARGIN:
            alike.append(label)
    return Ranking(best, alike)


def _values(cell: pl.DataFrame, label: str, key: str) -> pl.DataFrame:
    return cell.filter(pl.col("label") == label).select("seed", key)


def recoveries(with_sack: pl.DataFrame, with_rack: pl.DataFrame) -> Rows:
    """Per algorithm and loss rate, use and fairness with RACK, and the gain over SACK, seed by seed."""
    where = ["flows and buffer", "loss rate", "label", "seed"]
    both = with_rack.join(with_sack, on=where, how="inner", maintain_order="left")
    shown = (("use, %", "utilisation", 100, 1), ("Jain's index", "fairness", 1, 2))
    rows = [
        [
            "algorithm",
            "loss rate",
            *(f"{name}{more}" for name, *_ in shown for more in (", RACK", ", gained")),
        ]
    ]
    for label in with_rack["label"].unique(maintain_order=True):
        for loss in with_rack["loss rate"].unique(maintain_order=True):
            mine = both.filter((pl.col("label") == label) & (pl.col("loss rate") == loss))
            row = [f"`{label}`", _rate(loss)]
            for _, key, factor, digits in shown:
                gained = statistics.paired_difference(mine[key] * factor, mine[f"{key}_right"] * factor)
                row += [_mean(mine, key, factor, digits), written(gained, digits, "+")]
            rows.append(row)
    return rows


def overview(runs: pl.DataFrame) -> Rows:
    """A row per algorithm: means over cells with 95 % intervals over seeds."""
    rows = [["algorithm", *(heading for heading, *_ in COLUMNS)]]
    for label in runs["label"].unique(maintain_order=True):
        row = [str(label)]
        for _, key, factor, flows, is_clean in COLUMNS:
            mine = runs.filter(
                (pl.col("label") == label)
                & ((pl.col("loss rate").cast(pl.Float64) <= CLEAN) == is_clean)
                & pl.col("flows and buffer").str.starts_with(flows)
            )
            by_seed = mine.group_by("seed").agg(pl.col(key).mean()).sort("seed")
            row.append(_mean(by_seed, key, factor, 3 if key in ("fairness", "loss_share") else 1))
        rows.append(row)
    return rows


def _names(labels: Sequence[str]) -> str:
    return ", ".join(f"`{label}`" for label in labels)


def _rate(loss: object) -> str:
    """The plan's notation: 1e-5, which Python would write as 1e-05."""
    return str(loss).replace("e-0", "e-")


def _mean(runs: pl.DataFrame, key: str, factor: float, digits: int) -> str:
    return written(statistics.mean_interval(runs[key] * factor), digits)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
