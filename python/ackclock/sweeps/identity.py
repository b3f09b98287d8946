"""The identity of a store's rows besides the scenario: the compiled simulator, and a user's own Python."""

from __future__ import annotations

import functools
import hashlib
import inspect
import secrets
from collections.abc import Iterator, Mapping
from typing import Any

from ackclock.runs.build import of_build
from ackclock.scenarios.own_code import source_files

__all__ = ["of_build", "of_classes", "of_code"]


def of_code(thing: object) -> str:
    """A hash of the source of a class or function, and of the values with which it was made.

    The source is its own, and that of its file and of everything that the file imports from its folder.

    Without source (a class typed at a prompt) the hash is new each time, so that nothing stale is reused.
    """
    digest = hashlib.sha256("\n".join(_said(thing)).encode())
    for name, file in sorted(source_files(thing).items()):
        digest.update(f"\n{name}\n".encode() + file.read_bytes())
    return digest.hexdigest()


def of_classes(factories: Mapping[str, object]) -> str:
    """The names and hashes of the Python classes that a scenario needs."""
    return "|".join(f"{name}:{of_code(made)}" for name, made in sorted(factories.items()))


def _said(thing: Any) -> Iterator[str]:
    if isinstance(thing, functools.partial):
        yield repr((thing.args, sorted(thing.keywords.items())))
        yield from _said(thing.func)
        return
    if not inspect.isclass(thing) and not inspect.isroutine(thing):
        yield repr(thing)  # an object says its parameters, or where it stands in memory
        thing = type(thing)
    parts = [part for part in thing.__mro__ if part is not object] if inspect.isclass(thing) else [thing]
    for part in parts:
        yield getattr(part, "__qualname__", "")
        try:
            yield inspect.getsource(part)
        except (OSError, TypeError):
            known = part.__module__ in ("builtins", "typing")
            yield part.__module__ if known else secrets.token_hex(16)
    closure = getattr(thing, "__closure__", None) or ()
    for cell in closure:
        yield repr(cell.cell_contents)
    yield repr((getattr(thing, "__defaults__", None), getattr(thing, "__kwdefaults__", None)))
