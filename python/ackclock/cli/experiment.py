"""The steps that `run` and `compare` share: simulate, save, draw and print."""

from __future__ import annotations

import re
import sys
import webbrowser
from collections.abc import Callable, Sequence
from pathlib import Path

from ackclock._native import Scenario
from ackclock.cli import folders
from ackclock.cli.bars import bars, can_draw
from ackclock.cli.command import fail_for
from ackclock.cli.guards import Guards
from ackclock.cli.options import Drawing, Experiment
from ackclock.cli.printed import fitting, plain, tell_where
from ackclock.cli.progress import ProgressBar
from ackclock.cli.terminal import console
from ackclock.errors import InputError, OutputError, Stopped
from ackclock.interrupts import held
from ackclock.measures.groups import has_several
from ackclock.report import competitors, style, tables
from ackclock.report.comparison_document import comparison_document
from ackclock.report.experience import experience_views
from ackclock.report.json_text import dumps
from ackclock.results_folder import ResultsFolder
from ackclock.runs.build import of_build
from ackclock.runs.crew import is_any_left_behind
from ackclock.runs.result import KINDS, Comparison, Interrupted
from ackclock.runs.saved import load
from ackclock.scenarios.seeds import seed_numbers

__all__ = ["carry_out"]

DOING = {"run": "Simulating", "compare": "Comparing"}
"""The title of each command's progress bar."""


def carry_out(
    command: str,
    options: Experiment,
    scenario: Scenario,
    simulate: Callable[..., Comparison],
    *,
    labels: Sequence[str],
) -> None:
    """Simulates, then saves and prints the outcome; exit status 1 if a guard fails.

    `labels` are those of the runs of each seed. `simulate` takes the keywords `seeds`, `series`, `workers`
    and `progress` of `ackclock.compare`.
    """
    guards = Guards.read(options.conditions, trust=options.trust)
    guards.check(labels)
    style.check_formats(options.drawing.figure_formats)
    style.width_inches(options.drawing.width)
    replaced = folders.command_of(options.output) if options.output else None
    place = options.output or folders.unused(folders.named(scenario.name, command, "scenario"))
    first = scenario.seed if options.seed is None else options.seed
    seeds = seed_numbers(options.seeds, first)
    try:
        known = _finished_before(place)
        with ResultsFolder(place, KINDS) as folder:
            with held() as pressed:
                with ProgressBar(DOING[command]) as bar:
                    comparison, stopped = _simulated(
                        simulate, len(labels), seeds=seeds, series=not options.no_report,
                        workers=options.workers, progress=bar.tell, known=known,
                    )  # fmt: skip
                if comparison is None:
                    raise Stopped("interrupted before any run was finished; nothing was written")
                path = _save(comparison, folder, as_json=options.json)
            folders.tell_replaced(path, replaced)
            if not options.no_report:
                again = len(pressed) > 1 or is_any_left_behind()
                stopped = _draw(comparison, folder, options.drawing, again=again) or stopped
    except KeyboardInterrupt:
        raise Stopped("interrupted; nothing was written") from None
    shown = folders.readable(path)
    has_report = (path / "report.html").is_file()
    failures = [] if stopped else guards.failures(comparison)
    if options.json:
        print(dumps(comparison_document(comparison, command, shown, has_report, failures)))
    else:
        _print(comparison, options.links)
        tell_where(shown, has_report)
    if stopped:
        goes_on = _go_on(comparison) if comparison.interrupted else ""
        raise Stopped(f"interrupted: {stopped} {shown}{goes_on}")
    _warn_of_broken_conservation(comparison)
    if options.open_report and has_report:
        webbrowser.open((path / "report.html").as_uri())
    fail_for(failures)


def _simulated(
    simulate: Callable[..., Comparison], runs_per_seed: int, *, seeds: Sequence[int], **keywords: object
) -> tuple[Comparison | None, str]:
    """The comparison, None if no run was finished, and a message if Ctrl-C interrupted it."""
    try:
        return simulate(seeds=seeds, **keywords), ""
    except Interrupted as interrupt:
        partial = interrupt.partial
        left = f"{len(partial.results)} of {len(seeds) * runs_per_seed} runs were finished and are kept in"
        return (partial if partial.results else None), left


def _finished_before(place: Path) -> Comparison | None:
    """The runs that the same command of this build had finished when it was interrupted.

    Captures stand in files alone: with them, all runs are made again.
    """
    if not folders.is_unfinished(place, of_build()) or (place / "captures").exists():
        return None
    try:
        return load(place)
    except InputError:  # a file of it has changed
        return None


def _go_on(comparison: Comparison) -> str:
    """The end of the message of an interruption."""
    captured = any(result.captures or result.qlogs for result in comparison.results)
    return "" if captured else "; the same command goes on from there"


def _save(comparison: Comparison, folder: ResultsFolder, *, as_json: bool) -> Path:
    """Puts the tables in place; if that fails, prints the results at least."""
    try:
        comparison.write(folder)
        return folder.commit()
    except OutputError:
        if not as_json:
            _print(comparison)
        raise


def _draw(comparison: Comparison, folder: ResultsFolder, drawing: Drawing, *, again: bool) -> str:
    """Adds figures and report.

    If Ctrl-C comes meanwhile, or came `again` before, a message says what is missing.
    """
    left = "there is no report, but the tables of all runs that were finished are kept in"
    if again:
        return left
    print("Writing the report", file=sys.stderr, flush=True)
    try:
        comparison.write_report(folder, drawing.figure_formats, drawing.width)
    except KeyboardInterrupt:
        return left
    return ""


def _print(comparison: Comparison, links: Sequence[str] = ()) -> None:
    terminal = console()
    scenario = comparison.scenario
    several = len(comparison.seeds) > 1
    seeds = (
        f"seeds {comparison.seeds[0]} to {comparison.seeds[-1]}" if several else f"seed {comparison.seeds[0]}"
    )
    average = f", averages from {scenario.warm_up_s:g} s on" if scenario.warm_up_s else ""
    terminal.print(plain(scenario.title or scenario.name), style="bold")
    terminal.print(
        f"{plain(scenario.name)}, {scenario.duration_s:g} s simulated{average}, {seeds}; "
        f"bottleneck {plain(comparison.bottleneck)}"
    )
    if comparison.is_comparison:
        terminal.print(plain(tables.compared_line(comparison)))
        together = [competitors.view(comparison)] if comparison.shared_run is not None else []
        views = [
            tables.summary_view(comparison),
            *together,
            *experience_views(comparison),
            *tables.difference_views(comparison),
        ]
    else:
        views = [tables.flow_view(comparison), *experience_views(comparison), tables.link_view(comparison)]
        if comparison.results[0].flows.height > 2:
            views.insert(0, tables.summary_view(comparison))
    if links or has_several(scenario):
        views.append(tables.group_view(comparison, links))
    if comparison.is_comparison and can_draw(terminal) and (chart := bars(comparison)):
        terminal.print()
        terminal.print(chart)
    said: set[str] = set()
    notes = []
    for view in views:
        for table in fitting(view, terminal):
            terminal.print(table)
        fresh = [sentence for sentence in _sentences(view.note) if sentence not in said]
        said.update(fresh)
        notes.append(" ".join(fresh))
    for note in filter(None, notes):
        terminal.print(plain(note), style="dim")
    if not several and comparison.is_comparison:
        terminal.print("One seed; --seeds 20 shows how much depends on chance.", style="dim")


def _sentences(note: str) -> list[str]:
    return [sentence for sentence in re.split(r"(?<=\.) (?=\S)", note) if sentence]


def _warn_of_broken_conservation(comparison: Comparison) -> None:
    broken = [f"{result.label}, seed {result.seed}" for result in comparison.results if not result.conserved]
    if broken:
        raise RuntimeError(
            f"packets were lost count of in {'; '.join(broken)}: a bug in Ackclock, please report it"
        )
