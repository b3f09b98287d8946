"""The folder of an attack: one page, Markdown, JSON, and the finding as scenario, as file and as test."""

from __future__ import annotations

import math

from ackclock import provenance
from ackclock.attacks import documents, words
from ackclock.attacks.attack import Attack
from ackclock.attacks.facts import facts
from ackclock.attacks.objective import QUANTITIES
from ackclock.attacks.parting import Parting, parting
from ackclock.attacks.replay import as_toml
from ackclock.report.figures import image
from ackclock.report.forgiving import add_report, forgiving
from ackclock.report.json_text import dumps
from ackclock.report.tables import Cell, View
from ackclock.report.templates import html_page
from ackclock.results_folder import ResultsFolder
from ackclock.runs.result import Result
from ackclock.runs.written import with_sources
from ackclock.scenarios import own_code
from ackclock.scenarios.address import playground_address
from ackclock.scenarios.algorithms import class_name

__all__ = ["KIND", "write"]

KIND = "attack"
"""The kind of the folder in its provenance."""

COLUMNS = (*QUANTITIES, "timeouts")


def write(attack: Attack, folder: ResultsFolder) -> Parting | None:
    """Puts the documents in place, then draws the page; if that fails, it warns.

    Returns the moment at which the runs of the finding part.
    """
    runs: tuple[Result, Result] | None = None
    parted = None
    address = ""
    if attack.finding is not None:
        runs = attack.run(), attack.run(attack.problem.beside)
        parted = parting(*runs, QUANTITIES[attack.problem.quantity].column)
        address = playground_address(attack.scenario())
        folder.write_text("test_finding.py", documents.as_test(attack))
        _write_findings(attack, folder)
    folder.write_text("attack.json", dumps(documents.as_json(attack, parted=parted)) + "\n")
    folder.write_text("attack.md", documents.as_markdown(attack, parted, address))
    result: dict[str, object] = {
        "what": KIND,
        "algorithms": list(attack.problem.contenders),
        "objective": attack.question,
        "seed": attack.seed,
        "budget_simulated_s": attack.budget_s,
    }
    folder.write_json("provenance.json", provenance.document(result))
    folder.commit()
    add_report(folder, lambda: folder.write_text("report.html", _page(attack, runs, parted, address, folder)))
    return parted


def _write_findings(attack: Attack, folder: ResultsFolder) -> None:
    """Writes each finding as a scenario and as a file, and the Python classes that they name."""
    by_label, by_name = {}, {}
    problem = attack.problem
    for label, made in {**problem.others, **problem.contenders}.items():
        if isinstance(made, str):
            continue
        spec, name = class_name(label, made)
        place = f"algorithms/{name}"
        own_code.write(folder, place, name, made)
        by_name[name] = own_code.reference(place, name, made) or name
        by_label[label] = own_code.with_class(spec, name, by_name[name])
    for number, finding in enumerate(attack.findings, 1):
        ending = f"-{number}" if number > 1 else ""
        scenario = attack.scenario(finding)
        own = with_sources(scenario, by_name) if by_name else scenario
        folder.write_text(f"scenario{ending}.toml", own.to_toml())
        folder.write_text(f"finding{ending}.toml", as_toml(attack, finding, by_label))


def _page(
    attack: Attack,
    runs: tuple[Result, Result] | None,
    parted: Parting | None,
    address: str,
    folder: ResultsFolder,
) -> str:
    drawn = ""
    if runs is not None:
        from ackclock.attacks import figures  # noqa: PLC0415 - plotting takes a second to load

        with forgiving("figure"):
            about = {"Title": f"An attack on {attack.label}", "Description": provenance.command_line()}
            svg = image(figures.draw(*runs, parted), "svg", about)
            folder.write_bytes("figures/finding.svg", svg)
            drawn = svg.decode().partition("<svg")[2]
    finding = attack.finding
    return html_page(
        "attack.html.j2",
        attack=attack,
        summary=documents.summary(attack),
        changes=words.changes(finding.path) if finding else [],
        holds=words.sentence(finding) if finding else "",
        numbers=_numbers(attack, runs) if runs else None,
        parted=parted,
        changed=_changed(parted) if parted else None,
        svg=drawn,
        address=address,
        row=[
            ("Case", documents.row_key(attack)),
            ("Statement", documents.row_statement(attack)),
            ("Rule", documents.row_rule(attack)),
        ],
        others=[(words.changes(one.path), words.sentence(one), one) for one in attack.findings[1:]],
        thrown=[(words.changes(one.path), one) for one in attack.thrown_away],
        provenance=[
            ("Command", provenance.command_line()),
            ("Seeds", f"{attack.seed} for the search; {', '.join(map(str, attack.seeds))} for the check"),
            (
                "Budget",
                f"{attack.budget_s:,.0f} simulated seconds, of which {attack.simulated_s:,.0f} were run",
            ),
            ("Ackclock", provenance.described_version(provenance.git_commit())),
            (
                "Files",
                "scenario.toml, finding.toml, test_finding.py, attack.json and attack.md next to this page",
            ),
        ],
    )


def _numbers(attack: Attack, runs: tuple[Result, Result]) -> View:
    """A row for each algorithm on the path of the finding."""
    finding = attack.worst_finding()
    rows = dict(documents.numbers(attack))
    for result in runs:
        row = facts(result)
        rows.setdefault(result.label, attack.problem.values(finding.path, row, finding.duration_s))
    columns = [name for name in COLUMNS if name != "completion" or "files" in finding.path]
    cells = [
        (
            Cell(label),
            *(Cell("–" if math.isnan(values[name]) else f"{values[name]:.3g}") for name in columns),
        )
        for label, values in rows.items()
    ]
    heads = (("Algorithm", ""), *((name.capitalize(), "") for name in columns))
    return View("", heads, tuple(cells), NOTE)


NOTE = (
    "Goodput and starvation are shares of what a sender that knows the path would have, losses are a share "
    "of the packets sent, delay and completion are multiples of the least. A dash: the run is too short to "
    "tell."
)


def _changed(parted: Parting) -> View:
    """A row for each gauge that changed when the runs parted."""
    rows = [
        (Cell(one.name.replace("_", " ")), Cell(f"{one.before:.4g}"), Cell(f"{one.after:.4g}"))
        for one in parted.changed
    ]
    return View("", (("Gauge", ""), ("2 s before", ""), ("2 s after", "")), tuple(rows))
