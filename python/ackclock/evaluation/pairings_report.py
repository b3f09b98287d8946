"""The folder of pairings: one self-contained page, JSON, heat maps, all scenarios."""

from __future__ import annotations

from ackclock import provenance
from ackclock.evaluation import matrix_page
from ackclock.evaluation import pairings_documents as documents
from ackclock.evaluation.matrix_page import MatrixSection
from ackclock.evaluation.pairings import Pairings
from ackclock.evaluation.pairings_figures import load_map, share_map
from ackclock.report.forgiving import add_report
from ackclock.report.json_text import dumps
from ackclock.results_folder import ResultsFolder

__all__ = ["KIND", "write"]

KIND = "pairings"
"""The kind of the folder of pairings in its provenance."""


def write(done: Pairings, folder: ResultsFolder) -> None:
    """Puts documents, scenarios and provenance in place, then draws the report; if that fails, it warns."""
    folder.write_text("pairings.json", dumps(documents.as_json(done)) + "\n")
    folder.write_text("pairings.md", documents.as_markdown(done))
    names = {f"scenarios/{number}.toml": name for number, name in enumerate(done.scenarios, start=1)}
    hashes = {file: folder.write_text(file, done.scenarios[name].to_toml()) for file, name in names.items()}
    result = {
        "what": KIND,
        "services": list(done.services),
        "quick": done.quick,
        "seeds": list(done.seeds),
        "scenarios": hashes,
    }
    folder.write_json("provenance.json", provenance.document(result))
    folder.commit()
    add_report(folder, lambda: folder.write_text("report.html", _page(done, folder)))


def _page(done: Pairings, folder: ResultsFolder) -> str:
    names = ", ".join(done.services)
    shares = matrix_page.drawn("pairings", names, lambda: share_map(done), folder)
    sections = [
        MatrixSection(
            "share",
            "Who harms whom",
            documents.sentence(done),
            shares,
            [documents.harm_view(done), documents.share_view(done)],
        )
    ]
    if documents.readers(done):
        loads = matrix_page.drawn("pages", names, lambda: load_map(done), folder)
        said = "The time within which half of the pages load, and how many times as long that is as alone."
        sections.append(MatrixSection("pages", "Pages", said, loads, [documents.load_view(done)]))
    if documents.watchers(done):
        said = "The time in which a film has nothing to play, or a call no new frame to show."
        sections.append(MatrixSection("pictures", "Pictures", said, "", [documents.still_view(done)]))
    return matrix_page.page(
        "Pairings",
        f"{names} in pairs",
        documents.conditions(done),
        documents.notes(done),
        sections,
        done.seeds,
        [
            ("Numbers", "pairings.json and pairings.md beside this page"),
            (
                "Scenarios",
                "scenarios/NUMBER.toml, which ackclock run takes; each title names the pair",
            ),
        ],
        quick=done.quick,
    )
