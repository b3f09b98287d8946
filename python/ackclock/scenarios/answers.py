"""The errors for what a user's class answers wrongly, each one sentence; the compiled part asks for them."""

from __future__ import annotations

import inspect
from pathlib import Path
from types import CodeType

from ackclock.arguments import shown
from ackclock.errors import InputError

__all__ = ["misused", "place_of", "wrong"]


def wrong(thing: object, place: str, found: object, expected: str) -> InputError:
    """The error for `found`, the answer of a controller or class at `place`: `"cwnd, after on_ack"`."""
    said = f"{place_of(thing, place)}: found {shown(found)}; expected {expected}"
    return InputError(said + _line_of(thing, place))


def misused(thing: object, place: str, error: Exception, expected: str) -> InputError:
    """The error for a method that cannot be called as it must be."""
    text = " ".join(str(error).split())
    return InputError(f"{place_of(thing, place)}: {type(error).__name__}: {text}; expected {expected}")


def place_of(thing: object, place: str = "") -> str:
    """The file and the class of a controller, class or function, and what of it: `mine.py: Mine.cwnd`."""
    made = thing if inspect.isclass(thing) or inspect.isroutine(thing) else type(thing)
    name = f"{getattr(made, '__qualname__', made)}{'.' if place else ''}{place}"
    file = _file_of(made)
    return f"{file}: {name}" if file else name


def _line_of(thing: object, place: str) -> str:
    """The line of the method in `cwnd, after on_ack`; empty for one without a file."""
    method = place.rpartition(", after ")[2]
    code = getattr(getattr(type(thing), method, None), "__code__", None)
    return f" ({method} begins in line {code.co_firstlineno})" if code and not _is_typed(code) else ""


def _is_typed(code: CodeType) -> bool:
    """True for code that was typed at a prompt, or that Python itself made."""
    return code.co_filename.startswith("<")


def _file_of(made: object) -> str:
    """The name of the file of a class or function; empty where it was typed at a prompt."""
    parts = [made, *vars(made).values()] if inspect.isclass(made) else [made]
    codes = [part.__code__ for part in parts if inspect.isfunction(part)]
    return next((Path(code.co_filename).name for code in codes if not _is_typed(code)), "")
