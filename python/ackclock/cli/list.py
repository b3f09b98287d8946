"""The command `ackclock list`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ackclock import papers
from ackclock.report import tables
from ackclock.scenarios.algorithms import Algorithm, list_algorithms, list_queues
from ackclock.scenarios.load import list_scenarios

__all__ = ["show"]


def show(what: str, *, as_json: bool) -> None:
    """Prints all algorithms, queues, scenarios or papers."""
    lists: dict[str, Callable[[], Sequence[Any]]] = {
        "algorithms": list_algorithms,
        "queues": list_queues,
        "scenarios": list_scenarios,
        "papers": papers.list_papers,
    }
    entries = lists[what]()
    if as_json:
        rows = [
            {key: str(value) if key == "path" else value for key, value in asdict(e).items()} for e in entries
        ]
        print(tables.dumps({"command": f"list {what}", what: rows}))
        return
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=120)
    if what == "algorithms":
        _algorithms(console)
    elif what == "queues":
        _queues(console)
    elif what == "scenarios":
        _scenarios(console)
    else:
        _papers(console)


def _table(*headings: str) -> Table:
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0), pad_edge=False)
    for heading in headings:
        table.add_column(heading, overflow="fold", no_wrap=heading == "name")
    return table


def _parameters(algorithm: Algorithm) -> str:
    return ", ".join(f"{p.name}={p.default:.10g}{_symbol(p.unit)}" for p in algorithm.parameters)


def _symbol(unit: str) -> str:
    """The unit in the notation of specifications, after a number."""
    return f" {unit}" if unit in ("packets", "bytes", "ms", "s") else ""


def _algorithms(console: Console) -> None:
    kinds = {
        "preset": "Algorithms",
        "recovery": "Loss recoveries, and algorithms by their usual names",
        "transport": "Transports beside TCP, in the place of a recovery",
        "slow start": "Slow starts",
        "avoidance": "Congestion avoidances",
        "controller": "Whole controllers",
    }
    for kind, group in groupby(list_algorithms(), key=lambda algorithm: algorithm.kind):
        console.print(f"[bold underline]{kinds.get(kind, kind)}[/]")
        _entries(console, group)
    console.print(
        "Parts are joined by +, parameters stand in parentheses: sack+limited(max_ssthresh=100)+reno.\n"
        "--json lists every parameter with its range and meaning.",
        style="dim",
    )


def _queues(console: Console) -> None:
    _entries(console, list_queues())
    console.print(
        'On any link: queue = "sfq(buckets=5)" or queue = { sfq = { buckets = 5 } }.\n'
        "--json lists every parameter with its range and meaning.",
        style="dim",
    )


def _entries(console: Console, entries: Iterable[Algorithm]) -> None:
    table = _table("name", "what", "parameters", "source")
    for entry in entries:
        table.add_row(entry.name, entry.title, _parameters(entry), entry.source)
    console.print(table)
    console.print()


def _scenarios(console: Console) -> None:
    table = _table("name", "what", "flows", "duration")
    for entry in list_scenarios():
        table.add_row(entry.name, Text(entry.title), str(entry.flow_count), f"{entry.duration_s:g} s")
    console.print(table)


def _papers(console: Console) -> None:
    entries = papers.list_papers()
    if not entries:
        console.print("There are no papers yet.")
        return
    table = _table("name", "title", "authors", "year", "claims")
    for entry in entries:
        table.add_row(
            entry.key, Text(entry.title), Text(entry.authors), str(entry.year or "–"), str(entry.claim_count)
        )
    console.print(table)
