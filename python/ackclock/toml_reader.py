"""Reads TOML that somebody else may have written, in a time that grows with its length.

A string or a comment of more than `MOST_PARTS` words with dots between them is refused like such a key.
"""

from __future__ import annotations

import re
import tomllib
from typing import Any

__all__ = ["NotToml", "read_toml"]

MOST_PARTS = 50
"""The parts of a dotted key. What a document of Ackclock names lies at most six tables deep."""

# The standard library takes the square of a key's parts: 1 MB of "a.a.a" keeps it busy for an hour.
# Each part begins where the one before ends, and nothing is tried twice.
_PART = r"(?:[\w-]++|\"(?:[^\"\\\n]|\\[^\n])*+\"|'[^'\n]*+')[ \t]*+"
_TOO_DEEP = re.compile(rf"(?<![\w-]){_PART}(?:\.[ \t]*+{_PART}){{{MOST_PARTS}}}")

NotToml = tomllib.TOMLDecodeError


def read_toml(text: str) -> dict[str, Any]:
    """The tables of a text. Raises NotToml, whose text is for the user."""
    if (found := _TOO_DEEP.search(text)) is not None:
        line = text.count("\n", 0, found.start()) + 1
        raise NotToml(
            f"line {line}: found a key of more than {MOST_PARTS} parts; expected {MOST_PARTS} or fewer"
        )
    try:
        document = tomllib.loads(text)
        _refuse_long_integers(document)
    except RecursionError:
        raise NotToml("its tables or lists are nested too deeply") from None
    except NotToml:
        raise
    except ValueError as error:  # an integer of some thousand digits
        raise NotToml(str(error)) from None
    return document


def _refuse_long_integers(value: object) -> None:
    """Raises NotToml for an integer of more than 64 bits: the largest of them are no floats either."""
    if isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            _refuse_long_integers(each)
    elif isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise NotToml("found an integer that 64 bits cannot express; expected one from -2^63 to 2^63 - 1")
