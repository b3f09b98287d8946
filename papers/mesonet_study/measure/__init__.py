"""The measurements of this paper: `measure` of `reproduce`."""

from .reproduce import PARTS, measure

__all__ = ["PARTS", "measure"]
