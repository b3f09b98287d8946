"""The commands `run`, `compare`, `reproduce` and `sweep`, with parsed arguments."""

from __future__ import annotations

import re
import shlex
import sys
import webbrowser
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.measure import Measurement
from rich.table import Table

from ackclock import papers
from ackclock._native import Scenario
from ackclock.cli import folders
from ackclock.cli.guards import Guards
from ackclock.cli.options import settings_of
from ackclock.cli.progress import ProgressBar
from ackclock.cli.terminal import console
from ackclock.errors import OutputError, Stopped
from ackclock.interrupts import held
from ackclock.measures.groups import has_several
from ackclock.provenance import command_line
from ackclock.report import competitors, style, tables
from ackclock.report.text import counted, for_terminal
from ackclock.results_folder import ResultsFolder
from ackclock.runs.compare import DEFAULT_ALGORITHMS, compare, replicate
from ackclock.runs.result import KINDS, Comparison, Interrupted, check_formats
from ackclock.scenarios.algorithms import one_algorithm, own_names
from ackclock.scenarios.load import load_scenario
from ackclock.sweeps.plan import load_plan
from ackclock.sweeps.sweep import Sweep, SweepInterrupted, sweep

__all__ = ["every_reproduction", "experiment", "plain", "reproduction", "sweeping"]


def experiment(
    algorithms: list[str] | None,
    source: str,
    settings: list[str],
    seeds: int,
    seed: int | None,
    duration: str | None,
    output: Path | None,
    *,
    report: bool,
    figure_formats: list[str],
    width: str | None,
    open_report: bool,
    guards: Guards,
    links: Sequence[str],
    workers: int | None,
    as_json: bool,
    algorithm: str | None = None,
    together: bool = False,
) -> list[str]:
    """Runs a scenario (`algorithms` None) or compares algorithms on it, prints and saves the outcome.

    `algorithm` replaces that of a scenario that is run; `together` lets the algorithms compared share the
    bottleneck too. Returns what the guards found.
    """
    check_formats(figure_formats)
    style.width_inches(width)
    label, chosen = one_algorithm(algorithm)
    scenario = load_scenario(source, settings_of(settings, duration), custom=own_names(label, chosen))
    first = scenario.seed if seed is None else seed
    numbers = range(first, first + seeds)
    what = "run" if algorithms is None else "compare"
    replaced = output and folders.command_of(output)
    place = output or folders.unused(folders.named(scenario.name, what, "scenario"))
    try:
        with ResultsFolder(place, KINDS) as folder:
            with held() as pressed:
                comparison, stopped = _execute(
                    algorithms, algorithm, scenario, numbers, report, workers, together=together
                )
                if comparison is None:
                    raise Stopped("interrupted before any run was finished; nothing was written")
                path = _save(comparison, folder, as_json=as_json)
            if replaced and replaced != command_line():
                held_before = f"{folders.readable(path)} held the results of another command"
                print(f"ackclock: {held_before}, which are replaced: {replaced}", file=sys.stderr)
            if report:
                again = len(pressed) > 1
                stopped = _draw(comparison, folder, figure_formats, width, again=again) or stopped
    except KeyboardInterrupt:
        raise Stopped("interrupted; nothing was written") from None
    shown = folders.readable(path)
    has_report = (path / "report.html").is_file()
    failures = [] if stopped else guards.failures(comparison)
    if as_json:
        print(tables.dumps(tables.comparison_document(comparison, what, shown, has_report, failures)))
    else:
        _print(comparison, links)
        _tell_where(shown, has_report)
    if stopped:
        raise Stopped(f"interrupted: {stopped} {shown}")
    _warn_of_broken_conservation(comparison)
    if open_report and has_report:
        webbrowser.open((path / "report.html").as_uri())
    return failures


def _save(comparison: Comparison, folder: ResultsFolder, *, as_json: bool) -> Path:
    """Puts the tables in place; where that fails, what was simulated is printed at least."""
    try:
        comparison.write(folder)
        return folder.commit()
    except OutputError:
        if not as_json:
            _print(comparison)
        raise


def _draw(
    comparison: Comparison, folder: ResultsFolder, formats: list[str], width: str | None, *, again: bool
) -> str:
    """Adds figures and report, and says what is left if Ctrl-C comes meanwhile, or came `again` before."""
    left = "there is no report, but the tables of all runs that were finished are kept in"
    if again:
        return left
    print("Writing the report", file=sys.stderr, flush=True)
    try:
        comparison.write_report(folder, formats, width)
    except KeyboardInterrupt:
        return left
    return ""


def _execute(
    algorithms: list[str] | None,
    algorithm: str | None,
    scenario: Scenario,
    seeds: range,
    report: bool,
    workers: int | None,
    *,
    together: bool,
) -> tuple[Comparison | None, str]:
    """The comparison, None if no run was finished, and a message if Ctrl-C interrupted it."""
    names = algorithms or DEFAULT_ALGORITHMS
    with ProgressBar("Simulating" if algorithms is None else "Comparing") as bar:
        try:
            if algorithms is None:
                done = replicate(
                    scenario,
                    algorithm=algorithm,
                    seeds=seeds,
                    series=report,
                    workers=workers,
                    progress=bar.tell,
                )
                return done, ""
            return compare(
                names, scenario, seeds=seeds, together=together, series=report, workers=workers,
                progress=bar.tell,
            ), ""  # fmt: skip
        except Interrupted as interrupt:
            kept = len(interrupt.partial.results)
            planned = len(seeds) * (1 if algorithms is None else len(names) + together)
            left = f"{kept} of {planned} runs were finished and are kept in"
            return (interrupt.partial if kept else None), left


def plain(text: str) -> str:
    """The text as it is, safe from Rich's markup and without control characters."""
    return escape(for_terminal(text))


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
        terminal.print(plain(tables.recovery_line(comparison.recoveries)))
        views = [tables.summary_view(comparison), *tables.difference_views(comparison)]
        if comparison.shared_run is not None:
            views.insert(1, competitors.view(comparison))
    else:
        views = [tables.flow_view(comparison), tables.link_view(comparison)]
        if comparison.results[0].flows.height > 2:
            views.insert(0, tables.summary_view(comparison))
    if links or has_several(scenario):
        views.append(tables.group_view(comparison, links))
    said: set[str] = set()
    notes = []
    for view in views:
        for table in _fitting(view, terminal):
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


def _fitting(view: tables.View, terminal: Console) -> list[Table]:
    """The table, with rows and columns exchanged if only that fits the width, else its columns in several."""
    turned = view.transposed()
    for whole in (view, turned):
        if _width(whole.rich(), terminal) <= terminal.width:
            return [whole.rich()]
    return min((_pieces(view, terminal), _pieces(turned, terminal)), key=len)


def _pieces(view: tables.View, terminal: Console) -> list[Table]:
    """The columns in as many tables as the width asks for, each with the names of the rows."""
    found: list[list[int]] = [[]]
    for column in range(1, len(view.columns)):
        if found[-1] and _width(view.part([*found[-1], column]).rich(), terminal) > terminal.width:
            found.append([])
        found[-1].append(column)
    first, *others = (view.part(columns) for columns in found)
    return [first.rich(), *(replace(other, title="").rich() for other in others)]


def _width(table: Table, terminal: Console) -> int:
    """The width of a table without line breaks, in characters."""
    return Measurement.get(terminal, terminal.options.update(max_width=10_000), table).maximum


def _tell_where(folder: str, has_report: bool) -> None:
    terminal = console()
    has_figures = (Path(folder) / "figures").is_dir()
    folder = plain(folder)
    if has_report:
        terminal.print(f"\nReport   {folder}/report.html", soft_wrap=True)
        terminal.print(f"Tables   {folder}/tables/", soft_wrap=True)
        figures = f"{folder}/figures/" if has_figures else f"ackclock figures {shlex.quote(folder)}"
        terminal.print(f"Figures  {figures}", soft_wrap=True)
    else:
        terminal.print(f"\nTables   {folder}/tables/", soft_wrap=True)


def _warn_of_broken_conservation(comparison: Comparison) -> None:
    broken = [f"{result.label}, seed {result.seed}" for result in comparison.results if not result.conserved]
    if broken:
        raise RuntimeError(
            f"packets were lost count of in {'; '.join(broken)}: a bug in Ackclock, please report it"
        )


def reproduction(
    source: str,
    *,
    quick: bool,
    parts: Sequence[str],
    output: Path | None,
    measured: Path | None,
    workers: int | None,
    as_json: bool,
) -> list[str]:
    """Checks a paper's claims, prints and saves the verdicts; returns the statements that do not hold."""
    paper = papers.load_paper(source)
    try:
        reproduction, path = _check(
            paper,
            output or folders.PAPERS / paper.key,
            quick=quick,
            parts=parts,
            workers=workers,
            measured=measured,
        )
    except KeyboardInterrupt:
        raise Stopped("interrupted: verdicts need every measurement, so nothing was written") from None
    shown = folders.readable(path)
    if as_json:
        print(tables.dumps(reproduction.document(shown)))
        return reproduction.failures()
    terminal = console()
    terminal.print(plain(paper.title), style="bold")
    terminal.print(plain(paper.byline) + (" – quick check" if reproduction.quick else ""))
    terminal.print(reproduction.rich())
    terminal.print(reproduction.count())
    terminal.print(f"\nReport   {plain(shown)}/report.html", soft_wrap=True)
    return reproduction.failures()


def every_reproduction(
    *, quick: bool, output: Path | None, measured: Path | None, workers: int | None, as_json: bool
) -> list[str]:
    """Checks the claims of every paper, prints and saves one scorecard beside the papers' own folders.

    Returns the statements that do not hold.
    """
    from ackclock.papers import scorecard  # noqa: PLC0415 - papers are drawn with what it loads

    place = output or folders.PAPERS
    entries = papers.list_papers()
    done: list[tuple[papers.Reproduction, Path]] = []
    try:
        with ResultsFolder(place / "scorecard", (scorecard.KIND,)) as folder:
            for entry in entries:
                number = f" ({len(done) + 1} of {len(entries)})"
                source = measured / entry.key if measured else None
                done.append(
                    _check(
                        papers.load_paper(entry.key),
                        place / entry.key,
                        quick=quick,
                        workers=workers,
                        measured=source,
                        number=number,
                    )
                )
            scores = scorecard.write(folder, [reproduction for reproduction, _ in done])
            path = folder.commit()
    except KeyboardInterrupt:
        kept = (
            f"{len(done)} of {len(entries)} papers were finished"
            + f" and are kept in {folders.readable(place)}" * bool(done)
        )
        raise Stopped(f"interrupted: {kept}; there is no scorecard") from None
    failures = [line for reproduction, _ in done for line in reproduction.failures()]
    if as_json:
        print(tables.dumps([reproduction.document(folders.readable(own)) for reproduction, own in done]))
        return failures
    terminal = console()
    was_quick = any(reproduction.quick for reproduction, _ in done)
    terminal.print(f"[bold]Papers, statement by statement[/bold]{' – quick check' if was_quick else ''}")
    for view in scorecard.views(scores):
        terminal.print(view.rich())
    terminal.print(f"Scorecard  {plain(folders.readable(path))}/scorecard.html", soft_wrap=True)
    return failures


def _check(
    paper: papers.Paper,
    output: Path,
    *,
    quick: bool,
    workers: int | None,
    measured: Path | None,
    parts: Sequence[str] = (),
    number: str = "",
) -> tuple[papers.Reproduction, Path]:
    """Checks one paper, or judges what a folder holds of it, and writes its folder."""
    with ResultsFolder(output, (papers.KIND,)) as folder, ProgressBar(paper.key + number) as bar:
        if measured:
            reproduction = papers.judged_again(paper, measured)
        else:
            reproduction = papers.check(paper, quick=quick, parts=parts, workers=workers, progress=bar.tell)
        with held():
            reproduction.write(folder)
            return reproduction, folder.commit()


def _print_design(done: Sweep, terminal: Console) -> None:
    """Prints the factors of a design and, of two levels, their effects on the first metric."""
    from ackclock.sweeps import design_views, figures  # noqa: PLC0415 - plotting takes a second to load

    effects = (design_views.effects_view(done, key) for key in figures.main_metrics(done)[:1])
    for view in (design_views.design_view(done.plan), *effects):
        if view is not None:
            terminal.print(view.rich())
            terminal.print(plain(view.note), style="dim")


def sweeping(
    source: Path,
    *,
    output: Path | None,
    workers: int | None,
    address: str | None,
    report: bool,
    figure_formats: list[str],
    width: str | None,
    as_json: bool,
) -> None:
    """Runs the missing runs of a plan, prints and saves all of them."""
    from ackclock.sweeps import figures  # noqa: PLC0415 - plotting takes a second to load
    from ackclock.sweeps import report as sweep_report  # noqa: PLC0415 - as above

    check_formats(figure_formats)
    style.width_inches(width)
    plan = load_plan(source)
    folder = folders.resumable(output or folders.RESULTS / f"{plan.name}-sweep", sweep_report.KIND)
    stopped = ""
    with ResultsFolder(folder, (sweep_report.KIND,), shared=True) as opened:
        # Work on a cluster is waited for without a look at what is held.
        with held() if address is None else nullcontext(), ProgressBar("Sweeping") as bar:
            try:
                done = sweep(
                    plan, folder / folders.STORE, workers=workers, address=address, progress=bar.tell
                )
            except SweepInterrupted as interrupt:
                done = interrupt.partial
                there = f"{done.runs.height} of {plan.runs} runs are finished"
                stopped = f"{there}; the same command goes on from there"
            if not done.runs.height:
                raise Stopped("interrupted before any run was finished")
            with held():
                sweep_report.write_tables(done, opened)
        if report and not stopped:
            try:
                sweep_report.write_report(done, opened, figure_formats, width)
            except KeyboardInterrupt:
                stopped = "there is no report, but all runs are finished and their tables are saved"
    shown = folders.readable(folder)
    if as_json:
        print(tables.dumps(sweep_report.document(done, shown)))
    else:
        terminal = console()
        terminal.print(plain(plan.title or plan.name), style="bold")
        known = done.runs.height - done.new_runs
        before = f", {known} of them known before" if known else ""
        terminal.print(
            f"{counted(len(plan.points), 'point')}, {counted(len(plan.algorithms), 'algorithm')}, "
            f"{counted(len(plan.seeds), 'seed')}: {counted(done.runs.height, 'run')}{before}"
        )
        if plan.design is not None:
            _print_design(done, terminal)
        columns = len(figures.main_metrics(done))
        view = sweep_report.summary_view(done)
        while columns > 1 and _width(view.rich(), terminal) > terminal.width:
            columns -= 1
            view = sweep_report.summary_view(done, columns_shown=columns)
        terminal.print(view.rich())
        if view.note:
            terminal.print(plain(view.note), style="dim")
        _tell_where(shown, (folder / "report.html").is_file())
    if stopped:
        raise Stopped(f"interrupted: {stopped}")
