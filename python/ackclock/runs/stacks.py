"""The binding that runs a scenario: the package's own, or that of ackclock-quic for flows over QUIC."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from ackclock import _native
from ackclock._native import Scenario
from ackclock.errors import InputError
from ackclock.provenance import version

__all__ = ["binaries", "binding_of"]

QUIC = "ackclock_quic"


def binaries() -> list[Path]:
    """The files of the compiled simulator: the package's own, and that of ackclock-quic if installed."""
    package = importlib.util.find_spec(QUIC)
    found = [Path(place) for place in (package.submodule_search_locations or [])] if package else []
    return [Path(_native.__file__), *(file for place in found for file in sorted(place.glob("_native*")))]


def binding_of(scenario: Scenario, custom: Sequence[str]) -> tuple[ModuleType, Scenario]:
    """The module whose `run` simulates a scenario, and the scenario as that module reads it.

    `custom` are the names of the caller's own algorithms. Raises InputError if flows name a stack and
    ackclock-quic is not installed, or has another version.
    """
    stacks = scenario.stack_names()
    if not stacks:
        return _native, scenario
    try:
        binding = importlib.import_module(f"{QUIC}._native")
    except ImportError as error:
        raise InputError(
            f"flows over {' and '.join(stacks)} need the package ackclock-quic, which is not there: "
            'install it, in a checkout of the repository by "make quic"'
        ) from error
    if binding.__version__ != version():
        raise InputError(
            f"ackclock-quic {binding.__version__} does not go with ackclock {version()}: "
            "install the same version"
        )
    return binding, binding.Scenario.from_json(scenario.to_json(), list(custom))
