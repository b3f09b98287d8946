"""The command `run`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated

import typer

from ackclock.cli import names
from ackclock.cli.command import Options
from ackclock.cli.options import Experiment, Source

__all__ = ["Run"]


@dataclass(frozen=True, kw_only=True)
class Run(Options):
    """Simulate one scenario."""

    EXAMPLES = (
        "ackclock run two-megabit",
        "ackclock run my-network.toml --output results/mine",
        'ackclock run two-megabit --set "topology.dumbbell.bottleneck.buffer=40 packets"',
        "ackclock run lossy-link --seeds 20 --json > lossy.json",
    )

    scenario: Source
    algorithm: Annotated[
        str | None,
        typer.Option(
            "--algorithm",
            "-a",
            metavar="ALGORITHM",
            help='In place of tcp.algorithm: a name, or a class in a file, as "mine.py:Mine".',
            autocompletion=names.algorithms,
        ),
    ] = None
    experiment: Experiment

    def execute(self) -> None:
        """Runs the scenario, prints and saves the outcome."""
        from ackclock.scenarios.algorithms import one_algorithm, own_names

        trust = self.experiment.trust
        # A mistake in the scenario is said before data frames are loaded.
        scenario = self.experiment.load(self.scenario, own_names(*one_algorithm(self.algorithm, trust=trust)))
        from ackclock.cli.experiment import carry_out
        from ackclock.runs.compare import replicate

        simulate = partial(replicate, scenario, algorithm=self.algorithm, trust=trust)
        carry_out("run", self.experiment, scenario, simulate, labels=[scenario.name])
