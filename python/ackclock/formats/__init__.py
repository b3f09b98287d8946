"""The files of other programs: a run written as they write measurements, and their measurements read.

`EXPORTS` names the formats in which `ackclock export` writes; `read` recognises a file by its contents.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ackclock.errors import InputError
from ackclock.formats import flent, iperf3, socket_statistics, xpl
from ackclock.formats.measured import Measured
from ackclock.gzip_files import LARGEST_BYTES, bounded
from ackclock.measures.record import RunRecord

__all__ = ["EXPORTS", "Export", "Measured", "read"]


@dataclass(frozen=True)
class Export:
    """A format in which runs are written."""

    suffix: str
    files: Callable[[RunRecord], Mapping[str, bytes]]
    """The files of a run by the part of it that they show; the name of a file of the whole run is empty."""


EXPORTS: Mapping[str, Export] = {
    "flent": Export("flent.gz", lambda result: {"": flent.written(result)}),
    "iperf3": Export("iperf3.json", lambda result: {"": iperf3.written(result)}),
    "xpl": Export("xpl", xpl.written),
}
"""The formats that runs are written in, by name."""


class Reader(Protocol):
    """A module that reads a format."""

    NAME: str

    def recognises(self, data: bytes) -> bool:
        """True if the contents of a file are of this format."""

    def read(self, data: bytes) -> Measured:
        """The measurement."""


READERS: tuple[Reader, ...] = (flent, iperf3, socket_statistics)
"""The formats that are read."""


def read(path: str | Path) -> Measured:
    """The measurement in a file of Flent, in JSON of iperf3, or in a log of `ss -ti`. Raises InputError."""
    place = Path(path)
    data = bounded(place, f"more than {LARGEST_BYTES} bytes, which is more than is read of a measurement")
    for reader in READERS:
        if reader.recognises(data):
            try:
                return reader.read(data)
            except (
                ValueError,
                LookupError,
                ArithmeticError,
                TypeError,
                AttributeError,
                RecursionError,
            ) as error:
                said = f"{type(error).__name__}: {error}"
                raise InputError(f"{place}: damaged {reader.NAME}: {said}") from None
    known = "; ".join(reader.NAME for reader in READERS)
    raise InputError(f"{place}: found no measurement that is known; expected {known}")
