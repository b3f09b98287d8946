"""The folder of an attack: one page, Markdown, JSON, and the finding as scenario, as file and as test."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

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


@dataclass(frozen=True)
class Shown:
    """The outcome of the runs of the finding."""

    parted: Parting | None = None
    """The moment at which they part."""
    values: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """The quantities of each algorithm on its path."""


def write(attack: Attack, folder: ResultsFolder) -> Shown:
    """Puts the documents in place, then draws the page; if that fails, it warns."""
    runs: tuple[Result, Result] | None = None
    shown, address = Shown(), ""
    if attack.finding is not None:
        runs = attack.run(), attack.run(attack.problem.beside)
        parted = parting(*runs, QUANTITIES[attack.problem.quantity].column)
        shown = Shown(parted, _values(attack, runs))
        address = playground_address(attack.scenario())
        folder.write_text("test_finding.py", documents.as_test(attack))
        _write_findings(attack, folder)
    folder.write_text("attack.json", dumps(documents.as_json(attack, parted=shown.parted)) + "\n")
    folder.write_text("attack.md", documents.as_markdown(attack, shown.parted, address))
    result: dict[str, object] = {
        "what": KIND,
        "algorithms": list(attack.problem.contenders),
        "objective": attack.question,
        "seed": attack.seed,
        "budget_simulated_s": attack.budget_s,
    }
    folder.write_json("provenance.json", provenance.document(result))
    folder.commit()
    add_report(folder, lambda: folder.write_text("report.html", _page(attack, runs, shown, address, folder)))
    return shown


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
    shown: Shown,
    address: str,
    folder: ResultsFolder,
) -> str:
    drawn, parted = "", shown.parted
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
        numbers=_numbers(attack, shown.values) if runs else None,
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
            ("Budget", _budget(attack)),
            ("Ackclock", provenance.described_version(provenance.git_commit())),
            (
                "Files",
                "scenario.toml, finding.toml, test_finding.py, attack.json and attack.md next to this page",
            ),
        ],
    )


def _budget(attack: Attack) -> str:
    """The budget, and what was run of it or beyond it."""
    given, run = f"{attack.budget_s:,.0f} simulated seconds", f"{attack.simulated_s:,.0f}"
    if attack.simulated_s <= attack.budget_s:
        return f"{given}, of which {run} were run"
    return f"{given}; {run} were run, since a check that has begun is finished"


def _values(attack: Attack, runs: tuple[Result, Result]) -> dict[str, dict[str, float]]:
    """The quantities of each algorithm on the path of the finding."""
    finding = attack.worst_finding()
    rows = dict(documents.numbers(attack))
    for result in runs:
        row = facts(result)
        rows.setdefault(result.label, attack.problem.values(finding.path, row, finding.duration_s))
    return rows


def _numbers(attack: Attack, rows: Mapping[str, Mapping[str, float]]) -> View:
    """A row for each algorithm on the path of the finding."""
    finding = attack.worst_finding()
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
    "of the packets sent. Delay and completion are multiples of what the path has without a queue and with "
    "the longest of its own delays, and 1 at least. A dash: the run is too short to tell."
)


def _changed(parted: Parting) -> View:
    """A row for each gauge that changed when the runs parted."""
    rows = [
        (Cell(one.name.replace("_", " ")), Cell(f"{one.before:.4g}"), Cell(f"{one.after:.4g}"))
        for one in parted.changed
    ]
    return View("", (("Gauge", ""), ("before", ""), ("after", "")), tuple(rows))
