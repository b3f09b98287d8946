"""The measurements of this paper: `measure` of `reproduce`."""

from .reproduce import measure

__all__ = ["measure"]
