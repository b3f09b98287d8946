"""Pairings as tables, sentences, Markdown and JSON."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict

from ackclock import provenance
from ackclock.evaluation.pairings import BUFFER_BDP, ROUND_TRIP_MS, WARM_UP_S, Outcome, Pairings
from ackclock.measures.digits import number, with_interval
from ackclock.report.tables import Cell, View

__all__ = [
    "SCHEMA",
    "as_json",
    "as_markdown",
    "conditions",
    "harm_view",
    "load_view",
    "notes",
    "readers",
    "sentence",
    "share_view",
    "still_view",
    "views",
    "watchers",
]

SCHEMA = "ackclock-pairings/1"
"""The schema of the JSON document."""

LESS = 0.9
"""A share below this part of the fair one is a harm."""


def is_harmed(found: Outcome) -> bool:
    """True if the share is below 90 % with its interval; one seed decides nothing."""
    half = found.share.half_width
    return math.isfinite(half) and found.share.estimate + half < LESS


def watchers(done: Pairings) -> list[str]:
    """The services with a picture that can stand still."""
    return [name for name in done.services if name.startswith(("film:", "call:"))]


def readers(done: Pairings) -> list[str]:
    """The services that load pages."""
    return [name for name in done.services if name.startswith("page:")]


def _view(title: str, done: Pairings, incumbents: Sequence[str], cell: Callable[[Outcome], Cell]) -> View:
    """A row for each incumbent and rate, a column for each contender."""
    columns = (("Incumbent", ""), ("Rate", "Mbit/s"), *((f"beside {name}", "") for name in done.services))
    rows = tuple(
        (
            Cell(mine),
            Cell(f"{rate:g}"),
            *(cell(done.outcomes[rate, mine, other]) for other in done.services),
        )
        for rate in done.rates_mbit_per_s
        for mine in incumbents
    )
    return View(title, columns, rows)


def share_view(done: Pairings) -> View:
    """The shares of the fair share."""

    def cell(found: Outcome) -> Cell:
        text = with_interval(found.share.estimate * 100, found.share.half_width * 100, 0)
        return Cell(text, is_decided=is_harmed(found))

    return _view("Part of its max-min fair share that the incumbent gets [%]", done, done.services, cell)


def still_view(done: Pairings) -> View:
    """The standstills of films and calls."""

    def cell(found: Outcome) -> Cell:
        return Cell(number(found.stall_s, 1))

    return _view("Time in which the picture of the incumbent stands still [s]", done, watchers(done), cell)


def load_view(done: Pairings) -> View:
    """The load times of pages, and how many times as long that is as without a contender."""

    def cell(found: Outcome) -> Cell:
        slower = found.load_s / found.load_alone_s
        return Cell(f"{number(found.load_s, 2)} ({number(slower, 1)})")

    title = "Load time of the incumbent's page, 50 % [s] (times as long as alone)"
    return _view(title, done, readers(done), cell)


def harm_view(done: Pairings) -> View:
    """Whom each contender harms: a row for each, with the share that it leaves them."""
    rows = tuple(
        (
            Cell(other),
            Cell(f"{rate:g}"),
            Cell(
                ", ".join(
                    f"{mine} ({found.share.estimate * 100:.0f} %)"
                    for mine in done.services
                    if is_harmed(found := done.outcomes[rate, mine, other])
                )
                or "none"
            ),
        )
        for rate in done.rates_mbit_per_s
        for other in done.services
    )
    columns = (("Contender", ""), ("Rate", "Mbit/s"), ("leaves less than 90 % of its fair share to", ""))
    return View("Who harms whom", columns, rows)


def views(done: Pairings) -> list[View]:
    """All tables for which the pairings have a service."""
    shown = [harm_view(done), share_view(done)]
    if watchers(done):
        shown.append(still_view(done))
    if readers(done):
        shown.append(load_view(done))
    return shown


def sentence(done: Pairings) -> str:
    """The least share at each rate, and the number of harms."""
    if len(done.seeds) == 1:
        return "One seed decides no harm: --seeds 10 shows which is certain."
    said = []
    for rate in done.rates_mbit_per_s:
        mine, other = min(
            ((mine, other) for at, mine, other in done.outcomes if at == rate),
            key=lambda pair: done.outcomes[rate, *pair].share.estimate,
        )
        share = done.outcomes[rate, mine, other].share.estimate
        harms = sum(is_harmed(found) for (at, *_), found in done.outcomes.items() if at == rate)
        said.append(
            f"At {rate:g} Mbit/s {harms} of {len(done.services) ** 2} pairs leave the incumbent less than "
            f"90 % of its fair share; the least is {share * 100:.0f} %, of {mine} beside {other}."
        )
    return " ".join(said)


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
    if not readers(done):
        return fair, how
    pages = "The goodput of a page is the mean over the time in which it is incomplete."
    return fair, pages, how


def as_markdown(done: Pairings) -> str:
    """The tables as Markdown."""
    lines = [f"# {', '.join(done.services)} in pairs", "", f"{conditions(done)}."]
    for view in views(done):
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
