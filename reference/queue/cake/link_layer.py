"""The length on the wire: tc-cake(8), "Overhead compensation parameters", and `cake_calc_overhead`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["LinkLayer"]

CELL, CELL_PAYLOAD = 53, 48
"""ATM's cells, in bytes."""
PTM_BLOCK = 64
"""A block of PTM takes a byte more than it carries."""
OVERHEADS = range(-64, 257)
MINIMA = range(257)


@dataclass(frozen=True)
class LinkLayer:
    """The framing of a link."""

    overhead: int = 0
    """Bytes added to each packet."""
    mpu: int = 0
    """The least length of a packet with its overhead."""
    framing: Literal["none", "atm", "ptm"] = "none"

    def __post_init__(self) -> None:
        if self.overhead not in OVERHEADS or self.mpu not in MINIMA:
            raise ValueError(f"an overhead of {self.overhead} and a minimum of {self.mpu} bytes")

    def length(self, size: int) -> int:
        """The bytes that a packet of this size takes on the wire."""
        framed = max(size + self.overhead, self.mpu, 0)
        match self.framing:
            case "atm":
                # The last cell is padded.
                return -(-framed // CELL_PAYLOAD) * CELL
            case "ptm":
                # "This is conservative": a part of a block counts as a block.
                return framed + -(-framed // PTM_BLOCK)
            case "none":
                return framed
