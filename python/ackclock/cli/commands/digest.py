"""The command `digest`."""

from __future__ import annotations

from dataclasses import dataclass, field

from ackclock.cli.command import Options
from ackclock.cli.options import Settings, Source, Trust, settings_of

__all__ = ["Digest"]


@dataclass(frozen=True, kw_only=True)
class Digest(Options):
    """Run a scenario and print the digest of its tables, which is the same on every machine."""

    EXAMPLES = ("ackclock digest two-megabit", "ackclock digest my-network.toml --set seed=2")

    scenario: Source
    settings: Settings = field(default_factory=list)
    trust: Trust = False

    def execute(self) -> None:
        """Prints sixteen hexadecimal digits."""
        from ackclock.runs.stacks import binding_of
        from ackclock.scenarios.algorithms import classes_of
        from ackclock.scenarios.load import load_scenario
        from ackclock.scenarios.own_code import fresh

        chosen = load_scenario(self.scenario, settings_of(self.settings), trust=self.trust)
        classes = {name: fresh(made) for name, made in classes_of(chosen, trust=self.trust).items()}
        binding, own = binding_of(chosen, list(classes))
        print(f"{binding.run(own, algorithms=classes or None).digest:016x}")
