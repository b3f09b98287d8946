"""The folder of an evaluation of calls: one page, Markdown, JSON, figures, and all scenarios."""

from __future__ import annotations

from ackclock import provenance
from ackclock.evaluation.report import KIND, repeatable, write_class
from ackclock.evaluation.rmcat import documents, figures
from ackclock.evaluation.rmcat.evaluate import CallEvaluation, placed
from ackclock.evaluation.rmcat.outcome import JudgedCase
from ackclock.report import style
from ackclock.report.figures import image
from ackclock.report.forgiving import add_report, forgiving
from ackclock.report.json_text import dumps
from ackclock.report.templates import html_page
from ackclock.results_folder import ResultsFolder
from ackclock.runs.simulate import simulate

__all__ = ["write"]


def write(evaluation: CallEvaluation, folder: ResultsFolder) -> None:
    """Puts documents, scenarios and provenance in place, then draws the report; if that fails, it warns."""
    folder.write_text("evaluation.json", dumps(documents.as_json(evaluation)) + "\n")
    folder.write_text("evaluation.md", documents.as_markdown(evaluation))
    made = evaluation.contenders[evaluation.label]
    for judged in evaluation.judged:
        for number, cell in enumerate(judged.cells, start=1):
            scenario, _ = placed(cell, evaluation.label, made)
            scenario = scenario.with_value("name", f"{judged.case.key}-{number}")
            text = repeatable(scenario, evaluation.label, made)
            folder.write_text(f"scenarios/{judged.case.key}/{number}.toml", text)
    result = {
        "what": KIND,
        "suite": evaluation.suite.key,
        "algorithm": evaluation.label,
        "beside": list(evaluation.labels[1:]),
        "criteria": [judged.case.key for judged in evaluation.judged],
        "quick": evaluation.quick,
        "seeds": list(evaluation.seeds),
        **write_class(evaluation.label, made, folder),
    }
    folder.write_json("provenance.json", provenance.document(result))
    folder.commit()
    add_report(folder, lambda: folder.write_text("report.html", _page(evaluation, folder)))


def _page(evaluation: CallEvaluation, folder: ResultsFolder) -> str:
    sections = [
        (
            judged,
            documents.expectations(evaluation, place),
            _drawn(evaluation, judged, folder),
            documents.numbers_view(judged, evaluation),
        )
        for place, judged in enumerate(evaluation.judged)
    ]
    return html_page(
        "calls.html.j2",
        evaluation=evaluation,
        counts=documents.counts(evaluation),
        remarks=documents.remarks(evaluation),
        summary=documents.summary_view(evaluation),
        sections=sections,
        not_evaluated=evaluation.suite.not_evaluated,
        looks=style.looks(evaluation.labels),
        provenance=[
            ("Command", provenance.command_line()),
            ("Seeds", ", ".join(map(str, evaluation.seeds))),
            ("Ackclock", provenance.described_version(provenance.git_commit())),
            ("Numbers", "evaluation.json and evaluation.md beside this page"),
            ("Scenarios", "scenarios/CASE/NUMBER.toml, which ackclock run takes"),
        ],
    )


def _drawn(evaluation: CallEvaluation, judged: JudgedCase, folder: ResultsFolder) -> tuple[str, str]:
    """The strip of a case with its caption, without the beginning of its first tag; empty if not drawn."""
    key, cell, seed = judged.case.key, judged.cells[0], evaluation.seeds[0]
    about = {"Title": f"{evaluation.label}: {judged.case.title}", "Description": provenance.command_line()}
    words = f"{cell.name}, seed {seed}: rates on the wire, and round trips; the spans judged are shaded."
    with forgiving(f"figure {key}"):
        scenario, factories = placed(cell, evaluation.label, evaluation.contenders[evaluation.label])
        run = simulate(scenario.with_value("seed", str(seed)), evaluation.label, factories, None)
        svg = image(figures.strip(judged.case, run), "svg", about)
        folder.write_bytes(f"figures/{key}.svg", svg)
        return words, svg.decode().partition("<svg")[2]
    return words, ""
