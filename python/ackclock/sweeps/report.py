"""The output of a sweep: tables for the terminal, a report, and the files of its folder."""

from __future__ import annotations

import json
import math
from pathlib import Path

import polars as pl

from ackclock import provenance
from ackclock.errors import OutputError
from ackclock.measures import metrics
from ackclock.report import style
from ackclock.report.figures import image
from ackclock.report.tables import ROWS_SHOWN, Cell, View, with_interval
from ackclock.report.templates import environment
from ackclock.sweeps import figures, heat_maps
from ackclock.sweeps.sweep import Sweep

__all__ = ["document", "summary_view", "write"]


def summary_view(sweep: Sweep, rows_shown: int = ROWS_SHOWN, columns_shown: int | None = None) -> View:
    """Means and half of their 95 % intervals: a row per point and algorithm, a column per main metric."""
    every = figures.main_metrics(sweep)
    keys = every[:columns_shown]
    described = {}
    for key in keys:
        largest = sweep.summary.filter(pl.col("metric") == key)["mean"].abs().max() or 0
        described[key] = figures.described(key, float(largest))  # type: ignore[arg-type]
    varied = [axis.name for axis in sweep.plan.axes if len(axis.values) > 1]
    columns = [
        *((figures.short(name), "") for name in varied), ("Algorithm", ""),
        *(described[key][:2] for key in keys),
    ]  # fmt: skip
    cells = []
    groups = sweep.summary.group_by(["point", "label"], maintain_order=True)
    total = 0
    for (_, label), mine in groups:
        total += 1
        if total > rows_shown:
            continue
        found = {row["metric"]: row for row in mine.iter_rows(named=True)}
        names = (*(Cell(str(mine[name][0])) for name in varied), Cell(str(label)))
        cells.append((*names, *(_cell(found.get(key), key, described[key][2]) for key in keys)))
    more = [f"{total - rows_shown} rows"] * (total > rows_shown)
    more += [f"{len(every) - len(keys)} quantities"] * (len(keys) < len(every))
    note = f"{' and '.join(more)} more are in the report and in tables/summary.parquet. " if more else ""
    if len(sweep.plan.seeds) > 1:
        note += f"Means over {len(sweep.plan.seeds)} seeds ± half of the 95 % confidence interval."
    return View("", tuple(columns), tuple(cells), note.strip())


def document(sweep: Sweep, folder: str) -> dict[str, object]:
    """The outcome as a JSON object, in base units."""
    return {
        "version": provenance.version(),
        **_planned(sweep),
        "runs": {"planned": sweep.plan.runs, "finished": sweep.runs.height, "new": sweep.new_runs},
        "summary": sweep.summary.to_dicts(),
        "folder": folder,
    }


def _planned(sweep: Sweep) -> dict[str, object]:
    """The plan as part of a JSON object."""
    plan = sweep.plan
    return {
        "what": "sweep",
        "plan": plan.name,
        "axes": {axis.name: [value for value, _ in axis.values] for axis in plan.axes},
        "algorithms": list(plan.algorithms),
        "seeds": list(plan.seeds),
    }


def _cell(row: dict[str, float] | None, key: str, factor: float) -> Cell:
    if row is None:
        return Cell("–")
    digits = metrics.metric(key).digits if key in metrics.KEYS else 3
    half = (row["high"] - row["low"]) / 2 * factor
    return Cell(with_interval(row["mean"] * factor, half if half > 0 else math.nan, digits))


def write(sweep: Sweep, folder: Path, *, report: bool = True) -> None:
    """Writes tables, provenance and, with `report`, figures and report.html beside the store.

    Equal plans give equal tables, byte for byte, even if they were interrupted. Raises OutputError.
    """
    try:
        _write_tables(sweep, folder)
        _write_provenance(sweep, folder)
        if report:
            _write_report(sweep, folder)
    except OSError as error:
        raise OutputError(f"{folder}: cannot write results here: {error.strerror}") from None


def _write_tables(sweep: Sweep, folder: Path) -> None:
    (folder / "tables").mkdir(exist_ok=True)
    tables = {"runs": sweep.runs, "summary": sweep.summary, **sweep.tables}
    for name, table in tables.items():
        partial = folder / "tables" / f"{name}.partial"
        table.write_parquet(partial, compression="zstd", compression_level=3)
        partial.rename(folder / "tables" / f"{name}.parquet")


def _write_provenance(sweep: Sweep, folder: Path) -> None:
    plan = sweep.plan
    result = {**_planned(sweep), "runs": sweep.runs.height}
    text = json.dumps(provenance.document(result), indent=2, ensure_ascii=False) + "\n"
    (folder / "provenance.json").write_text(text, encoding="utf-8")
    scenarios = folder / "scenarios"
    scenarios.mkdir(exist_ok=True)
    for point in plan.points:
        (scenarios / f"{point.index}.toml").write_text(point.scenario.to_toml(), encoding="utf-8")


def _write_report(sweep: Sweep, folder: Path) -> None:
    figure_folder = folder / "figures"
    figure_folder.mkdir(exist_ok=True)
    about = {
        "Title": sweep.plan.title or sweep.plan.name,
        "Description": f"ackclock {provenance.version()}: {provenance.command_line()}",
    }
    drawn = []
    for key in figures.main_metrics(sweep):
        title = figures.described(key, 0)[0]
        meaning = metrics.metric(key).meaning if key in metrics.KEYS else ""
        lines = figures.draw(sweep, key)
        charts = [] if lines is None else [(key, title, lines)]
        maps = enumerate(heat_maps.draw(sweep, key), start=1)
        charts += [
            (f"{key}-map-{n}", ", ".join(filter(None, (title, said))), figure) for n, (said, figure) in maps
        ]
        for name, heading, figure in charts:
            svg = image(figure, "svg", about)
            (figure_folder / f"{name}.svg").write_bytes(svg)
            drawn.append((name, heading, meaning, svg.decode().partition("<svg")[2]))
    plan = sweep.plan
    text = (
        environment()
        .get_template("sweep.html.j2")
        .render(
            sweep=sweep,
            plan=plan,
            title=plan.title or plan.name,
            looks=style.looks(list(plan.algorithms)),
            figures=drawn,
            summary=summary_view(sweep, rows_shown=1000),
            provenance=[
                ("Command", provenance.command_line()),
                ("Runs", f"{sweep.runs.height} of {plan.runs}"),
                ("Axes", "; ".join(f"{a.name}: {', '.join(str(v) for v, _ in a.values)}" for a in plan.axes)),
                ("Seeds", ", ".join(map(str, plan.seeds))),
                ("Ackclock", provenance.described_version(provenance.git_commit())),
            ],
        )
    )
    (folder / "report.html").write_text(text, encoding="utf-8")
