"""Drawing that may fail: the numbers are saved before, so what cannot be drawn is a warning and no error.

A disk that is full is an error: what was drawn is not there, and the next command would fail as well.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ackclock.errors import DrawingWarning, OutputError, is_of_disk

if TYPE_CHECKING:
    from ackclock.results_folder import ResultsFolder

__all__ = ["DrawingError", "add_report", "forgiving"]


class DrawingError(Exception):
    """A drawing library failed, with its message."""


@contextmanager
def forgiving(what: str) -> Iterator[None]:
    """Warns that `what` could not be drawn if an exception leaves the block.

    Raises OutputError on a full disk.
    """
    try:
        yield
    except Exception as error:  # noqa: BLE001 - whatever a drawing library raises
        said = " ".join(str(error).split()) or type(error).__name__
        if is_of_disk(error):
            raise OutputError(f"no {what}: {said[:300]}; the tables are saved") from None
        warnings.warn(f"no {what}: {said[:300]}; the tables are saved", DrawingWarning, stacklevel=3)


def add_report(folder: ResultsFolder, draw: Callable[[], object]) -> None:
    """Adds figures and a report, which `draw` writes, to a folder whose tables are in place.

    A failure is a warning. Raises OutputError on a full disk.
    """
    with forgiving("report"):
        draw()
    with forgiving("figures and report"):
        folder.commit()
