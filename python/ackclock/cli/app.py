"""The command line. An error in the input is one message and exit code 2; Ctrl-C is exit code 130."""

from __future__ import annotations

import os
import sys
import warnings
from typing import Annotated, NoReturn

import typer

from ackclock.cli import streams
from ackclock.cli.command import Group
from ackclock.cli.usage import UsageError, sentence
from ackclock.errors import InputError, OutputError, ScenarioError, Stopped, is_of_disk
from ackclock.interrupts import ignore, raise_on_termination
from ackclock.provenance import version as package_version

__all__ = ["app", "main"]

COMMANDS = (
    "run",
    "compare",
    "results",
    "figures",
    "export",
    "overlay",
    "sweep",
    "merge",
    "evaluate",
    "coexist",
    "pairings",
    "conform",
    "attack",
    "competition",
    "playground",
    "digest",
    "path",
    "har",
    "list",
    "crosscheck",
    "packetdrill",
    "reproduce",
)
"""All commands, in the order of the help; each has a module of its name in `ackclock.cli.commands`."""


class Program(Group):
    """The program: a command is loaded when it is asked for, and of its help one sentence to list it."""

    COMMANDS = COMMANDS


app = typer.Typer(
    name="ackclock",
    cls=Program,
    help="A packet-level laboratory for TCP congestion control.",
    epilog="Begin with:  ackclock compare",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode="rich",
)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"ackclock {package_version()}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", metavar="", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    pass


def _fail(message: str, code: int) -> NoReturn:
    ignore()
    print(f"ackclock: {message}", file=sys.stderr)
    sys.exit(code)


def _end_without_reader() -> NoReturn:
    """Ends as SIGPIPE ends a program, without a word, as by `ackclock run page-load | head`."""
    streams.let_go()
    sys.exit(141)


def _warn(message: Warning | str, *_: object, **__: object) -> None:
    print(f"ackclock: {message}", file=sys.stderr)


def main() -> None:
    """The program `ackclock`."""
    try:
        _main()
    except SystemExit as end:
        _leave_behind(end)
        raise
    except KeyboardInterrupt:  # a second one, while the first was being said
        print("ackclock: interrupted", file=sys.stderr)
        _leave_behind(SystemExit(130))
        sys.exit(130)
    _leave_behind(SystemExit(0))


def _leave_behind(end: SystemExit) -> None:
    """Ends the program at once where a class of the user keeps a thread, for which Python would wait."""
    crew = sys.modules.get("ackclock.runs.crew")  # not loaded for this
    if crew is not None and crew.is_any_left_behind():
        streams.flush()
        os._exit(end.code if isinstance(end.code, int) else int(end.code is not None))


def _main() -> None:
    raise_on_termination()
    warnings.showwarning = _warn
    streams.make_readable()
    try:
        try:
            code = app(prog_name="ackclock", standalone_mode=False)
        finally:
            streams.flush()
        ignore()
        sys.exit(code if isinstance(code, int) else 0)
    except SystemExit as end:
        # Both rich and the reader of arguments end the program themselves, with 1, where its reader is gone.
        if isinstance(end.__context__, BrokenPipeError):
            _end_without_reader()
        raise
    except UsageError as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            error.show()
            sys.exit(error.exit_code)
        _fail(sentence(error, sys.argv[1:], COMMANDS), 2)
    except (typer.Abort, KeyboardInterrupt):
        _fail("interrupted", 130)
    except (ScenarioError, InputError, OutputError) as error:
        _fail(str(error), 2)
    except Stopped as stopped:
        _fail(str(stopped), 130)
    except BrokenPipeError:
        _end_without_reader()
    except OSError as error:
        # Results folders explain their own errors: what is left is the output of this command.
        if not is_of_disk(error):
            raise
        streams.let_go()
        _fail(
            f"cannot write the output of this command: {error.strerror}; results that it saved are complete",
            2,
        )
    except Exception as error:
        from ackclock.scenarios.own_code import raised_in  # noqa: PLC0415 - help appears at once

        where = raised_in(error)
        if not where:
            raise
        _fail(where, 2)
