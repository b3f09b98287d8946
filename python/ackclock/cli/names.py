"""Names that a shell completes: built-in scenarios and algorithms."""

from __future__ import annotations

__all__ = ["algorithms", "scenarios"]

# Completion waits for this module, so that it imports nothing that it does not need.
# ruff: noqa: PLC0415


def scenarios(incomplete: str) -> list[str]:
    """Built-in scenarios whose names begin with this text."""
    from ackclock.scenarios.load import scenario_folder

    return [
        path.stem for path in sorted(scenario_folder().glob("*.toml")) if path.stem.startswith(incomplete)
    ]


def algorithms(incomplete: str) -> list[str]:
    """Algorithms whose names begin with this text.

    After a recovery and "+", the algorithms that can follow it.
    """
    from ackclock.scenarios.catalogue import list_entries

    head, plus, rest = incomplete.rpartition("+")
    names = dict.fromkeys(entry.name for entry in list_entries("algorithms"))
    return [head + plus + name for name in names if name.startswith(rest)]
