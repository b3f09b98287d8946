"""Measures what the paper claims: `measure(context)`, made of a module per part of the paper."""

from .readings import SEARCHED, use
from .reproduce import COMPARES, PARTS, measure

__all__ = ["COMPARES", "PARTS", "SEARCHED", "measure", "use"]
