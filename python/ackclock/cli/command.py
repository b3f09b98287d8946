"""How a dataclass of options becomes a command of the program."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re
import sys
import typing
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import MISSING
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup

from ackclock.errors import Stopped

__all__ = ["Group", "Options", "fail_for", "listed_command", "load_command", "reporting"]


class Options(ABC):
    """A command: a dataclass with a field for each option, whose docstring is the command's help."""

    EXAMPLES: ClassVar[tuple[str, ...]]
    """Command lines, displayed below the help."""

    @abstractmethod
    def execute(self) -> None:
        """Carries out the command."""


SAID = re.compile(r'^class \w+\(Options\):\n    """(.*?)"""', re.MULTILINE | re.DOTALL)
"""The help of a command in the source of its module."""


def load_command(name: str) -> Any:
    """The command of this name, with a parameter for each field of its options and of their groups."""
    module = importlib.import_module(f"ackclock.cli.commands.{name}")
    (options,) = (
        each
        for each in vars(module).values()
        if isinstance(each, type) and issubclass(each, Options) and each.__module__ == module.__name__
    )
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="rich")
    add_command(app, name, options)
    return typer.main.get_command(app)


def listed_command(name: str) -> Any:
    """The command as a list of commands shows it, by its name and its help alone.

    To load all commands would take a quarter of the time of `ackclock --help`.
    """
    source = (Path(__file__).parent / "commands" / f"{name}.py").read_text(encoding="utf-8")
    said = SAID.search(source)
    return load_command(name) if said is None else Command(name, help=inspect.cleandoc(said[1]))


def add_command(app: typer.Typer, name: str, options: type[Options]) -> None:
    """Adds the command to a program."""

    def command(**values: Any) -> None:
        made(options, values).execute()

    command.__doc__ = options.__doc__
    command.__signature__ = inspect.Signature(list(_parameters(options)))  # type: ignore[attr-defined]
    examples = "[bold]Examples[/bold]\n\n" + "\n\n".join(options.EXAMPLES)
    app.command(name, cls=Command, epilog=examples)(command)


def made(options: Any, values: Mapping[str, Any]) -> Any:
    """The options with these values. An option that was not given is None here, and gets its default."""
    given = {}
    for field, hint in _fields(options):
        if dataclasses.is_dataclass(hint):
            given[field.name] = made(hint, values)
        elif values[field.name] is not None:
            given[field.name] = values[field.name]
    return options(**given)


def _fields(options: Any) -> Iterator[tuple[dataclasses.Field[Any], Any]]:
    hints = typing.get_type_hints(options, include_extras=True)
    return ((field, hints[field.name]) for field in dataclasses.fields(options))


def _parameters(options: Any) -> Iterator[inspect.Parameter]:
    """A parameter for each option, in the order of the fields."""
    for field, hint in _fields(options):
        if dataclasses.is_dataclass(hint):
            yield from _parameters(hint)
            continue
        # typer reads None as "may be left out"; the default of a list is made by its field.
        default = None if field.default_factory is not MISSING else field.default
        yield inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if default is MISSING else default,
            annotation=hint,
        )


def fail_for(failures: Sequence[str]) -> None:
    """Ends the command with 1 and a line for each failure, if there is one."""
    for line in failures:
        print(f"ackclock: failed: {line}", file=sys.stderr)
    if failures:
        raise typer.Exit(1)


@contextmanager
def reporting() -> Iterator[None]:
    """Says what is left to do where Ctrl-C comes while a report is written, of which all runs are kept."""
    try:
        yield
    except KeyboardInterrupt:
        raise Stopped(
            "interrupted: the report is not finished, but all runs are; the same command writes it"
        ) from None


NOT_DRAWN = {"rich.markdown": "Markdown", "rich.traceback": "Traceback"}
"""Parts of help that typer loads, and ours has not. They take a quarter of the time of `ackclock --help`."""


def _load_what_draws_help() -> None:
    """Loads typer's drawing of help without these parts, which stay as they are for others."""
    if "typer.rich_utils" in sys.modules:
        return
    absent = [name for name in NOT_DRAWN if name not in sys.modules]
    for name in absent:
        sys.modules[name] = ModuleType(name)
        setattr(sys.modules[name], NOT_DRAWN[name], None)
    try:
        importlib.import_module("typer.rich_utils")
    finally:
        for name in absent:
            del sys.modules[name]


class Command(TyperCommand):
    """Leaves out `<str>` after an argument and `<bool>` after `--help`."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Draws the help."""
        _load_what_draws_help()
        super().format_help(ctx, formatter)

    def get_params(self, ctx: Any) -> Any:
        """The parameters; those without a name of ours for their values show none."""
        return _without_types(super().get_params(ctx))


class Group(TyperGroup):
    """A program whose commands are loaded when they are asked for."""

    COMMANDS: ClassVar[Sequence[str]] = ()
    """The names of its commands."""

    _is_listing = False

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of its commands."""
        del ctx
        return list(self.COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A command of it; None without one of this name."""
        del ctx
        if cmd_name not in self.COMMANDS:
            return None
        return (listed_command if self._is_listing else load_command)(cmd_name)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Draws the help."""
        _load_what_draws_help()
        self._is_listing = True
        try:
            super().format_help(ctx, formatter)
        finally:
            self._is_listing = False

    def get_params(self, ctx: Any) -> Any:
        """The parameters; those without a name of ours for their values show none."""
        return _without_types(super().get_params(ctx))


def _without_types(params: Any) -> Any:
    for param in params:
        if param.param_type_name == "argument" or not param.metavar:
            # A typer without this method does not show these types.
            param.display_type_rich = lambda **_: None
    return params
