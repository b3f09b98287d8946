"""Scenarios that show themselves; the compiled class `Scenario` calls these functions."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock.errors import OutputError
from ackclock.own_files import HOLE, refuse_foreign, sealed
from ackclock.report import latex, shown, topology
from ackclock.report.tables import Cell, View
from ackclock.report.text import counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ackclock._native import Scenario

__all__ = ["html", "plot", "save", "to_latex", "to_pandas"]


def _heading(scenario: Scenario) -> tuple[str, str]:
    return scenario.title or scenario.name, f"{scenario.name}, {counted(scenario.flow_count, 'flow')}"


def _view(scenario: Scenario) -> View:
    rows = tuple((Cell(name), Cell(value)) for name, value in _facts(scenario))
    return View("", (("", ""), ("value", "")), rows)


def _facts(scenario: Scenario) -> list[tuple[str, str]]:
    return [*topology.facts(scenario), *topology.algorithms(scenario), ("Seed", str(scenario.seed))]


def html(scenario: Scenario) -> str:
    """The network and the facts of a scenario as a fragment of HTML."""
    return shown.fragment(*_heading(scenario), [_view(scenario)], topology.sketch(scenario))


def to_latex(scenario: Scenario) -> str:
    """The facts of a scenario as a `tabular` of booktabs."""
    return latex.table(_view(scenario))


def to_pandas(scenario: Scenario) -> Any:
    """The facts of a scenario as a pandas data frame of two columns."""
    import polars as pl  # noqa: PLC0415 - scenarios are read without it

    names, values = zip(*_facts(scenario), strict=True)
    return shown.in_pandas(pl.DataFrame({"key": names, "value": values}))


def save(scenario: Scenario, path: str | os.PathLike[str]) -> Path:
    """Writes the scenario as TOML, as `to_toml` has it, into a file or, in a folder, as <name>.toml.

    A file there that was not written so, or has been changed since, is not replaced. Raises OutputError.
    """
    target = Path(path)
    if target.suffix != ".toml":
        target = target / f"{scenario.name.replace('/', '-')}.toml"
    refuse_foreign(target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(sealed(f"# {HOLE}\n{scenario.to_toml()}".encode()))
    except OSError as error:
        raise OutputError(f"{target}: cannot write the scenario here: {error.strerror}") from None
    return target


def plot(scenario: Scenario, width: float | str | None = None) -> Figure:
    """The network: hosts, routers and links with their labels."""
    from ackclock.report.canvas import new_figure  # noqa: PLC0415 - plotting takes a second to load

    nodes, links = scenario.sketch()
    rows = max((y for *_, y, _ in nodes), default=0.0)
    figure, (axis,) = new_figure(height=1.0 + 0.45 * rows, width=width)
    axis.set_axis_off()
    axis.set_xlim(-0.12, 1.12)
    axis.set_ylim(rows + 0.7, -0.7)
    for start, end, trunk, label in links:
        (x1, y1), (x2, y2) = (nodes[place][2:4] for place in (start, end))
        colour, thickness = ("#0072b2", 2.5) if trunk else ("#777777", 0.9)
        axis.plot([x1, x2], [y1, y2], color=colour, linewidth=thickness, zorder=1)
        for shift, side, text in ((-0.12, "bottom", label[:1]), (0.12, "top", label[1:])):
            middle = ((x1 + x2) / 2, (y1 + y2) / 2 + shift)
            axis.text(*middle, "\n".join(text), ha="center", va=side, fontsize=6.5, color="#555555")
    for name, role, x, y, note in nodes:
        shape = {"host": "round,pad=0.35", "router": "circle,pad=0.35"}.get(role)
        box = (
            {"boxstyle": shape, "facecolor": "white", "edgecolor": "#555555", "linewidth": 0.9}
            if shape
            else None
        )
        if name:
            axis.text(x, y, name, ha="center", va="center", fontsize=7.5, bbox=box, zorder=2)
        if note:
            axis.text(
                x, y + (0.36 if name else 0), note, ha="center", va="center", fontsize=6.5, color="#555555"
            )
    if not nodes:
        axis.text(0.5, rows / 2, "too large to draw", ha="center", va="center")
    return figure
