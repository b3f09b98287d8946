"""Classes of claims, and classes of causes: which claims count, and why one was not reproduced."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

__all__ = ["BESIDE", "CAUSES", "Cause", "CauseClass", "ClaimClass"]


class ClaimClass(StrEnum):
    """The relation of a claim to the paper. Only claims of the class `PAPER` count in the scorecard's sum."""

    PAPER = "paper"
    """A statement of the paper that the experiment could contradict."""
    SET_BY_US = "set by us"
    """A number or rule that the scenario or the algorithm was given. Its measurement tests the simulator."""
    FITTED = "fitted"
    """Settings or readings were chosen with the number in view."""
    BEYOND = "beyond the paper"
    """Conditions or comparisons that the paper does not have."""
    RESTATED = "restated"
    """It follows from a definition, or from another statement that is counted already."""
    ILLUSTRATION = "illustration"
    """It asserts little: the measurement could hardly have come out otherwise."""


BESIDE = tuple(kind for kind in ClaimClass if kind is not ClaimClass.PAPER)
"""The classes that do not count in the sum."""


class CauseClass(StrEnum):
    """The reason for which a statement was not reproduced."""

    RULES = "own rules"
    """The paper's own rules, equations or other numbers give something else."""
    SETTING = "setting not stated"
    """The paper does not state a setting or a definition that decides."""
    OURS = "ours"
    """Our simulation gives something else, by a known difference."""
    UNRESOLVED = "unresolved"
    """The reason is not known: none of the others was shown to be it."""


CAUSES = tuple(CauseClass)


@dataclass(frozen=True)
class Cause:
    """The reason for which a statement was not reproduced, with its evidence."""

    kind: CauseClass
    evidence: str
    """The evidence in words, with numbers or a link, as Markdown; links are relative to the paper's
    folder."""

    @property
    def words(self) -> str:
        """The evidence without its links, for pages in other folders."""
        return "".join(text for text, _ in self.pieces)

    @property
    def pieces(self) -> list[tuple[str, str]]:
        """The evidence in pieces of text, each with the target of its link, or with an empty one."""
        found = re.split(r"\[([^\]]*)\]\(([^)]*)\)", self.evidence)
        plain = [(text, "") for text in found[::3]]
        linked = [*zip(found[1::3], found[2::3], strict=True), ("", "")]
        return [piece for pair in zip(plain, linked, strict=True) for piece in pair if piece[0]]
