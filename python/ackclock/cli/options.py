"""The options that several commands have: single ones, and groups of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ackclock.cli import names
from ackclock.errors import InputError

if TYPE_CHECKING:
    from ackclock._native import Scenario

__all__ = [
    "Cluster",
    "Conditions",
    "Drawing",
    "Experiment",
    "Json",
    "Junit",
    "NoReport",
    "Redrawing",
    "SeedsIfAny",
    "Settings",
    "Source",
    "Trust",
    "Width",
    "Workers",
    "settings_of",
]

Json = Annotated[bool, typer.Option("--json", metavar="", help="Print one JSON document instead of tables.")]
Junit = Annotated[Path | None, typer.Option("--junit", metavar="FILE", help="Write a report in JUnit's XML.")]
Source = Annotated[
    str,
    typer.Argument(
        metavar="SCENARIO",
        help="A built-in scenario's name, a TOML file, or - for standard input.",
        autocompletion=names.scenarios,
    ),
]
Settings = Annotated[
    list[str],
    typer.Option(
        "--set", metavar="KEY=VALUE", help='Change a value, as "tcp.mss=1000 bytes". May be repeated.'
    ),
]
SeedsIfAny = Annotated[
    int | None, typer.Option("--seeds", metavar="N", min=1, help="How many seeds. (default: 10, quick 3)")
]
NoReport = Annotated[
    bool,
    typer.Option(
        "--no-report", metavar="", help="Write tables only: no report, no figures, no time series for them."
    ),
]
Width = Annotated[
    str | None,
    typer.Option(
        "--width",
        metavar="WIDTH",
        help="Width of figures in inches, or ieee-column, acm-column, slide. (default: 6.3)",
    ),
]
Trust = Annotated[
    bool,
    typer.Option(
        "--trust",
        metavar="",
        help="Let what is named here name files elsewhere; read and run results that have changed.",
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option("--cluster", metavar="ADDRESS", help="Run on the workers of this Dask scheduler."),
]
Workers = Annotated[
    int | None,
    typer.Option("--workers", metavar="N", min=1, help="Runs side by side. (default: as many as processors)"),
]


@dataclass(frozen=True, kw_only=True)
class Redrawing:
    """The figures that a command draws of saved results."""

    figure_formats: Annotated[
        list[str],
        typer.Option(
            "--figure-format", metavar="FORMAT", help="svg, png or pdf. May be repeated. (default: svg)"
        ),
    ] = field(default_factory=lambda: ["svg"])
    width: Width = None


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """The figures that a command draws for paper and slides."""

    figure_formats: Annotated[
        list[str],
        typer.Option(
            "--figure-format",
            metavar="FORMAT",
            help="Write figures as svg, png or pdf. May be repeated. (default: none; of a sweep, svg)",
        ),
    ] = field(default_factory=list)
    width: Width = None


Tolerance = Annotated[
    str | None,
    typer.Option(
        "--tolerance",
        metavar="SHARE",
        help='Largest difference from the baseline, as "2%". (default: 0)',
    ),
]


@dataclass(frozen=True, kw_only=True)
class Conditions:
    """The conditions under which a command ends with exit status 1."""

    fail_if: Annotated[
        list[str],
        typer.Option(
            "--fail-if",
            metavar="CONDITION",
            help='Exit status 1 if it holds, as "bbr3.fairness < 0.9". May be repeated.',
        ),
    ] = field(default_factory=list)
    baseline: Annotated[
        Path | None,
        typer.Option(
            "--baseline",
            metavar="DIR",
            help="Exit status 1 if a mean differs from that of this results folder.",
        ),
    ] = None
    tolerance: Tolerance = None


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """The options that `run` and `compare` share."""

    settings: Settings = field(default_factory=list)
    seeds: Annotated[int, typer.Option("--seeds", metavar="N", min=1, help="How many seeds to run.")] = 1
    seed: Annotated[
        int | None,
        typer.Option("--seed", metavar="S", min=0, help="The first seed. (default: the scenario's)"),
    ] = None
    duration: Annotated[
        str | None,
        typer.Option(
            "--duration", metavar="TIME", help='Simulated time, as "20 s". (default: the scenario\'s)'
        ),
    ] = None
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            help="Where to put the results. (default: results/<name>-run, or -compare)",
        ),
    ] = None
    no_report: NoReport = False
    drawing: Drawing
    open_report: Annotated[
        bool, typer.Option("--open", metavar="", help="Open the report in the browser.")
    ] = False
    conditions: Conditions
    links: Annotated[
        list[str],
        typer.Option("--link", metavar="NAME", help='Show this link too, as "left->right". May be repeated.'),
    ] = field(default_factory=list)
    workers: Workers = None
    trust: Trust = False
    json: Json = False

    def load(self, source: str, custom: Sequence[str] = ()) -> Scenario:
        """The scenario with the changed settings; `custom` names the Python classes among the algorithms.

        Raises ScenarioError and InputError.
        """
        from ackclock.scenarios.load import load_scenario  # noqa: PLC0415 - help appears at once

        settings = settings_of(self.settings, self.duration)
        return load_scenario(source, settings, custom=custom, trust=self.trust)


def settings_of(pairs: list[str], duration: str | None = None) -> dict[str, object]:
    """The values of `--set` and `--duration` by their paths. Raises InputError."""
    settings: dict[str, object] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            raise InputError(f'--set {pair}: a key and a value are needed, as in --set "tcp.mss=1000 bytes"')
        settings[key.strip()] = value.strip()
    if duration is not None:
        settings["duration"] = duration
    return settings
