"""The catalogue: the entries that a specification or a scenario can choose, with parameters and sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

from ackclock import _native
from ackclock.arguments import checked_as
from ackclock.errors import unknown

__all__ = ["KINDS", "Entry", "Key", "Parameter", "list_algorithms", "list_entries", "list_queues"]

KINDS: dict[str, tuple[str, ...]] = {
    "algorithms": ("recovery", "transport", "slow start", "avoidance", "controller"),
    "media": ("media",),
    "adaptations": ("adaptation",),
    "recoveries": ("recovery",),
    "transports": ("transport", "protocol"),
    "queues": ("queue",),
    "losses": ("loss",),
    "impairments": ("impairment",),
    "tunnels": ("tunnel",),
    "paths": ("path",),
    "systems": ("system",),
    "mechanisms": ("mechanism",),
    "sharings": ("sharing",),
    "applications": ("application",),
    "topologies": ("topology",),
}
"""All lists, each with the kinds of its entries."""


@dataclass(frozen=True)
class Parameter:
    """A number or a name that can be set in a specification, `name(key=value)`."""

    name: str
    default: float | None
    """The default; None if a value is required."""
    minimum: float
    maximum: float
    meaning: str
    unit: str
    """The unit of the default and the range; empty for a plain number."""
    names: tuple[str, ...] = ()
    """The names of a choice, whose default is the place of a name; empty for a number."""


@dataclass(frozen=True)
class Key:
    """A key of a scenario's table whose value is no plain number."""

    name: str
    meaning: str
    example: str
    """A value as a scenario file writes it."""
    required: bool


@dataclass(frozen=True)
class Entry:
    """An entry of the catalogue."""

    name: str
    kind: str
    """One of the kinds in `KINDS`."""
    title: str
    source: str
    parameters: tuple[Parameter, ...]
    table: str
    """The table of a scenario that holds the keys; empty without keys."""
    keys: tuple[Key, ...]


@checked_as(what="kind")
def list_entries(what: str) -> list[Entry]:
    """The entries of one of the lists in `KINDS`, such as "queues" or "topologies".

    Raises InputError for another name.
    """
    if what not in KINDS:
        raise unknown("list", what, KINDS)
    return [entry for entry in _entries() if entry.kind in KINDS[what]]


@cache
def _entries() -> tuple[Entry, ...]:
    """The whole catalogue, which a program has compiled in and reads once."""
    return tuple(map(_entry, _native.list_entries()))


def list_algorithms() -> list[Entry]:
    """All built-in algorithms and the parts that compose them, with sources."""
    return list_entries("algorithms")


def list_queues() -> list[Entry]:
    """All queue disciplines that a link can have, with sources."""
    return list_entries("queues")


def _entry(row: Mapping[str, object]) -> Entry:
    parameters = cast("Sequence[Mapping[str, Any]]", row["parameters"])
    keys = cast("Sequence[Mapping[str, Any]]", row["keys"])
    return Entry(
        name=str(row["name"]),
        kind=str(row["kind"]),
        title=str(row["title"]),
        source=str(row["source"]),
        parameters=tuple(
            Parameter(
                one["name"],
                one["default"],
                one["min"],
                one["max"],
                one["meaning"],
                one["unit"],
                tuple(one["names"]),
            )
            for one in parameters
        ),
        table=str(row["table"]),
        keys=tuple(Key(one["name"], one["meaning"], one["example"], one["required"]) for one in keys),
    )
