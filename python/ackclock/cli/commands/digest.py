"""The command `digest`."""

from __future__ import annotations

from dataclasses import dataclass, field

from ackclock.cli.command import Options
from ackclock.cli.options import Settings, Source, settings_of

__all__ = ["Digest"]


@dataclass(frozen=True, kw_only=True)
class Digest(Options):
    """Run a scenario and print the digest of its tables, which is the same on every machine."""

    EXAMPLES = ("ackclock digest two-megabit", "ackclock digest my-network.toml --set seed=2")

    scenario: Source
    settings: Settings = field(default_factory=list)

    def execute(self) -> None:
        """Prints sixteen hexadecimal digits."""
        from ackclock import _native
        from ackclock.scenarios.load import load_scenario

        chosen = load_scenario(self.scenario, settings_of(self.settings))
        print(f"{_native.run(chosen).digest:016x}")
