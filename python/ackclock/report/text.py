"""Names and titles that users chose, as the terminal, matplotlib and XML can show them."""

from __future__ import annotations

from unicodedata import category

__all__ = ["counted", "for_figures", "printable"]

MOST_LETTERS = 72
"""Longer texts are cut in figures."""

CONTROL = ("Cc", "Cf", "Cs")
"""Categories of Unicode: controls, invisible formatting such as a reversal of the direction, surrogates."""


def counted(number: int, noun: str) -> str:
    """The number with its noun, in the plural where it is not one: "1 seed", "2 seeds"."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def printable(text: str) -> str:
    """The text without control characters, which steer a terminal and are not allowed in XML."""
    return "".join("\N{REPLACEMENT CHARACTER}" if category(letter) in CONTROL else letter for letter in text)


def for_figures(text: str) -> str:
    """The text as matplotlib shows it letter by letter: it takes what stands between two $ for a formula.

    A long one is cut, for beside it the axes would have no room.
    """
    if len(text) > MOST_LETTERS:
        text = text[: MOST_LETTERS - 1] + "…"
    return printable(text).replace("$", r"\$")
