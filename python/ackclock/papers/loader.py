"""Imports the Python package of a paper from any folder."""

from __future__ import annotations

import ast
import hashlib
import importlib
import sys
from pathlib import Path
from types import ModuleType

from ackclock.errors import InputError

__all__ = ["folder_name", "load_measure", "paper_key", "part_names"]


def paper_key(folder: Path) -> str:
    """The key of the paper in a folder: `papers/he_tcp` holds `he-tcp`."""
    return folder.name.replace("_", "-")


def folder_name(key: str) -> str:
    """The name of the folder that holds the paper with this key: a Python identifier."""
    return key.replace("-", "_")


def load_measure(folder: Path) -> ModuleType:
    """The module of a paper's folder that defines `measure(context)`.

    It is the package `measure/`, or the single file `reproduce.py`. The folder is imported as a package under
    a unique name, so that no search path changes and two papers may use equal module names: modules of one
    paper import each other by relative imports (`from . import study`, `from .study import Case`). Each call
    imports the files again. Raises InputError if the module or its function is missing.
    """
    folder = folder.resolve()
    package, file = folder / "measure" / "__init__.py", folder / "reproduce.py"
    found = package if package.is_file() else file
    if not found.is_file():
        raise InputError(f"{file}: there is no such file, nor a package {package.parent}")
    module = importlib.import_module(f"{_fresh_package(folder)}.{_stem(found)}")
    if not callable(getattr(module, "measure", None)):
        raise InputError(f"{found}: a function measure(context) is missing")
    return module


def part_names(folder: Path) -> tuple[str, ...]:
    """The names in `PARTS` of a paper's measurements, read and not run: an import takes a second."""
    for file in (folder / "measure" / "reproduce.py", folder / "reproduce.py"):
        for node in ast.parse(file.read_bytes()).body if file.is_file() else ():
            if not isinstance(node, ast.Assign | ast.AnnAssign):
                continue
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(target, ast.Name) and target.id == "PARTS" for target in targets):
                names = (
                    node.value.keys if isinstance(node.value, ast.Dict) else getattr(node.value, "elts", [])
                )
                return tuple(str(name.value) for name in names if isinstance(name, ast.Constant))
    return ()


def _stem(file: Path) -> str:
    return file.parent.name if file.stem == "__init__" else file.stem


def _fresh_package(folder: Path) -> str:
    """Registers the folder as an empty package, and returns its name."""
    digest = hashlib.sha256(str(folder).encode()).hexdigest()[:8]
    name = f"paper_{folder_name(folder.name)}_{digest}"
    for known in [known for known in sys.modules if known == name or known.startswith(f"{name}.")]:
        del sys.modules[known]
    package = ModuleType(name)
    package.__path__ = [str(folder)]
    sys.modules[name] = package
    importlib.invalidate_caches()
    return name
