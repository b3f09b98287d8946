"""Mistakes in a command line, each as one sentence."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

import typer

from ackclock.errors import advice, unknown

__all__ = ["UsageError", "sentence"]

UsageError: Any = typer.BadParameter.__base__
"""The base of all mistakes in a command line; typer brings its own where it does not use click's."""

EXPECTED = (
    (r"greater than or equal to (-?\d+)|x>=(-?\d+)", "a whole number, {} or more"),
    (r"less than or equal to (-?\d+)|<=x<=(-?\d+)", "a whole number, at most {}"),
    ("integer", "a whole number"),
    ("number|float", "a number"),
)
"""The condition on a value, by words of the parser's messages."""


def sentence(error: Any, words: Sequence[str], commands: Collection[str]) -> str:
    """The mistake in the words of a command line, and its correction."""
    context = error.ctx
    if context is not None and context.parent is None and "command" in error.message:
        return str(unknown("command", _command(words), commands))
    name = type(error).__name__
    if name == "NoSuchOption":
        params = context.command.params if context else []
        known = [option for param in params for option in param.opts if param.param_type_name == "option"]
        return f'no option is named "{error.option_name}"{advice(error.option_name, known)}'
    param = getattr(error, "param", None)
    if name == "MissingParameter" and param is not None:
        help_text = (getattr(param, "help", None) or "").rstrip(".")
        return f"{_name(param)}: missing; expected {help_text[:1].lower()}{help_text[1:]}"
    if param is not None:
        return f"{_name(param)}: found {_found(param, words)}; expected {_expected(error.message)}"
    message = error.format_message().rstrip(".")
    return f"{message[:1].lower()}{message[1:]}"


def _command(words: Sequence[str]) -> str:
    return next((word for word in words if not word.startswith("-")), "")


def _name(param: Any) -> str:
    """An option by its long name, an argument by its name in the help."""
    if param.param_type_name == "argument":
        return str(param.metavar or param.name)
    return str(max(param.opts, key=len))


def _found(param: Any, words: Sequence[str]) -> str:
    """The value that an option has in the command line."""
    for place, word in enumerate(words):
        option, equals, value = word.partition("=")
        if option in param.opts:
            return f'"{value if equals else "".join(words[place + 1 : place + 2])}"'
    return "no such value"


def _expected(message: str) -> str:
    for pattern, expected in EXPECTED:
        if found := re.search(pattern, message):
            return expected.format(next(filter(None, found.groups()), ""))
    return message[:1].lower() + message[1:].rstrip(".")
