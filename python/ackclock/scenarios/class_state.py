"""State that the objects of a class share: by it, the outcome of a run would depend on the runs before it."""

from __future__ import annotations

import functools
import hashlib
import inspect
import pickle
import sys
from collections.abc import Callable, Iterator, Mapping
from types import CodeType, FunctionType, ModuleType

from ackclock.errors import InputError
from ackclock.scenarios.answers import place_of
from ackclock.scenarios.own_code import is_own_file

__all__ = ["refuse_changes", "state_of"]


def state_of(made: Callable[..., object]) -> dict[str, str]:
    """A digest of each value that the objects of a class share, by its name.

    These are the attributes of the class and of what it is made of, the values that its methods close over or
    have as defaults, and the globals that they name.
    """
    found: dict[str, str] = {}
    waiting: list[object] = [made]
    seen: set[int] = set()
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        for name, value in _shared(thing):
            if isinstance(value, type | FunctionType | functools.partial):
                waiting.append(value)
            elif not isinstance(value, ModuleType) and not inspect.isroutine(value):
                found[name] = _digest(value)
    return found


def refuse_changes(made: Callable[..., object], before: Mapping[str, str]) -> None:
    """Raises InputError if a value that objects of the class share is not what it was before a run."""
    after = state_of(made)
    for name in sorted(after.keys() | before.keys()):
        if after.get(name) != before.get(name):
            raise InputError(
                f"{place_of(made)}: {name} was changed in a run; other runs see it, so that results would "
                "depend on their order: keep it in an attribute of self, or name the class by its file, as "
                '"mine.py:Mine", which is executed anew for each run on this machine'
            )


def _shared(thing: object) -> Iterator[tuple[str, object]]:
    """The values that a class, a function or a partial refers to, by their names."""
    if isinstance(thing, functools.partial):
        yield "", thing.func
        yield "an argument of a partial", (thing.args, thing.keywords)
    elif isinstance(thing, type):
        if _is_own(thing):
            yield from _of_class(thing)
    elif isinstance(thing, FunctionType):
        if is_own_file(thing.__code__.co_filename):
            yield from _of_function(thing)
    else:
        yield "", type(thing)


def _is_own(made: type) -> bool:
    for part in vars(made).values():
        if isinstance(part, FunctionType):
            return is_own_file(part.__code__.co_filename)
    module = sys.modules.get(made.__module__)
    file = getattr(module, "__file__", None)
    return is_own_file(file) if file else module is None or made.__module__ == "__main__"


def _of_class(made: type) -> Iterator[tuple[str, object]]:
    for base in made.__bases__:
        yield base.__name__, base
    for name, value in vars(made).items():
        if isinstance(value, property):
            yield from ((name, part) for part in (value.fget, value.fset) if part)
        elif isinstance(value, classmethod | staticmethod):
            yield name, value.__func__
        elif isinstance(value, FunctionType) or not (name.startswith("__") and name.endswith("__")):
            yield f"the class attribute {made.__name__}.{name}", value


def _of_function(function: FunctionType) -> Iterator[tuple[str, object]]:
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            yield f"the variable {name} of {function.__qualname__}", cell.cell_contents
        except ValueError:  # not yet assigned
            continue
    for value in (function.__defaults__ or (), *(function.__kwdefaults__ or {}).values()):
        yield f"a default of {function.__qualname__}", value
    for name in _names(function.__code__):
        if name in function.__globals__:
            yield f"the global {name}", function.__globals__[name]


def _names(code: CodeType) -> set[str]:
    """The names that code refers to, with those of functions within it."""
    inner = [_names(part) for part in code.co_consts if isinstance(part, CodeType)]
    return set(code.co_names).union(*inner)


def _digest(value: object) -> str:
    try:
        data = pickle.dumps(value)
    except Exception:  # noqa: BLE001 - whatever cannot be pickled is known by its text
        data = repr(value).encode(errors="replace")
    return hashlib.sha256(data).hexdigest()
