"""Conditions of `--fail-on`, and lists of names in options."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ackclock.errors import InputError, unknown

if TYPE_CHECKING:
    from ackclock.evaluation.suite import Suite

__all__ = ["condition", "holds_any", "listed"]


def listed(text: str) -> tuple[str, ...]:
    """The names between commas; commas in parentheses do not separate."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return tuple(part.strip() for part in parts if part.strip())


def condition(text: str, suite: Suite, classes: Sequence[str]) -> tuple[str, str]:
    """A criterion and the class from which on it fails. Raises InputError."""
    key, colon, kind = (part.strip() for part in text.partition(":"))
    known = [criterion.key for criterion in suite.criteria]
    if not colon:
        raise InputError(
            f'--fail-on {text}: a criterion and a class are needed, as in "{known[1]}: {classes[-2]}"'
        )
    if key not in known:
        raise unknown("criterion", key, known)
    if kind not in classes[1:]:
        raise InputError(f'--fail-on {text}: found "{kind}"; expected one of {", ".join(classes[1:])}')
    return key, kind


def holds_any(
    conditions: Sequence[tuple[str, str]], found: Mapping[str, str], classes: Sequence[str]
) -> bool:
    """True if a condition holds; prints a line for each that does."""
    holds = False
    for key, kind in conditions:
        if key not in found:
            raise InputError(f"--fail-on {key}: this criterion was not evaluated, since --only leaves it out")
        if classes.index(found[key]) >= classes.index(kind):
            print(f"failed: {key} is {found[key]}", file=sys.stderr)
            holds = True
    return holds
