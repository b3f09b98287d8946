"""The templates of reports."""

from __future__ import annotations

import functools
import math
from importlib import resources

import jinja2

__all__ = ["environment"]


@functools.cache
def environment() -> jinja2.Environment:
    """The templates of this package; values are escaped unless marked as HTML."""
    folder = resources.files(__package__)
    loader = jinja2.FunctionLoader(lambda name: (folder / name).read_text(encoding="utf-8"))
    made = jinja2.Environment(
        loader=loader, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    made.filters["log2"] = math.log2
    return made
