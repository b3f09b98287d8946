"""The comparison that a newcomer sees: the names, which the command line shows without loading anything."""

from __future__ import annotations

__all__ = ["ALGORITHMS", "SCENARIO"]

ALGORITHMS = ("cubic", "bbr3", "rack+reno", "copa")
"""The algorithms that `compare` compares by default."""

SCENARIO = "call-beside-download"
"""The scenario that `compare` uses by default."""
