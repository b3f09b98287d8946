"""The scenarios, classes and files that a plan names, and those that it may name."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ackclock._native import Scenario
from ackclock.errors import InputError
from ackclock.scenarios.algorithms import Factory, referred
from ackclock.scenarios.load import built_in, from_mapping, load_scenario, with_settings, writer_folder
from ackclock.scenarios.own_code import refuse_elsewhere

__all__ = ["Named"]


@dataclass(frozen=True)
class Named:
    """The files and classes that a plan names, relative to its folder.

    Errors are InputError and ScenarioError.
    """

    folder: Path
    within: Path | None
    """The folder below which its files lie; None if the writer of the plan may name any."""
    trust: bool

    @classmethod
    def in_file(cls, folder: Path, *, trust: bool) -> Named:
        """Of a plan file in a folder, which may come from somebody else."""
        return cls(folder, None if trust else writer_folder(folder), trust)

    @classmethod
    def by_caller(cls, *, trust: bool) -> Named:
        """Of a mapping, whose names are relative to the working directory and the caller's own."""
        return cls(Path(), None, trust)

    def scenario(self, source: str | os.PathLike[str] | Mapping[str, object] | Scenario) -> Scenario:
        """A built-in scenario, one in a file, or a table."""
        if isinstance(source, Mapping):
            return from_mapping(source, (), self.folder, self.within)
        if isinstance(source, Scenario):
            return source
        file = self.folder / source
        if self.within is None:
            return load_scenario(file if file.is_file() else source, trust=self.trust)
        refuse_elsewhere(source, file, self.within, "a plan names none elsewhere")
        if file.is_file():
            return load_scenario(file)
        if file.suffix == ".toml" or len(Path(source).parts) > 1:
            raise InputError(f"{file}: there is no such file")
        return built_in(str(source))

    def algorithms(
        self, named: Sequence[str | Factory] | Mapping[str, str | Factory]
    ) -> Mapping[str, str | Factory]:
        """Algorithms by label, with classes instead of their `file.py:Class`."""
        return referred(named, self.folder, within=self.within, trust=self.trust)

    def changed(self, scenario: Scenario, settings: Mapping[str, object]) -> Scenario:
        """A scenario with the values of the plan, which may name files too."""
        return with_settings(scenario, settings, self.folder, self.within)
