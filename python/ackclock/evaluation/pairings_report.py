"""Pairings as tables, a picture, JSON and a folder."""

from __future__ import annotations

import math
from dataclasses import asdict

import matplotlib as mpl
from matplotlib.figure import Figure

from ackclock import provenance
from ackclock.evaluation.coexistence_figures import SHARE_COLOURS, heat_panel
from ackclock.evaluation.pairings import BUFFER_BDP, ROUND_TRIP_MS, WARM_UP_S, Outcome, Pairings
from ackclock.measures.digits import number, with_interval
from ackclock.report import style
from ackclock.report.canvas import new_figure
from ackclock.report.figures import image
from ackclock.report.forgiving import add_report
from ackclock.report.json_text import dumps
from ackclock.report.tables import Cell, View
from ackclock.report.text import for_figures
from ackclock.results_folder import ResultsFolder

__all__ = [
    "KIND",
    "SCHEMA",
    "as_json",
    "as_markdown",
    "conditions",
    "experience_view",
    "notes",
    "share_map",
    "share_view",
    "write",
]

KIND = "pairings"
"""The kind of the folder of pairings in its provenance."""

SCHEMA = "ackclock-pairings/1"
"""The schema of the JSON document."""

LESS = 0.9
"""A share below this part of the fair one is a harm."""


def share_view(done: Pairings) -> View:
    """The shares of the fair share: a row for each incumbent and rate, a column for each contender."""

    def cell(found: Outcome) -> Cell:
        half = found.share.half_width
        is_less = found.share.estimate + (half if math.isfinite(half) else 0.0) < LESS
        return Cell(with_interval(found.share.estimate * 100, half * 100, 0), is_decided=is_less)

    columns = (("Incumbent", ""), ("Rate", "Mbit/s"), *((f"beside {name}", "") for name in done.services))
    rows = tuple(
        (
            Cell(mine),
            Cell(f"{rate:g}"),
            *(cell(done.outcomes[rate, mine, other]) for other in done.services),
        )
        for rate in done.rates_mbit_per_s
        for mine in done.services
    )
    return View("Part of its max-min fair share that the incumbent gets [%]", columns, rows)


def experience_view(done: Pairings) -> View:
    """The standstills in s of films and calls next to each contender."""
    seen = [name for name in done.services if not name.startswith("bulk:")]
    columns = (("Incumbent", ""), ("Rate", "Mbit/s"), *((f"beside {name}", "") for name in done.services))
    rows = tuple(
        (
            Cell(mine),
            Cell(f"{rate:g}"),
            *(Cell(number(done.outcomes[rate, mine, other].frozen_s, 1)) for other in done.services),
        )
        for rate in done.rates_mbit_per_s
        for mine in seen
    )
    return View("Time in which the picture of the incumbent stands still [s]", columns, rows)


def share_map(done: Pairings) -> Figure:
    """A heat map for each rate: white at the fair share, orange below."""
    rates, services = done.rates_mbit_per_s, done.services
    columns = min(len(rates), 2)
    lines = math.ceil(len(rates) / columns)
    height = 1.1 + lines * (0.9 + 0.42 * len(services))
    figure, panels = new_figure(lines, columns, height, sharey=True)
    colours = mpl.colors.Normalize(0, 2)
    with mpl.rc_context(style.MATPLOTLIB):
        for panel, rate in zip(panels, rates, strict=False):
            grid = [[done.outcomes[rate, mine, other].share for other in services] for mine in services]
            heat_panel(panel, grid, services, colours, SHARE_COLOURS, 100)
            panel.set_title(f"{rate:g} Mbit/s")
        heading = for_figures("part of its max-min fair share that the incumbent gets [%]")
        figure.suptitle(heading, fontsize=9, fontweight="bold", x=0.01, ha="left")
        figure.supxlabel("contender", fontsize=9)
        figure.supylabel("incumbent", fontsize=9)
    return figure


def conditions(done: Pairings) -> str:
    """The setting in one line."""
    rates = " and ".join(f"{rate:g}" for rate in done.rates_mbit_per_s)
    seeds = len(done.seeds)
    how = f"{seeds} seed{'s' if seeds > 1 else ''}{', quick' if done.quick else ''}"
    return f"{rates} Mbit/s, round trip {ROUND_TRIP_MS:g} ms, buffer {BUFFER_BDP:g} BDP, {how}"


def notes(done: Pairings) -> tuple[str, ...]:
    """The notes that explain the numbers."""
    interval = ", with the 95 % interval over seeds" if len(done.seeds) > 1 else ""
    fair = (
        "The max-min fair share is half of the link, less if the service uses less alone, more if the other "
        f"one does{interval}."
    )
    how = f"Both begin within a second; averages leave out the first {WARM_UP_S} s. Bold: less than 90 %."
    return fair, how


def as_markdown(done: Pairings) -> str:
    """The tables as Markdown."""
    lines = [f"# {', '.join(done.services)} in pairs", "", f"{conditions(done)}."]
    for view in (share_view(done), experience_view(done)):
        heads = [f"{name} [{unit}]" if unit else name for name, unit in view.columns]
        lines += ["", f"## {view.title}", "", f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
        lines += [f"| {' | '.join(cell.text for cell in row)} |" for row in view.rows]
    return "\n".join([*lines, "", *notes(done)]) + "\n"


def as_json(done: Pairings, folder: str = "") -> dict[str, object]:
    """The outcome as a JSON object, in base units."""
    pairs = [
        {"rate_bit_per_s": rate * 1e6, "incumbent": mine, "contender": other, **asdict(found)}
        for (rate, mine, other), found in done.outcomes.items()
    ]
    return {
        "schema": SCHEMA,
        "version": provenance.version(),
        "services": list(done.services),
        "quick": done.quick,
        "seeds": list(done.seeds),
        "pairs": pairs,
        **({"folder": folder} if folder else {}),
    }


def write(done: Pairings, folder: ResultsFolder) -> None:
    """Puts documents, scenarios and provenance in place, then draws the matrix; if that fails, it warns."""
    folder.write_text("pairings.json", dumps(as_json(done)) + "\n")
    folder.write_text("pairings.md", as_markdown(done))
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
    about = {"Title": f"pairings: {', '.join(done.services)}", "Description": provenance.command_line()}
    add_report(
        folder, lambda: folder.write_bytes("figures/pairings.svg", image(share_map(done), "svg", about))
    )
