"""The output of a sweep: tables for the terminal, a report, and the files of its folder."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from ackclock import provenance
from ackclock.errors import InputError
from ackclock.measures import metrics
from ackclock.measures.metric_columns import RUNS
from ackclock.report import style
from ackclock.report.figures import image
from ackclock.report.forgiving import add_report, forgiving
from ackclock.report.tables import ROWS_SHOWN, Cell, View, mean_cell, span_note, with_span
from ackclock.report.templates import html_page
from ackclock.report.text import counted, few_seeds
from ackclock.results_folder import PROVENANCE, ResultsFolder
from ackclock.scenarios import own_code
from ackclock.scenarios.algorithms import class_name
from ackclock.sweeps import design_figures, design_views, figures, heat_maps, response_figures
from ackclock.sweeps.drawn_before import REPORT, drawn_before, drawn_from
from ackclock.sweeps.map_data import map_data
from ackclock.sweeps.record import SweepRecord

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "KIND",
    "asked_before",
    "document",
    "summary_view",
    "views",
    "write",
    "write_report",
    "write_tables",
]

KIND = "sweep"
"""The kind of a sweep's folder in its provenance."""


def summary_view(
    sweep: SweepRecord,
    rows_shown: int | None = ROWS_SHOWN,
    columns_shown: int | None = None,
    *,
    chosen: Sequence[str] = (),
    fixed: Mapping[str, object] | None = None,
    has_report: bool = False,
) -> View:
    """Means and half of their 95 % intervals: a row per point and algorithm, a column per main metric.

    `chosen` are the keys of other metrics, and `fixed` the values of axes without a column. Rows of fewer
    runs than the plan has seeds say how many they have. With `has_report` the report has what is left out.
    """
    fixed = fixed or {}
    every = chosen or figures.main_metrics(sweep)
    keys = every[:columns_shown]
    described = {}
    warm_ups = {point.scenario.warm_up_s for point in sweep.plan.points}
    for key in keys:
        largest = sweep.summary.filter(pl.col("metric") == key)["mean"].abs().max() or 0
        digits = metrics.digits(metrics.metric(key), float(largest)) if key in metrics.KEYS else 3  # type: ignore[arg-type]
        title, unit, factor = figures.described(key, float(largest))  # type: ignore[arg-type]
        title = with_span(title, warm_ups, key in metrics.KEYS and metrics.metric(key).is_of_whole_run)
        described[key] = (title, unit, factor, digits)
    varied = [axis.name for axis in sweep.plan.axes if len(axis.values) > 1 and axis.name not in fixed]
    counts = sweep.runs.group_by("point", "label").len().rows()
    seeds = {(point, label): count for point, label, count in counts}
    is_partial = any(count < len(sweep.plan.seeds) for count in seeds.values())
    # A label that names the scenario alone says nothing of the rows of several cases.
    is_told = not varied or any(sweep.plan.algorithms.values()) or len(sweep.plan.algorithms) > 1
    columns = [
        *((_heading(sweep.plan.titles[name]), "") for name in varied),
        *[("Algorithm", "")] * is_told, *[("Seeds", "")] * is_partial,
        *(described[key][:2] for key in keys),
    ]  # fmt: skip
    cells = []
    groups = sweep.summary.group_by(["point", "label"], maintain_order=True)
    total = 0
    for (point, label), mine in groups:
        total += 1
        if rows_shown is not None and total > rows_shown:
            continue
        found = {row["metric"]: row for row in mine.iter_rows(named=True)}
        names = (*(Cell(str(mine[name][0])) for name in varied), *[Cell(str(label))] * is_told)
        names += (Cell(str(seeds[point, label])),) * is_partial
        alike = not any(row["high"] > row["low"] for row in found.values())
        cells.append((*names, *(mean_cell(found.get(key), *described[key][2:], alike) for key in keys)))
    more = [counted(total - len(cells), "row")] * (total > len(cells))
    more += [counted(len(every) - len(keys), "quantity")] * (len(keys) < len(every))
    places = "The report and tables/summary.parquet have" if has_report else "tables/summary.parquet has"
    note = f"{places} {' and '.join(more)} more. " if more else ""
    note += "".join(f"{_heading(sweep.plan.titles[name])}: {value}. " for name, value in fixed.items())
    span = span_note(columns, warm_ups)
    note += f"{span} " * bool(span)
    if len(sweep.plan.seeds) > 1:
        over = "the finished seeds" if is_partial else f"{len(sweep.plan.seeds)} seeds"
        note += f"Means over {over} ± half of the 95 % confidence interval. "
        note += few_seeds(min(seeds.values(), default=0))
    return View("", tuple(columns), tuple(cells), note.strip())


def _heading(title: str) -> str:
    """The title of an axis as the head of a column; a key of several parts, and an abbreviation, stay."""
    return title if "." in title or len(title) <= 3 else title[:1].upper() + title[1:]


def document(sweep: SweepRecord, folder: str) -> dict[str, object]:
    """The outcome as a JSON object, in base units."""
    return {
        "schema": "ackclock-sweep/1",
        "version": provenance.version(),
        **_planned(sweep),
        "runs": {"planned": sweep.plan.runs, "finished": sweep.runs.height, "new": sweep.new_runs},
        "summary": sweep.summary.to_dicts(),
        "folder": folder,
    }


def _planned(sweep: SweepRecord) -> dict[str, object]:
    """The plan as part of a JSON object."""
    plan = sweep.plan
    return {
        "what": KIND,
        "plan": plan.name,
        "axes": {axis.name: [value for value, _ in axis.values] for axis in plan.axes},
        "algorithms": list(plan.algorithms),
        "seeds": list(plan.seeds),
    }


def write(
    sweep: SweepRecord,
    folder: str | Path,
    *,
    report: bool = True,
    formats: Sequence[str] = ("svg",),
    width: float | str | None = None,
) -> Path:
    """Writes tables, provenance and, with `report`, figures and report.html next to the store.

    Equal plans give equal tables, byte for byte, however often they were interrupted. The tables are in place
    before anything is drawn; a figure that fails is a DrawingWarning. Raises OutputError.
    """
    with ResultsFolder(folder, (KIND,), shared=True) as opened:
        write_tables(sweep, opened, formats if report else (), width)
        if report:
            write_report(sweep, opened, formats, width)
        return opened.target


def asked_before(folder: Path) -> tuple[list[str], float | str | None]:
    """The formats and the width of the figures that a folder has, as its last command asked for them."""
    try:
        drawn = json.loads((folder / PROVENANCE).read_text(encoding="utf-8"))["result"]["figures"]
        formats, width = drawn["formats"], drawn["width"]
        style.check_formats(formats)
        style.width_inches(width)
    except (OSError, ValueError, LookupError, TypeError, InputError):
        return ["svg"], None
    return formats, width


def write_tables(
    sweep: SweepRecord,
    folder: ResultsFolder,
    formats: Sequence[str] = (),
    width: float | str | None = None,
) -> None:
    """Puts tables, scenarios and provenance in place, and removes the plan's previous files.

    `formats` and `width` are those of the figures that will follow, which the provenance keeps. Figures and
    report that show the same already stay.
    """
    tables = {"runs": sweep.runs, "summary": sweep.summary, **sweep.tables}
    if sweep.plan.design is not None:
        tables |= design_views.tables(sweep)
    about = provenance.scenario_facts(sweep.plan.scenario)
    for name, table in tables.items():
        folder.write_table(name, table, about, RUNS if name == "runs" else None)
    for point in sweep.plan.points:
        folder.write_text(f"scenarios/{point.index}.toml", point.scenario.to_toml())
    result = {**_planned(sweep), "runs": sweep.runs.height, **_write_classes(sweep, folder)}
    if formats:
        result["figures"] = {"formats": list(formats), "width": width}
    folder.write_json("provenance.json", provenance.document(result))
    if formats:
        for name, data in drawn_before(folder.target, drawn_from(sweep, formats, width)).items():
            folder.write_bytes(name, data)
    folder.commit()


def _write_classes(sweep: SweepRecord, folder: ResultsFolder) -> dict[str, object]:
    """Writes the source of the Python classes; as part of a JSON object, the hash of each file by label."""
    found: dict[str, object] = {}
    for number, (label, made) in enumerate(sweep.plan.algorithms.items()):
        if made is None or isinstance(made, str):
            continue
        found[label] = own_code.write(folder, f"algorithms/{number}", class_name(label, made)[1], made)
    return {"classes": found} if found else {}


def write_report(
    sweep: SweepRecord,
    folder: ResultsFolder,
    formats: Sequence[str] = ("svg",),
    width: float | str | None = None,
) -> None:
    """Adds figures and report.html to a folder whose tables are in place; a failure is a warning.

    It does not draw again what the folder has already.
    """
    key = drawn_from(sweep, formats, width)
    if not drawn_before(folder.target, key):
        add_report(folder, lambda: _draw(sweep, folder, formats, width, key))


def _draw(
    sweep: SweepRecord, folder: ResultsFolder, formats: Sequence[str], width: float | str | None, key: str
) -> None:
    about = {
        "Title": sweep.plan.title or sweep.plan.name,
        "Description": f"ackclock {provenance.version()}: {provenance.command_line()}",
    }
    drawn, missing = [], []
    for name, heading, meaning, figure in _figures(sweep, None):
        missing.append(name)
        with forgiving(f"figure {name}"):
            svg = image(figure, "svg", about)
            # The page has one map, on which the reader chooses the metric.
            if "-map-" not in name:
                drawn.append((name, heading, meaning, svg.decode().partition("<svg")[2]))
            if width is None:
                _write_figure(folder, name, figure, formats, about)
            missing.remove(name)
    if width is not None:
        # The width is that of the files, for a paper: the page has its own.
        for name, _, _, figure in _figures(sweep, width):
            missing.append(name)
            with forgiving(f"figure {name}"):
                _write_figure(folder, name, figure, formats, about)
                missing.remove(name)
    plan = sweep.plan
    text = html_page(
        "sweep.html.j2",
        sweep=sweep,
        plan=plan,
        title=plan.title or plan.name,
        looks=style.looks(list(plan.algorithms)),
        drawn_from="" if missing else key,
        figures=drawn,
        map=map_data(sweep),
        views=views(sweep, rows_shown=1000),
        provenance=[
            ("Command", provenance.command_line()),
            ("Runs", f"{sweep.runs.height} of {plan.runs}"),
            ("Axes", "; ".join(f"{a.name}: {', '.join(str(v) for v, _ in a.values)}" for a in plan.axes)),
            *([("Design", design_views.said(plan))] if plan.design else []),
            ("Seeds", ", ".join(map(str, plan.seeds))),
            ("Ackclock", provenance.described_version(provenance.git_commit())),
        ],
    )
    folder.write_text(REPORT, text)


def _write_figure(
    folder: ResultsFolder, name: str, figure: Figure, formats: Sequence[str], about: Mapping[str, str]
) -> None:
    for kind in formats:
        folder.write_bytes(f"figures/{name}.{kind}", image(figure, kind, about))


def _figures(sweep: SweepRecord, width: float | str | None) -> Iterator[tuple[str, str, str, Figure]]:
    """Name, heading, meaning and figure of each drawing."""
    for key in figures.main_metrics(sweep):
        title = figures.described(key, 0)[0]
        meaning = metrics.metric(key).meaning if key in metrics.KEYS else ""
        if sweep.plan.design is not None:
            for name, heading, figure in design_figures.of_metric(sweep, key, width):
                yield name, heading, meaning, figure
            continue
        lines = figures.draw(sweep, key, width)
        if lines is not None:
            yield key, title, meaning, lines
        for number, (said, figure) in enumerate(heat_maps.draw(sweep, key, width=width), start=1):
            yield f"{key}-map-{number}", ", ".join(filter(None, (title, said))), meaning, figure
    if sweep.plan.design is not None:
        for name, heading, figure in response_figures.together(sweep, width):
            yield name, heading, "", figure


def views(sweep: SweepRecord, rows_shown: int | None = ROWS_SHOWN) -> list[View]:
    """The tables of a sweep: the effects of a design of two levels, and the summary of its points."""
    found = [design_views.effects_view(sweep, key) for key in figures.main_metrics(sweep)]
    return [*(view for view in found if view is not None), summary_view(sweep, rows_shown)]
