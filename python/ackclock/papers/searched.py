"""The settings that a paper leaves open, as a search of them found its statements.

`settings.csv` of a publication has a row for each setting: the level of each factor, and the statements that
are reproduced under it. Parts of a paper with other factors have a table of their own, `settings-<part>.csv`.
`python -m papers.settings <key>` of the repository makes them.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ackclock.errors import InputError

__all__ = ["COLUMNS", "FILES", "Robustness", "Searched", "Setting", "read", "read_all"]

FILES = "settings*.csv"
"""The tables of a paper's searches."""
COLUMNS = ("reproduced", "of", "statements")
"""After the factors: a number, the number of statements judged, and the reproduced ones by name."""


@dataclass(frozen=True)
class Setting:
    """One setting: its levels by factor, and the statements that are reproduced under it."""

    levels: Mapping[str, str]
    reproduced: frozenset[str]


@dataclass(frozen=True)
class Robustness:
    """How a statement fares under the settings of a search, next to the one that verdicts have."""

    here: bool
    """True if the search found it reproduced under the setting of the verdicts."""
    others: int
    """The number of other settings under which it is reproduced."""
    of: int
    """The number of other settings."""
    is_chosen: bool = True
    """True if the verdicts have the setting that the rule chooses."""

    @property
    def words(self) -> str:
        """For a verdict: the number of other settings under which it is reproduced."""
        return f"under {self.others} of {self.of} other settings"

    @property
    def chooses(self) -> bool:
        """True if it is reproduced here and not under every other setting: it serves to choose this one."""
        return self.is_chosen and self.here and self.others < self.of

    @property
    def is_elsewhere(self) -> bool:
        """True if it is reproduced under other settings only."""
        return not self.here and self.others > 0


@dataclass(frozen=True)
class Searched:
    """All settings of a search, and the one that the published verdicts have."""

    settings: tuple[Setting, ...]
    published: Setting

    @cached_property
    def chosen(self) -> Setting:
        """The one that the rule chooses.

        Most statements are reproduced under it; of several, it departs from the first levels in the fewest
        factors, and of those it is the first.
        """
        first = self.settings[0].levels

        def rank(setting: Setting) -> tuple[int, int]:
            departs = sum(level != first[factor] for factor, level in setting.levels.items())
            return len(setting.reproduced), -departs

        return max(self.settings, key=rank)

    def robustness(self, statement: str) -> Robustness | None:
        """How a statement fares; None if no setting of the search has it reproduced."""
        others = [one for one in self.settings if one is not self.published]
        held = sum(statement in one.reproduced for one in others)
        here = statement in self.published.reproduced
        is_chosen = self.published is self.chosen
        return Robustness(here, held, len(others), is_chosen) if here or held else None


def read_all(folder: Path, published: Mapping[str, str]) -> tuple[Searched, ...]:
    """The searches of a publication, by the names of their files; `published` has levels of all.

    Raises InputError.
    """
    return tuple(read(file, published) for file in sorted(folder.glob(FILES)))


def read(file: Path, published: Mapping[str, str] | None = None) -> Searched:
    """The search that a file holds; `published` has levels of the verdicts, and the first where it has none.

    Raises InputError.
    """
    try:
        rows = list(csv.DictReader(file.read_text(encoding="utf-8").splitlines()))
        settings = tuple(_setting(row) for row in rows)
        first = settings[0].levels
        levels = {factor: (published or {}).get(factor, level) for factor, level in first.items()}
    except (OSError, KeyError, IndexError) as error:
        raise InputError(f"{file}: this is no table of papers.settings: {error}") from None
    ours = next((one for one in settings if one.levels == levels), None)
    if ours is None:
        raise InputError(f"{file}: no row has the setting of claims.toml: {', '.join(levels.values())}")
    return Searched(settings, ours)


def _setting(row: Mapping[str, str]) -> Setting:
    factors: Sequence[str] = [name for name in row if name not in COLUMNS]
    return Setting({name: row[name] for name in factors}, frozenset(row["statements"].split()))
