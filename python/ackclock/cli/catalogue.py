"""The lists that the command `list` prints: of names that scenarios can use, of scenarios and of papers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, replace
from itertools import groupby
from math import isinf
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ackclock.cli import terminal
from ackclock.errors import unknown
from ackclock.report.json_text import dumps
from ackclock.report.text import for_terminal
from ackclock.scenarios.catalogue import KINDS, Entry, Parameter, list_entries
from ackclock.scenarios.load import list_scenarios

if TYPE_CHECKING:
    from ackclock.conformance.case import Specification
    from ackclock.papers import PaperEntry

__all__ = ["LISTED", "show", "show_scenario"]

LISTED = (*KINDS, "scenarios", "papers", "specifications")

HEADINGS = {
    "recovery": "Loss recoveries, and algorithms by their usual names",
    "transport": "Transports other than TCP, written where a recovery is",
    "slow start": "Slow starts",
    "avoidance": "Congestion avoidances",
    "controller": "Whole controllers",
    "media": "Congestion controls of calls",
    "adaptation": "Bit-rate adaptations of films",
    "mechanism": "Mechanisms of TCP, which keys of [tcp] switch on",
    "sharing": "State that connections share: sharing of [tcp]",
    "protocol": "Protocols, by the keys of a flow",
}

# Lists that follow another list, because their entries choose the behaviour of connections as well.
FOLLOWED_BY = {"algorithms": ("mechanisms", "sharings")}

HINTS = {
    "algorithms": "Parts are joined by +, parameters stand in parentheses:\n"
    "sack+limited(max_ssthresh=100)+reno. "
    "--json lists every parameter with its range and meaning.\n"
    "Other mechanisms: ackclock list queues, transports and applications.",
    "media": 'In a [[call]]: algorithm = "nada(priority=2)"; docs/calls.md has the other keys.',
    "adaptations": 'In a [[flow]]: film = { adaptation = "bola(gp=5)" }; docs/films.md has the other keys.',
    "recoveries": "First part of a specification: sack+bic, newreno+htcp.",
    "transports": "acknak and tfrc are the first part of a specification, instead of a recovery:\n"
    "acknak+htcp, tfrc(discounting=1). The others are chosen by keys of a [[flow]], or are a [[udp]] "
    "or a [[call]].",
    "queues": 'On any link: queue = "sfq(buckets=5)" or queue = { sfq = { buckets = 5 } }.',
    "losses": "On any link: loss = { bernoulli = 0.01 }, "
    "loss = { gilbert_elliott = { good_to_bad = 0.01, bad_to_good = 0.2 } }\n"
    "or loss = { scripted = { flow = 0, packets = [14, 28] } }.",
    "impairments": 'On any link: impairments = ["jitter(uniform=5)", "policer(rate=2 Mbit/s, burst=30 kB)"]\n'
    'or { jitter = { uniform = "5 ms" } } in the list.',
    "paths": 'On any link: path = "lte-driving"; keys of the link itself come first.',
    "systems": 'In [tcp], or in tcp of a flow: system = "linux"; other keys of the table come first.',
    "mechanisms": "In [tcp], or in tcp of a flow: smart_framing = true.",
    "tunnels": 'On any link: tunnel = "normal", or "compatibility(overhead=36)".',
    "sharings": 'In [tcp], or in tcp of a flow: sharing = "temporal".',
    "applications": "The required keys of a [[flow]] or [[udp]] make its flows run the application.",
    "topologies": "A scenario has one:\n"
    'topology.star = { hosts = 33, link = { rate = "1 Gbit/s", delay = "10 us" } }.',
}


def show(what: str, *, as_json: bool) -> None:
    """Prints one of the lists in `LISTED`."""
    if as_json:
        others: dict[str, Callable[[], Sequence[Any]]] = {
            "scenarios": list_scenarios,
            "papers": _listed_papers,
            "specifications": _listed_specifications,
        }
        entries = others[what]() if what in others else _shown(what)
        rows = [_row(entry) for entry in entries]
        print(dumps({"command": f"list {what}", what: rows}))
        return
    console = terminal.console()
    if what == "scenarios":
        _scenarios(console)
    elif what == "papers":
        _papers(console)
    elif what == "specifications":
        _specifications(console)
    else:
        if what == "algorithms":
            _algorithms(console)
        else:
            for entry in list_entries(what):
                _entry(console, entry)
        console.print(Text(HINTS[what], style="dim"))


def show_scenario(name: str, *, as_json: bool) -> None:
    """Prints the file of a built-in scenario, from which a user's own can be made. Raises InputError."""
    known = {entry.name: entry for entry in list_scenarios()}
    if name not in known:
        raise unknown("built-in scenario", name, known)
    text = known[name].path.read_text(encoding="utf-8")
    print(dumps({"command": f"list scenarios {name}", "scenario": text}) if as_json else text.rstrip())


def _row(entry: Any) -> dict[str, object]:
    """An entry as a JSON object, without what only runs need."""
    if hasattr(entry, "cases"):
        described = ("key", "section", "title", "statement", "rule", "why")
        cases = [{name: getattr(case, name) for name in described} for case in entry.cases]
        return {**asdict(replace(entry, cases=())), "cases": cases}
    return {key: str(value) if key == "path" else value for key, value in asdict(entry).items()}


def _shown(what: str) -> list[Entry]:
    """The entries of a list, and of the lists that follow it."""
    return [entry for each in (what, *FOLLOWED_BY.get(what, ())) for entry in list_entries(each)]


def _text(text: str) -> Text:
    return Text(for_terminal(text))


def _table(*headings: str) -> Table:
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0), pad_edge=False)
    for heading in headings:
        table.add_column(heading, overflow="fold", no_wrap=heading == "name")
    return table


def _algorithms(console: Console) -> None:
    for kind, group in groupby(_shown("algorithms"), key=lambda entry: entry.kind):
        console.print(Text(HEADINGS.get(kind, kind), style="bold underline"))
        _overview(console, group)


def _overview(console: Console, entries: Iterable[Entry]) -> None:
    """A line for each entry, with the defaults of its parameters, or its keys as a scenario writes them."""
    table = _table("name", "what", "parameters", "source")
    for entry in entries:
        parameters = ", ".join(
            [f"{one.name}={_default(one)}" for one in entry.parameters]
            + [f"{key.name} = {key.example}" for key in entry.keys]
        )
        table.add_row(entry.name, _text(entry.title), parameters, _text(entry.source))
    console.print(table)
    console.print()


def _entry(console: Console, entry: Entry) -> None:
    """An entry with a line for each parameter and key."""
    console.print(Text.assemble((entry.name, "bold"), "  ", entry.title, (f"  ({entry.source})", "dim")))
    if entry.parameters:
        table = _table("parameter", "default", "range", "meaning")
        for one in entry.parameters:
            table.add_row(one.name, _default(one), _range(one), _text(one.meaning))
        console.print(Padding(table, (0, 0, 0, 4)))
    if entry.keys:
        brackets = f"[[{entry.table}]]" if entry.table in ("flow", "udp", "call") else f"[{entry.table}]"
        table = _table(escape(f"key of {brackets}"), "", "meaning", "such as")
        for key in entry.keys:
            table.add_row(
                key.name, "required" if key.required else "", _text(key.meaning), _text(key.example)
            )
        console.print(Padding(table, (0, 0, 0, 4)))
    console.print()


def _default(parameter: Parameter) -> str:
    """The default with its unit, as specifications take it."""
    if parameter.default is None:
        return "required"
    if parameter.names:
        return parameter.names[int(parameter.default)]
    symbol = f" {parameter.unit}" if parameter.unit in ("packets", "bytes", "ms", "s") else ""
    return f"{parameter.default:.10g}{symbol}"


def _range(parameter: Parameter) -> str:
    if parameter.names:
        return ", ".join(parameter.names)
    if parameter.unit == "0 or 1":
        return parameter.unit
    unit = f" {parameter.unit}" if parameter.unit not in ("", "count") else ""
    if isinf(parameter.maximum):
        return f"at least {parameter.minimum:g}{unit}"
    return f"{parameter.minimum:g} to {_largest(parameter.maximum)}{unit}"


def _largest(value: float) -> str:
    """Powers of ten above ten thousand are written as powers, other numbers in full."""
    return f"{value:g}" if value > 1e4 and f"{value:g}".startswith("1e") else f"{value:.10g}"


def _scenarios(console: Console) -> None:
    table = _table("name", "what", "flows", "duration")
    for entry in list_scenarios():
        table.add_row(entry.name, _text(entry.title), str(entry.flow_count), f"{entry.duration_s:g} s")
    console.print(table)


def _listed_papers() -> Sequence[PaperEntry]:
    from ackclock.papers import list_papers  # noqa: PLC0415 - the other lists need no data frames

    return list_papers()


def _papers(console: Console) -> None:
    entries = _listed_papers()
    if not entries:
        console.print("There are no papers yet.")
        return
    table = _table("name", "title", "authors", "year", "statements")
    for entry in entries:
        table.add_row(
            entry.key,
            _text(entry.title),
            _text(entry.authors),
            str(entry.year or "–"),
            str(entry.statement_count),
        )
    console.print(table)
    console.print(Text("\nParts, each alone with ackclock reproduce KEY --part PART:", style="dim"))
    parts = _table("name", "parts")
    for entry in entries:
        if entry.parts:
            parts.add_row(entry.key, _text(", ".join(entry.parts)))
    console.print(parts)


def _listed_specifications() -> Sequence[Specification]:
    from ackclock.conformance.specifications import specifications  # noqa: PLC0415 - their cases load numpy

    return list(specifications().values())


def _specifications(console: Console) -> None:
    table = _table("name", "what", "algorithms", "cases", "source")
    for entry in _listed_specifications():
        table.add_row(
            entry.key,
            _text(entry.title),
            ", ".join(entry.algorithms),
            str(len(entry.cases)),
            _text(entry.source),
        )
    console.print(table)
    console.print(Text("--json lists each case with its statement and rule.", style="dim"))
