"""The folder of an evaluation: one self-contained page, Markdown, JSON, LaTeX, figures, all scenarios."""

from __future__ import annotations

from ackclock import provenance
from ackclock._native import Scenario
from ackclock.evaluation import documents, figures, worst_path_figures
from ackclock.evaluation.evaluate import Evaluation, Judged, scenario_of
from ackclock.evaluation.harm import Harm
from ackclock.evaluation.sentences import mean_of, sentence, times_text, worst
from ackclock.evaluation.verdict import CLASSES
from ackclock.evaluation.worst_paths import WorstPath
from ackclock.measures.digits import with_interval
from ackclock.report import style
from ackclock.report.figures import image
from ackclock.report.forgiving import add_report, forgiving
from ackclock.report.json_text import dumps
from ackclock.report.tables import Cell, View
from ackclock.report.templates import html_page
from ackclock.results_folder import ResultsFolder
from ackclock.runs.written import with_sources
from ackclock.scenarios import own_code
from ackclock.scenarios.algorithms import Factory, class_name

__all__ = ["KIND", "repeatable", "summary_view", "write", "write_class"]

KIND = "evaluation"
"""The kind of the folder of an evaluation in its provenance."""

CLASS = "algorithm"
"""Where the folder has the source of a Python class."""


def write(evaluation: Evaluation, folder: ResultsFolder) -> None:
    """Puts documents, scenarios and provenance in place, then draws the report; if that fails, it warns."""
    folder.write_text("evaluation.json", dumps(documents.as_json(evaluation)) + "\n")
    folder.write_text("evaluation.md", documents.as_markdown(evaluation))
    folder.write_text("evaluation.tex", documents.as_latex(evaluation))
    made = evaluation.contenders[evaluation.label]
    for judged in evaluation.judged:
        key = judged.criterion.key
        for number, cell in enumerate(judged.cells, start=1):
            scenario, _ = scenario_of(cell, evaluation.label, made, evaluation.stack)
            scenario = scenario.with_value("name", f"{key}-{number}")
            folder.write_text(f"scenarios/{key}/{number}.toml", repeatable(scenario, evaluation.label, made))
    for path in evaluation.worst_paths:
        if path.attack.finding is not None:
            text = repeatable(path.attack.scenario(), evaluation.label, made)
            folder.write_text(path.scenario, text)
    result = {
        "what": KIND,
        "suite": evaluation.suite.key,
        "algorithm": evaluation.label,
        "beside": list(evaluation.labels[1:]),
        "criteria": [judged.criterion.key for judged in evaluation.judged],
        "quick": evaluation.quick,
        "seeds": list(evaluation.seeds),
        **({"attack": [path.aim for path in evaluation.worst_paths]} if evaluation.worst_paths else {}),
        **write_class(evaluation.label, made, folder),
    }
    folder.write_json("provenance.json", provenance.document(result))
    folder.commit()
    add_report(folder, lambda: folder.write_text("report.html", _page(evaluation, folder)))


def repeatable(scenario: Scenario, label: str, made: str | Factory) -> str:
    """A scenario two folders below, as `ackclock run` takes it: a Python class by its file in the folder."""
    if isinstance(made, str):
        return scenario.to_toml()
    name = class_name(label, made)[1]
    source = own_code.reference(CLASS, name, made)
    return (with_sources(scenario, {name: f"../../{source}"}) if source else scenario).to_toml()


def write_class(label: str, made: str | Factory, folder: ResultsFolder) -> dict[str, object]:
    """Writes the source of a Python class; as part of a JSON object, the hash of each file."""
    if isinstance(made, str):
        return {}
    return {"classes": {label: own_code.write(folder, CLASS, class_name(label, made)[1], made)}}


def summary_view(evaluation: Evaluation) -> View:
    """A row for each criterion, for the terminal."""
    forces = evaluation.suite.has_forces
    columns = (
        ("Section", ""),
        ("Criterion", ""),
        *([(evaluation.suite.title, "")] if forces else []),
        ("Class", ""),
        (documents.HEADING, ""),
    )
    rows = [
        (
            Cell(judged.criterion.section),
            Cell(judged.criterion.title),
            *([Cell(judged.criterion.force)] if forces else []),
            Cell(judged.verdict, is_decided=judged.verdict != "no different"),
            Cell(times_text(judged.whole.times_worse)),
        )
        for judged in evaluation.judged
    ]
    return View("", columns, tuple(rows), documents.limits(evaluation))


def _page(evaluation: Evaluation, folder: ResultsFolder) -> str:
    about = {
        "Title": f"{evaluation.label} by {evaluation.suite.title}",
        "Description": f"ackclock {provenance.version()}: {provenance.command_line()}",
    }
    sections = []
    for judged in evaluation.judged:
        drawn = ""
        with forgiving(f"figure {judged.criterion.key}"):
            svg = image(figures.draw(judged, evaluation.labels), "svg", about)
            folder.write_bytes(f"figures/{judged.criterion.key}.svg", svg)
            drawn = svg.decode().partition("<svg")[2]
        said = sentence(judged, evaluation.label, evaluation.thresholds)
        sections.append((judged, said, drawn, _cells_view(judged, evaluation)))
    paths = [(path, _worst_path(path, folder)) for path in evaluation.worst_paths]
    counts = {kind: sum(judged.verdict == kind for judged in evaluation.judged) for kind in CLASSES}
    return html_page(
        "evaluation.html.j2",
        evaluation=evaluation,
        sections=sections,
        worst_paths=paths,
        counts=counts,
        not_evaluated=evaluation.suite.not_evaluated,
        limits=documents.limits(evaluation),
        looks=style.looks(evaluation.labels),
        times_text=times_text,
        worst=worst,
        provenance=[
            ("Command", provenance.command_line()),
            ("Seeds", ", ".join(map(str, evaluation.seeds))),
            ("Ackclock", provenance.described_version(provenance.git_commit())),
            ("Numbers", "evaluation.json, evaluation.md and evaluation.tex beside this page"),
            ("Scenarios", "scenarios/CRITERION/NUMBER.toml, which ackclock run takes"),
        ],
    )


def _worst_path(path: WorstPath, folder: ResultsFolder) -> str:
    """The figure of a worst path without the beginning of its first tag; empty if nothing was found."""
    drawn = ""
    if path.attack.finding is not None:
        with forgiving(f"figure of the worst path for {path.title}"):
            svg = worst_path_figures.draw(path)
            folder.write_bytes(f"figures/worst-path-{path.aim}.svg", svg)
            drawn = svg.decode().partition("<svg")[2]
    return drawn


def _cells_view(judged: Judged, evaluation: Evaluation) -> View:
    """A row for each cell: the class, and every measure of every algorithm."""
    columns = [("Setting", ""), ("Class", ""), ("Times worse", "")]
    for measure in judged.criterion.measures:
        columns += [(f"{measure.title}, {label}", measure.unit) for label in evaluation.labels]
    harmed = [m for m in judged.criterion.measures if any(m.key in cell.references for cell in judged.cells)]
    columns += [(f"Harm of {evaluation.label}: {measure.title}", "") for measure in harmed]
    rows = []
    for cell, compared in zip(judged.cells, judged.by_cell, strict=True):
        row = [Cell(cell.name), Cell(compared.verdict), Cell(times_text(compared.times_worse))]
        for measure in judged.criterion.measures:
            for label in evaluation.labels:
                interval = mean_of(judged, cell, label, measure)
                half = interval.half_width * measure.factor
                row.append(Cell(with_interval(interval.estimate * measure.factor, half, measure.digits)))
        row += [Cell(_harm_text(judged.harm.get((cell.name, measure.key)))) for measure in harmed]
        rows.append(tuple(row))
    return View("", tuple(columns), tuple(rows))


def _harm_text(found: Harm | None) -> str:
    """A harm with its interval; a dash for none."""
    if found is None:
        return "–"
    shown = found.interval
    low, high = (f"{max(bound, -9.99):.2f}" for bound in (shown.low, shown.high))
    return f"{shown.estimate:.2f} [{low}, {high}]"
