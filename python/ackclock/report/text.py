"""Names and titles that users chose, as the terminal, matplotlib and XML can show them."""

from __future__ import annotations

import sys
from unicodedata import category

from ackclock import _native

__all__ = [
    "algorithm_in_full",
    "counted",
    "few_seeds",
    "for_figures",
    "for_terminal",
    "in_ascii",
    "printable",
]

MOST_LETTERS = 72
"""Longer texts are cut in figures."""

CONTROL = ("Cc", "Cf", "Cs")
"""Categories of Unicode: controls, invisible formatting such as a reversal of the direction, surrogates."""


IN_ASCII = {
    "±": "+-", "–": "-", "—": "-", "\u2009": " ", "†": "*", "─": "-", "…": "...", "−": "-", "×": "x",
    "·": ".", "≤": "<=", "≥": ">=", "µ": "u", "✓": "y", "✗": "n",
    "‘": "'", "’": "'", "“": '"', "”": '"',
}  # fmt: skip
"""Signs that ASCII can imitate; "?" stands for others."""


def in_ascii(text: str) -> str:
    """The text in ASCII: letters replace the signs that an encoding may lack."""
    return "".join(IN_ASCII.get(letter, "?") for letter in text)


def counted(number: int, noun: str) -> str:
    """The number with its noun, in the plural unless the number is 1: "1 seed", "2 seeds", "3 quantities"."""
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number} {noun if number == 1 else plural}"


CONTROLS = ("tahoe", "reno", "newreno", "vegas")
"""The recoveries whose names are those of congestion controls too."""


def algorithm_in_full(spec: str) -> str:
    """The algorithm of a flow next to others: of a recovery alone also its avoidance, as "rack+reno"."""
    full = f"{spec}+reno"
    try:
        is_alone = spec not in CONTROLS and _native.recovery_of(spec) == spec
        if is_alone:
            _native.parse_algorithm(full)  # a transport of its own has no avoidance
    except _native.ScenarioError:
        return spec
    return full if is_alone else spec


def few_seeds(number: int) -> str:
    """The sentence about intervals of two seeds, which are wide; empty for another number."""
    return "The interval of two seeds is wide: take five or more." if number == 2 else ""


def printable(text: str) -> str:
    """The text without control characters, which steer a terminal and are not allowed in XML."""
    return "".join("\N{REPLACEMENT CHARACTER}" if category(letter) in CONTROL else letter for letter in text)


def for_terminal(text: str) -> str:
    """The printable text in letters that standard output can encode, so that columns keep their widths."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    shown = printable(text)
    try:
        shown.encode(encoding)
    except UnicodeEncodeError:
        return "".join(letter if _has(encoding, letter) else in_ascii(letter) for letter in shown)
    except LookupError:
        return shown
    return shown


def _has(encoding: str, letter: str) -> bool:
    try:
        return bool(letter.encode(encoding))
    except UnicodeEncodeError:
        return False


def for_figures(text: str) -> str:
    """The text so that matplotlib shows it letter by letter, and reads no formula between two $.

    A long one is cut, because otherwise the axes would have no room.
    """
    if len(text) > MOST_LETTERS:
        text = text[: MOST_LETTERS - 1] + "…"
    return printable(text).replace("$", r"\$")
