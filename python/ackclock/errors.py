"""Errors in a person's request, each with one message.

The command line turns these into exit code 2.
"""

from __future__ import annotations

import difflib
import errno
from collections.abc import Iterable, Sequence

from ackclock._native import ScenarioError

__all__ = [
    "DrawingWarning",
    "InputError",
    "NoMarksWarning",
    "OutputError",
    "OverBudgetError",
    "ScenarioError",
    "Stopped",
    "advice",
    "in_file",
    "is_of_disk",
    "nearest",
    "plain_name",
    "prefixed",
    "unknown",
    "unreadable",
]


# The name by which users import it.
ScenarioError.__module__ = "ackclock"


class InputError(ValueError):
    """A name that does not exist or a value that is not valid: of a paper, a scenario or an option."""


class OverBudgetError(InputError):
    """A run that was stopped since it had done the work that it may; the message says at what time."""


class OutputError(OSError):
    """A results folder that cannot be written, or that another program made."""


def is_of_disk(error: BaseException | None) -> bool:
    """True if a disk could not take what was written, as an OutputError made of that says too."""
    if isinstance(error, OutputError) and error.errno is None:
        error = error.__context__
    return isinstance(error, OSError) and error.errno in (
        errno.ENOSPC,
        errno.EDQUOT,
        errno.EFBIG,
        errno.EIO,
    )


class NoMarksWarning(UserWarning):
    """An algorithm that responds to marks ran where no link marked a packet."""


class DrawingWarning(UserWarning):
    """A figure or a report could not be drawn; the tables are saved."""


class Stopped(Exception):  # noqa: N818 - Ctrl-C is no error
    """Ctrl-C stopped the command line; the message says which results were kept."""


MOST_LETTERS = 100
"""The most characters of a plain name, since file names are made of it."""


def plain_name(text: str) -> bool:
    """True if a text can be part of a file's name without leading to another folder."""
    fits = 0 < len(text) <= MOST_LETTERS and text.isprintable()
    return fits and not text.startswith(".") and not set(text) & {"/", "\\"}


def nearest(found: str, candidates: Iterable[str]) -> str | None:
    """The candidate that `found` most resembles, or None when nothing comes close.

    The dashes of options, which all of them have, are no resemblance.
    """
    by_folded = {candidate.casefold().lstrip("-"): candidate for candidate in candidates}
    close = difflib.get_close_matches(found.casefold().lstrip("-"), by_folded, n=1, cutoff=0.6)
    return by_folded[close[0]] if close else None


LONGEST_LIST = 240
"""The longest list of names in a message, in letters."""


def advice(found: str, candidates: Iterable[str]) -> str:
    """The end of a message for an unknown name: the nearest alone, or else the names that there are.

    Names that contain what was found come before all names.
    """
    known = list(candidates)
    close = nearest(found, known)
    with_it = [name for name in known if len(found) > 1 and found.casefold() in name.casefold()]
    if close or len(with_it) == 1:
        return f'; did you mean "{close or with_it[0]}"?'
    if with_it:
        return f" (with it in their names: {_listed(with_it)})"
    return f" (there are: {_listed(known)})"


def _listed(known: Sequence[str]) -> str:
    """The names, as many as a message has room for."""
    listed = ", ".join(known) or "none"
    if len(listed) > LONGEST_LIST:
        cut = listed[:LONGEST_LIST].rpartition(", ")[0]
        listed = f"{cut} and {len(known) - cut.count(', ') - 1} more"
    return listed


def unknown(kind: str, found: str, candidates: Iterable[str]) -> InputError:
    """The error for a name that does not exist, with `advice`."""
    return InputError(f'no {kind} is named "{found}"{advice(found, sorted(candidates))}')


def unreadable(path: object, error: OSError) -> InputError:
    """The error of a file that cannot be opened or read."""
    if isinstance(error, FileNotFoundError):
        return InputError(f"{path}: there is no such file")
    return InputError(f"{path}: cannot be read: {error.strerror}")


def prefixed(error: ScenarioError, before: object) -> ScenarioError:
    """A copy of the error with its location in front of the message. Attributes are kept."""
    named = ScenarioError(f"{before}: {error}")
    for attribute in ("key", "found", "message", "nearest", "known"):
        setattr(named, attribute, getattr(error, attribute, None))
    return named


def in_file(error: ScenarioError, file: object) -> ScenarioError:
    """A copy of the error with the file's name in front of the message. Attributes are kept."""
    named = prefixed(error, file)
    named.file = str(file)
    return named
