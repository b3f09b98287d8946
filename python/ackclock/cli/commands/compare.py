"""The command `compare`."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Annotated

import typer

from ackclock.cli import names
from ackclock.cli.command import Options
from ackclock.cli.options import Experiment
from ackclock.scenarios import defaults

__all__ = ["Compare"]


@dataclass(frozen=True, kw_only=True)
class Compare(Options):
    """Run a scenario with each of several algorithms, over the same seeds, and compare."""

    EXAMPLES = (
        "ackclock compare",
        "ackclock compare tahoe newreno vegas --scenario two-megabit --seeds 20",
        'ackclock compare sack "sack+vegas(alpha=2,beta=4)" --scenario my-network.toml',
        "ackclock compare cubic bbr3 mine.py:Mine",
        "ackclock compare rack+reno cubic --together --seeds 10",
        'ackclock compare cubic mine.py:Mine --seeds 10 --fail-if "mine.goodput < 4 Mbit/s"',
        "ackclock compare cubic bbr3 --baseline results/known --tolerance 2%",
        'ackclock compare reno sack --set "topology.dumbbell.bottleneck.buffer=5 packets"',
    )

    algorithms: Annotated[
        list[str],
        typer.Argument(
            metavar="ALGORITHM",
            help="Algorithms, or classes in files, as mine.py:Mine. "
            f"(default: {' '.join(defaults.ALGORITHMS)})",
            autocompletion=names.algorithms,
        ),
    ] = field(default_factory=list)
    scenario: Annotated[
        str,
        typer.Option(
            "--scenario",
            "-s",
            metavar="SCENARIO",
            # Without a bracket behind it the name fits a terminal of 60 columns.
            help=f"A TOML file, or a built-in scenario's name, by default {defaults.SCENARIO}",
            show_default=False,
            autocompletion=names.scenarios,
        ),
    ] = defaults.SCENARIO
    together: Annotated[
        bool,
        typer.Option(
            "--together", metavar="", help="Let all share the bottleneck too, each with all of the flows."
        ),
    ] = False
    experiment: Experiment

    def execute(self) -> None:
        """Compares the algorithms, prints and saves the outcome."""
        from ackclock.scenarios.algorithms import referred, with_algorithm

        # A mistake in the scenario or in a name is reported before data frames are loaded.
        scenario = self.experiment.load(self.scenario)
        trust = self.experiment.trust
        chosen = referred(self.algorithms or defaults.ALGORITHMS, trust=trust)
        for label, algorithm in chosen.items():
            with_algorithm(scenario, algorithm, label=label, trust=trust)
        from ackclock.cli.experiment import carry_out
        from ackclock.runs.compare import compare
        from ackclock.scenarios.together import TOGETHER

        simulate = partial(compare, chosen, scenario, together=self.together, trust=trust)
        labels = [*chosen, *[TOGETHER] * self.together]
        carry_out("compare", self.experiment, scenario, simulate, labels=labels)
