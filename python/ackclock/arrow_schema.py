"""An Arrow schema with metadata of columns, by Arrow's C data interface, for the writer of Parquet files.

Polars writes the metadata that such a schema has, and has no other way to write it.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

__all__ = ["ArrowSchema"]

FORMATS = {
    "Boolean": b"b", "Int32": b"i", "Int64": b"l", "UInt32": b"I", "UInt64": b"L", "Float64": b"g",
    "String": b"U",
}  # fmt: skip
"""The format strings of the types that tables have."""

NULLABLE = 2


class _Schema(ctypes.Structure):
    """`struct ArrowSchema` of the specification."""


_Release = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Schema))

_Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_void_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(_Schema))),
    ("dictionary", ctypes.c_void_p),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]


def _release(schema: Any) -> None:
    """Marks a schema as released: its memory belongs to Python."""
    schema.contents.release = None


_RELEASE = _Release(_release)

_capsule = ctypes.pythonapi.PyCapsule_New
_capsule.restype = ctypes.py_object
_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class ArrowSchema:
    """The schema of a table whose columns have metadata. It lives as long as its reader needs it."""

    def __init__(self, schema: Mapping[str, pl.DataType], metadata: Mapping[str, Mapping[str, str]]) -> None:
        self._buffers: list[object] = []
        columns = [
            self._made(FORMATS[str(kind)], name, metadata.get(name, {})) for name, kind in schema.items()
        ]
        children = (ctypes.POINTER(_Schema) * len(columns))(*map(ctypes.pointer, columns))
        self._buffers += [columns, children]
        self._root = self._made(b"+s", "", {})
        self._root.n_children, self._root.children = len(columns), children

    @staticmethod
    def can_describe(schema: Mapping[str, pl.DataType]) -> bool:
        """True if every column has a type with a format string here."""
        return all(str(kind) in FORMATS for kind in schema.values())

    def _made(self, kind: bytes, name: str, metadata: Mapping[str, str]) -> _Schema:
        made = _Schema(format=kind, name=name.encode(), flags=NULLABLE)
        made.release = ctypes.cast(_RELEASE, ctypes.c_void_p).value
        if metadata:
            packed = _packed(metadata)
            buffer = ctypes.create_string_buffer(packed, len(packed))
            self._buffers.append(buffer)
            made.metadata = ctypes.addressof(buffer)
        return made

    def __arrow_c_schema__(self) -> object:
        return _capsule(ctypes.addressof(self._root), b"arrow_schema", None)


def _packed(metadata: Mapping[str, str]) -> bytes:
    """Metadata as the specification lays it out: lengths in the machine's order, before keys and values."""
    parts = [struct.pack("=i", len(metadata))]
    for text in (part for pair in metadata.items() for part in pair):
        data = text.encode()
        parts += [struct.pack("=i", len(data)), data]
    return b"".join(parts)
