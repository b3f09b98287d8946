"""Drawing that may fail: the numbers are saved before, so a failed drawing is a warning and not an error."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from ackclock.errors import DrawingWarning

__all__ = ["DrawingError", "forgiving"]


class DrawingError(Exception):
    """A drawing library failed, with its message."""


@contextmanager
def forgiving(what: str) -> Iterator[None]:
    """Warns that `what` could not be drawn if an exception leaves the block."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 - whatever a drawing library raises
        said = " ".join(str(error).split()) or type(error).__name__
        warnings.warn(f"no {what}: {said[:300]}; the tables are saved", DrawingWarning, stacklevel=3)
