"""A file with one class in Python, as a table or a competition takes it: read, and not run."""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ackclock.errors import InputError

__all__ = ["Entry", "read"]

FIELDS = ("Author", "Source", "Licence")
"""The fields of the docstring, each in a line of its own."""
METHODS = {"on_ack", "on_congestion"}
MODULES = ("__future__", "collections", "dataclasses", "enum", "math", "typing")
"""The modules that a file may import: none reads a clock, draws numbers, or leaves the process."""


@dataclass(frozen=True)
class Entry:
    """The statements of a file about itself."""

    file: Path
    title: str
    author: str
    source: str
    licence: str
    cls: str

    @property
    def name(self) -> str:
        """The name of its row."""
        return self.file.stem

    @property
    def sha256(self) -> str:
        """The content that a row is of."""
        return hashlib.sha256(self.file.read_bytes()).hexdigest()


def read(file: Path) -> Entry:
    """The statements of a file about itself. Raises InputError for a file that cannot come in."""
    shown = f"{file.resolve().parent.name}/{file.name}"
    if not re.fullmatch(r"[a-z][a-z0-9_]*", file.stem):
        raise InputError(f"{shown}: its name must have small letters, digits and underscores alone")
    try:
        tree = ast.parse(file.read_text(encoding="utf-8"), file.name)
    except (SyntaxError, UnicodeDecodeError) as error:
        raise InputError(f"{shown}: is no Python: {error}") from None
    docstring = ast.get_docstring(tree)
    if not docstring:
        raise InputError(f"{shown}: has no docstring; it must have a title, and the lines {_lines(FIELDS)}")
    stated = {name: _field(docstring, name) for name in FIELDS}
    if missing := [name for name in FIELDS if not stated[name]]:
        raise InputError(f"{shown}: the docstring lacks the line {_lines(missing)}")
    if wrong := sorted(_imported(tree) - set(MODULES)):
        raise InputError(f'{shown}: imports "{wrong[0]}"; it may import {", ".join(MODULES[1:])} alone')
    classes: list[str] = []
    for each in tree.body:
        if isinstance(each, ast.ClassDef) and (_methods(each) >= METHODS or _bases(each) & set(classes)):
            classes.append(each.name)
    if len(classes) != 1:
        found = f"the classes {', '.join(classes)}" if classes else "no class"
        raise InputError(f"{shown}: has {found} with on_ack and on_congestion; it must have exactly one")
    title = docstring.splitlines()[0].rstrip(".")
    return Entry(file, title, stated["Author"], stated["Source"], stated["Licence"], classes[0])


def _lines(names: Sequence[str]) -> str:
    return ", ".join(f'"{name}: .."' for name in names)


def _field(docstring: str, name: str) -> str:
    found = re.search(rf"^{name}: *(\S.*)$", docstring, re.MULTILINE)
    return found[1].strip() if found else ""


def _methods(node: ast.ClassDef) -> set[str]:
    return {each.name for each in node.body if isinstance(each, ast.FunctionDef)}


def _bases(node: ast.ClassDef) -> set[str]:
    """The names of the classes that a class extends: it has their methods."""
    return {base.id for base in node.bases if isinstance(base, ast.Name)}


def _imported(tree: ast.Module) -> set[str]:
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {each.name.partition(".")[0] for each in node.names}
        if isinstance(node, ast.ImportFrom):
            names.add("." * node.level + (node.module or "").partition(".")[0])
    return names
