"""Congestion control of calls: built-in algorithms by their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from ackclock.errors import InputError, unknown
from ackclock.scenarios.algorithms import Factory, label_of, name_of
from ackclock.scenarios.catalogue import list_entries

__all__ = ["is_media", "known", "referred", "with_media"]


def known() -> list[str]:
    """The names of the built-in ones."""
    return [entry.name for entry in list_entries("media")]


def is_media(algorithm: object, *, trust: bool = False) -> bool:  # noqa: ARG001 - of classes
    """True for the name of a built-in congestion control of calls."""
    return isinstance(algorithm, str) and name_of(algorithm.strip()) in known()


def referred(algorithms: Sequence[str | Factory], *, trust: bool = False) -> dict[str, str | Factory]:
    """Congestion controls of calls by label. Raises InputError for another."""
    found: dict[str, str | Factory] = {}
    for each in algorithms:
        if not is_media(each, trust=trust):
            raise unknown("congestion control of calls", label_of(each), known())
        label = label_of(each)
        if label in found:
            raise InputError(f'algorithm "{label}" is named twice; each can be compared once')
        found[label] = each
    return found


def with_media(
    tree: Mapping[str, object], algorithm: str | Factory
) -> tuple[dict[str, object], dict[str, Factory]]:
    """A scenario's tree with an algorithm in the calls that name none, and the classes that its run needs."""
    groups = cast("list[Mapping[str, object]]", tree.get("call", []))
    calls = [group if "algorithm" in group else {**group, "algorithm": algorithm} for group in groups]
    return {**tree, **({"call": calls} if calls else {})}, {}
