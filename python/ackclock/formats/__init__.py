"""The files of other programs: a run written as they write measurements, and their measurements read.

`EXPORTS` names the formats in which `ackclock export` writes; `read` recognises a file by its contents.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ackclock.errors import InputError
from ackclock.formats import flent, iperf3, socket_statistics, xpl
from ackclock.formats.measured import Measured, NothingMeasured
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
                raise InputError(f"{place}: {_said(error, reader.NAME)}") from None
    if data.lstrip()[:1] == b"{" and (said := _not_whole(data)):
        raise InputError(f"{place}: this is no complete JSON: {said}")
    known = "; ".join(reader.NAME for reader in READERS)
    raise InputError(f"{place}: found no measurement that is known; expected {known}")


def _said(error: Exception, name: str) -> str:
    """A sentence about a file of a format that cannot be read."""
    if isinstance(error, json.JSONDecodeError):
        return f"this is no complete JSON: {_place(error)}"
    if isinstance(error, KeyError):
        return f"damaged {name}: there is no {error}"
    if isinstance(error, NothingMeasured):
        return str(error)
    return f"damaged {name}: {error}"


def _not_whole(data: bytes) -> str:
    try:
        json.loads(data)
    except json.JSONDecodeError as error:
        return _place(error)
    except (ValueError, RecursionError) as error:
        return str(error)
    return ""


def _place(error: json.JSONDecodeError) -> str:
    return f"{error.msg[:1].lower()}{error.msg[1:]} at line {error.lineno}, column {error.colno}"
