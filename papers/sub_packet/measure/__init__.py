"""Measures what the paper claims: `measure(context)`, made of a module per part of the paper."""

from .reproduce import AT_ONCE, COMPARES, PARTS, SEARCHED, measure
from .study import use

__all__ = ["AT_ONCE", "COMPARES", "PARTS", "SEARCHED", "measure", "use"]
