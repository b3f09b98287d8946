"""Measures what the paper claims: `measure(context)`, made of a module per part of the paper."""

from .reproduce import COMPARES, PARTS, SEARCHED, measure
from .stack import use

__all__ = ["COMPARES", "PARTS", "SEARCHED", "measure", "use"]
