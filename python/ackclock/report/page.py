"""The report of a run or a comparison: one self-contained HTML file."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ackclock.measures.groups import has_several
from ackclock.provenance import command_line, described_version, git_commit, scenario_hash
from ackclock.report import charts, competitors, style, tables, topology
from ackclock.report.experience import experience_views
from ackclock.report.forgiving import forgiving
from ackclock.report.templates import html_page
from ackclock.report.text import counted

if TYPE_CHECKING:
    from ackclock.report.figures import FigureProcess
    from ackclock.report.record import ComparisonRecord
    from ackclock.results_folder import ResultsFolder

__all__ = ["render", "write"]


def write(
    comparison: ComparisonRecord,
    folder: ResultsFolder,
    formats: Sequence[str] = (),
    width: float | str | None = None,
) -> None:
    """Adds report.html to a results folder whose tables are in place, and figures in each of the formats.

    A failure is a warning.
    """
    process = None
    if formats:
        with forgiving("figures"):
            process = _start_figures(comparison, formats, width)
    with forgiving("report"):
        folder.write_text("report.html", render(comparison))
    if process is not None:
        with forgiving("figures"):
            process.write(folder)
    with forgiving("figures and report"):
        folder.commit()


def _start_figures(
    comparison: ComparisonRecord, formats: Sequence[str], width: float | str | None
) -> FigureProcess:
    from ackclock.report.figures import FigureProcess  # noqa: PLC0415 - a report alone loads no matplotlib

    return FigureProcess(comparison, formats, width)


def render(comparison: ComparisonRecord) -> str:
    """The report as the text of an HTML page."""
    scenario = comparison.scenario
    drawn = charts.charts(comparison)
    everything = tables.difference_views(comparison, everything=True)
    algorithms = [] if comparison.is_comparison else topology.algorithms(scenario)
    runs = len(comparison.results)
    events = sum(result.events for result in comparison.results)
    cpu = sum(result.cpu_s for result in comparison.results)
    return html_page(
        "report.html.j2",
        comparison=comparison,
        title=scenario.title or scenario.name,
        scenario=scenario,
        facts=[*algorithms, *topology.facts(scenario)],
        sketch=topology.sketch(scenario),
        looks=style.looks(comparison.labels),
        recoveries=tables.compared_line(comparison) if comparison.is_comparison else "",
        summary=tables.summary_view(comparison),
        together=competitors.view(comparison) if comparison.shared_run is not None else None,
        more=tables.summary_view(comparison, others=True),
        differences=everything[:1],
        more_differences=everything[1:],
        flows=tables.flow_view(comparison) if not comparison.is_comparison else None,
        links=tables.link_view(comparison) if not comparison.is_comparison else None,
        experiences=experience_views(comparison),
        groups_of_flows=tables.group_view(comparison) if has_several(scenario) else None,
        groups=_numbered(drawn),
        charts=[chart for group in drawn for chart in group.charts],
        library=charts.library() if drawn else "",
        provenance=[
            ("Command", command_line()),
            ("Scenario", f"{scenario.name}, SHA-256 {scenario_hash(scenario)}"),
            ("Seeds", ", ".join(str(seed) for seed in comparison.seeds)),
            ("Ackclock", described_version(git_commit())),
            (
                "Events",
                f"{events:,} in {counted(runs, 'run')}"
                + (f", {cpu:.2f} CPU s" if math.isfinite(cpu) else ""),
            ),
            ("Conservation", _conservation(comparison)),
        ],
    )


def _numbered(groups: Sequence[charts.ChartGroup]) -> list[tuple[charts.ChartGroup, range]]:
    """The groups with the numbers of their charts in the page."""
    numbered, first = [], 0
    for group in groups:
        numbered.append((group, range(first, first + len(group.charts))))
        first += len(group.charts)
    return numbered


def _conservation(comparison: ComparisonRecord) -> str:
    if all(result.conserved for result in comparison.results):
        return "every packet sent was delivered, dropped or in flight at the end, in every run"
    broken = [f"{result.label}, seed {result.seed}" for result in comparison.results if not result.conserved]
    return f"BROKEN in {'; '.join(broken)}: do not trust these results"
