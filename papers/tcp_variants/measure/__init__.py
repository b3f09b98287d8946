"""Measures what the paper claims: `measure(context)`, made of a module per part of the paper."""

from .choices import use
from .reproduce import SEARCHED, measure

__all__ = ["SEARCHED", "measure", "use"]
