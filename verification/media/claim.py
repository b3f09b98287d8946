"""Claims: a statement of a source, the quantity that it is about, and the bounds within which it holds."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass

from ackclock.measures.digits import number

__all__ = ["Claim", "Judged", "judged"]


@dataclass(frozen=True)
class Claim:
    """A statement of a source."""

    key: str
    section: str
    statement: str
    """In the source's words, where it stands in quotes."""
    quantity: str
    """The quantity of a run, with its setting."""
    unit: str
    digits: int
    measure: Callable[[], float]
    low: float = -math.inf
    high: float = math.inf
    stated: bool = False
    """True if the source states the bounds, or they follow from its equations; they are ours otherwise."""
    reason: str = ""
    """Why it fails, if it does."""

    @property
    def bounds(self) -> str:
        """The bounds in words."""
        low, high = (number(bound, self.digits) for bound in (self.low, self.high))
        whose = "source" if self.stated else "ours"
        if math.isinf(self.low):
            return f"at most {high} ({whose})"
        return f"at least {low} ({whose})" if math.isinf(self.high) else f"{low} to {high} ({whose})"


@dataclass(frozen=True)
class Judged:
    """A claim with its value."""

    claim: Claim
    value: float

    @property
    def holds(self) -> bool:
        """True if the value lies within the bounds."""
        return self.claim.low <= self.value <= self.claim.high

    @property
    def found(self) -> str:
        """The value with its unit."""
        return f"{number(self.value, self.claim.digits)} {self.claim.unit}".strip()

    @property
    def verdict(self) -> str:
        """Holds or fails."""
        return "holds" if self.holds else "fails"


@functools.cache
def judged(claims: tuple[Claim, ...]) -> tuple[Judged, ...]:
    """The claims with their values, each simulated once in a process."""
    return tuple(Judged(claim, float(claim.measure())) for claim in claims)
