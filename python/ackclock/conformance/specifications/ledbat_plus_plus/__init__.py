"""LEDBAT++: draft-irtf-iccrg-ledbat-plus-plus, upon RFC 6817.

Sections are named by the mechanisms that the draft's abstract lists, since versions of the draft number them
differently.
"""

from __future__ import annotations

from ackclock.conformance.case import Specification

__all__ = ["SPECIFICATION"]

SPECIFICATION = Specification(
    title="LEDBAT++, background transport by round trips",
    source="draft-irtf-iccrg-ledbat-plus-plus-06 (2026), with RFC 6817",
    algorithms=("ledbat-plus-plus",),
)
