"""The folder of a coexistence: one self-contained page, JSON, heat maps, all scenarios."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from matplotlib.figure import Figure

from ackclock import provenance
from ackclock.evaluation import coexistence_documents as documents
from ackclock.evaluation import matrix_page
from ackclock.evaluation.coexistence import HARMS, Coexistence
from ackclock.evaluation.coexistence_figures import harm_map, share_map
from ackclock.evaluation.matrix_page import MatrixSection
from ackclock.report.forgiving import add_report
from ackclock.report.json_text import dumps
from ackclock.results_folder import ResultsFolder
from ackclock.runs.written import with_sources
from ackclock.scenarios import own_code
from ackclock.scenarios.algorithms import Factory, class_name

__all__ = ["KIND", "write"]

KIND = "coexistence"
"""The kind of the folder of a coexistence in its provenance."""


def write(coexistence: Coexistence, folder: ResultsFolder) -> None:
    """Puts document, scenarios and provenance in place, then draws the report; if that fails, it warns."""
    folder.write_text("coexistence.json", dumps(documents.as_json(coexistence)) + "\n")
    folder.write_text("coexistence.md", documents.as_markdown(coexistence))
    folder.write_text("coexistence.tex", documents.as_latex(coexistence))
    hashes, sources = {}, _sources(coexistence)
    for pair in coexistence.pairs:
        name = documents.scenario_file(coexistence, pair)
        used = [sources[label] for label in {pair.incumbent, pair.newcomer} & sources.keys()]
        scenario = with_sources(pair.scenario, dict(used)) if used else pair.scenario
        hashes[name] = folder.write_text(name, scenario.to_toml())
    result = {
        "what": KIND,
        "algorithms": list(coexistence.labels),
        "quick": coexistence.quick,
        "seeds": list(coexistence.seeds),
        "scenarios": hashes,
        **_write_classes(coexistence, folder),
    }
    folder.write_json("provenance.json", provenance.document(result))
    folder.commit()
    add_report(folder, lambda: folder.write_text("report.html", _page(coexistence, folder)))


def _classes(coexistence: Coexistence) -> Iterator[tuple[str, str, str, Factory]]:
    """The label, folder, name and class of each contender that is a Python class."""
    made = {label: each for label, each in coexistence.contenders.items() if not isinstance(each, str)}
    for number, (label, each) in enumerate(made.items(), start=1):
        yield label, f"algorithms/{number}", class_name(label, each)[1], each


def _sources(coexistence: Coexistence) -> dict[str, tuple[str, str]]:
    """The name of each Python class in a scenario, and its file from there, by label."""
    found = {
        label: (name, own_code.reference(place, name, made))
        for label, place, name, made in _classes(coexistence)
    }
    return {label: (name, f"../{source}") for label, (name, source) in found.items() if source}


def _write_classes(coexistence: Coexistence, folder: ResultsFolder) -> dict[str, object]:
    """Writes the source of Python classes; as part of a JSON object, the hash of each file."""
    hashes = {
        label: own_code.write(folder, place, name, made) for label, place, name, made in _classes(coexistence)
    }
    return {"classes": hashes} if hashes else {}


def _page(coexistence: Coexistence, folder: ResultsFolder) -> str:
    names = ", ".join(coexistence.labels)

    def svg(key: str, draw: Callable[[], Figure]) -> str:
        return matrix_page.drawn(key, names, draw, folder)

    sections = [
        MatrixSection(
            "share",
            "Shares",
            "The incumbents' part of the goodput of all flows; one half is equal.",
            svg("share", lambda: share_map(coexistence)),
            [documents.share_view(coexistence)],
        )
    ]
    for measure in HARMS:

        def draw(key: str = measure.key, title: str = measure.title) -> Figure:
            return harm_map(coexistence, key, title)

        views = [documents.harm_view(coexistence, measure, alone=alone) for alone in (False, True)]
        sections.append(
            MatrixSection(
                measure.key,
                f"Harm: {measure.title}",
                documents.sentence(coexistence, measure),
                svg(measure.key, draw),
                views,
            )
        )
    return matrix_page.page(
        "Coexistence",
        f"{names} on one bottleneck",
        documents.conditions(coexistence),
        documents.notes(coexistence),
        sections,
        coexistence.seeds,
        [
            ("Numbers", "coexistence.json, coexistence.md and coexistence.tex beside this page"),
            ("Scenarios", "scenarios/NUMBER.toml, which ackclock run takes; coexistence.json says whose"),
        ],
        quick=coexistence.quick,
    )
