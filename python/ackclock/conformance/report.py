"""The folder of a conformance: one self-contained page, Markdown, JSON, and each scenario with its figure."""

from __future__ import annotations

from ackclock import provenance
from ackclock._native import Scenario
from ackclock.conformance import documents, figures, playground
from ackclock.conformance.judge import CaseVerdict, Conformance
from ackclock.errors import ScenarioError
from ackclock.report.figures import image
from ackclock.report.forgiving import add_report, forgiving
from ackclock.report.json_text import dumps
from ackclock.report.tables import Cell, View
from ackclock.report.templates import html_page
from ackclock.results_folder import ResultsFolder
from ackclock.runs.written import with_sources
from ackclock.scenarios import own_code

__all__ = ["KIND", "write"]

KIND = "conformance"
"""The kind of the folder in its provenance."""


def write(conformance: Conformance, folder: ResultsFolder) -> None:
    """Puts documents and scenarios in place, then draws the page; if that fails, it warns."""
    folder.write_text("conformance.json", dumps(documents.as_json(conformance)) + "\n")
    folder.write_text("conformance.md", documents.as_markdown(conformance))
    classes = _write_scenarios(conformance, folder)
    result = {
        "what": KIND,
        "specification": conformance.specification.key,
        "algorithm": conformance.label,
        "cases": [verdict.case.key for verdict in conformance.verdicts],
        "seeds": list(conformance.seeds),
        **({"classes": classes} if classes else {}),
    }
    folder.write_json("provenance.json", provenance.document(result))
    folder.commit()
    add_report(folder, lambda: folder.write_text("report.html", _page(conformance, folder)))


def _write_scenarios(conformance: Conformance, folder: ResultsFolder) -> dict[str, dict[str, str]]:
    """Writes the scenario of each case, and the Python class that it names.

    Returns the SHA-256 of each file of a class.
    """
    digests, sources = {}, {}
    for name, made in conformance.classes.items():
        place = f"algorithms/{name}"
        digests[name] = own_code.write(folder, place, name, made)
        if named := own_code.reference(place, name, made):
            sources[name] = f"../{named}"
    for verdict in conformance.verdicts:
        if verdict.scenario is not None:
            scenario = with_sources(_logged(verdict.scenario), sources)
            folder.write_text(f"scenarios/{verdict.case.key}.toml", scenario.to_toml())
    return digests


def _logged(scenario: Scenario) -> Scenario:
    """The scenario with a qlog, if its flows can write one: clients and servers cannot."""
    try:
        return scenario.with_value("trace.qlog", "true")
    except ScenarioError:
        return scenario


def _page(conformance: Conformance, folder: ResultsFolder) -> str:
    about = {
        "Title": f"{conformance.label} by {conformance.specification.title}",
        "Description": f"ackclock {provenance.version()}: {provenance.command_line()}",
    }

    def section(verdict: CaseVerdict) -> tuple[CaseVerdict, str, View, str | None]:
        drawn = ""
        if verdict.curves:
            with forgiving(f"figure {verdict.case.key}"):
                svg = image(figures.draw(verdict, conformance), "svg", about)
                folder.write_bytes(f"figures/{verdict.case.key}.svg", svg)
                drawn = svg.decode().partition("<svg")[2]
        played = playground.fragment(verdict.scenario) if verdict.scenario else None
        return verdict, drawn, _checks_view(verdict, conformance.seeds), played

    not_judged = documents.not_judged(conformance)
    return html_page(
        "conformance.html.j2",
        conformance=conformance,
        sections=[section(verdict) for verdict in documents.judged(conformance)],
        not_judged=not_judged,
        folded=[section(verdict) for verdicts in not_judged.values() for verdict in verdicts],
        summary=documents.summary(conformance),
        playground=playground.HERE,
        provenance=[
            ("Command", provenance.command_line()),
            ("Seeds", ", ".join(map(str, conformance.seeds)) or "none, for a log"),
            ("Ackclock", provenance.described_version(provenance.git_commit())),
            ("Verdicts", "conformance.json and conformance.md next to this page"),
            *(_runs_again() if any(verdict.scenario for verdict in conformance.verdicts) else ()),
        ],
    )


def _runs_again() -> tuple[tuple[str, str], ...]:
    return (
        ("Scenarios", "scenarios/CASE.toml, which `ackclock run` takes, with a qlog of the sender"),
        ("Playground", f"plays a case while `{playground.COMMAND}` runs"),
    )


def _checks_view(verdict: CaseVerdict, seeds: tuple[int, ...]) -> View:
    """A row for each check of each seed."""
    rows = [
        (
            Cell(f"{check.what}, seed {seed}" if seed in seeds else check.what),
            Cell(check.finding),
            Cell(check.expectation),
            Cell(check.outcome.value),
        )
        for seed, found in verdict.checks.items()
        for check in found
    ]
    columns = (("Check", ""), ("Found", ""), ("Expected", ""), ("Verdict", ""))
    return View("", columns, tuple(rows))
