"""All specifications. A folder here is a specification, and each of its files with a `CASE` is a case."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from dataclasses import replace
from types import ModuleType

from ackclock.conformance.case import Case, Specification
from ackclock.errors import unknown

__all__ = ["specification", "specifications"]


@functools.cache
def specifications() -> dict[str, Specification]:
    """All specifications by the names of their folders."""
    found = {}
    for info in pkgutil.iter_modules(__path__):
        if info.ispkg:
            key = info.name.replace("_", "-")
            found[key] = _specification(importlib.import_module(f"{__name__}.{info.name}"), key)
    return found


def specification(key: str) -> Specification:
    """The specification of this name. Raises InputError."""
    known = specifications()
    if key not in known:
        raise unknown("specification", key, known)
    return known[key]


def _specification(package: ModuleType, key: str) -> Specification:
    """The declaration of a folder, with the cases of its files."""
    cases: list[Case] = []
    for info in pkgutil.iter_modules(package.__path__):
        module = importlib.import_module(f"{package.__name__}.{info.name}")
        if hasattr(module, "CASE"):
            cases.append(replace(module.CASE, key=info.name.replace("_", "-")))
    declared: Specification = package.SPECIFICATION
    return replace(declared, key=key, cases=tuple(sorted(cases, key=lambda case: (case.number, case.key))))
