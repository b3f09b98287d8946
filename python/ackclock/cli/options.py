"""The options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ackclock.errors import InputError

__all__ = [
    "Baseline",
    "Cluster",
    "Duration",
    "FailIf",
    "FigureFormats",
    "Json",
    "Links",
    "NoReport",
    "Open",
    "Output",
    "Seed",
    "Seeds",
    "SeedsIfAny",
    "Settings",
    "Tolerance",
    "Width",
    "Workers",
    "settings_of",
]

Json = Annotated[bool, typer.Option("--json", metavar="", help="Print one JSON document instead of tables.")]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="KEY=VALUE", help='Change a value, as "tcp.mss=1000 bytes". May be repeated.'
    ),
]
Seeds = Annotated[int, typer.Option("--seeds", metavar="N", min=1, help="How many seeds to run.")]
Seed = Annotated[
    int | None, typer.Option("--seed", metavar="S", min=0, help="The first seed. (default: the scenario's)")
]
SeedsIfAny = Annotated[
    int | None, typer.Option("--seeds", metavar="N", min=1, help="How many seeds. (default: 10, quick 3)")
]
Duration = Annotated[
    str | None,
    typer.Option("--duration", metavar="TIME", help='Simulated time, as "20 s". (default: the scenario\'s)'),
]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="DIR", help="Where to put the results. (default: results/<name>)"),
]
NoReport = Annotated[
    bool,
    typer.Option(
        "--no-report", metavar="", help="Write tables only: no report, no figures, no time series for them."
    ),
]
FigureFormats = Annotated[
    list[str] | None,
    typer.Option(
        "--figure-format",
        metavar="FORMAT",
        help="Write figures as svg, png or pdf. May be repeated. (default: none; of a sweep, svg)",
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
Open = Annotated[bool, typer.Option("--open", metavar="", help="Open the report in the browser.")]
FailIf = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-if",
        metavar="CONDITION",
        help='Exit status 1 if it holds, as "bbr3.fairness < 0.9". May be repeated.',
    ),
]
Baseline = Annotated[
    Path | None,
    typer.Option(
        "--baseline", metavar="DIR", help="Exit status 1 if a mean differs from that of this results folder."
    ),
]
Tolerance = Annotated[
    str | None,
    typer.Option(
        "--tolerance", metavar="SHARE", help='Largest difference from the baseline, as "2%". (default: 0)'
    ),
]
Links = Annotated[
    list[str] | None,
    typer.Option("--link", metavar="NAME", help='Show this link too, as "left->right". May be repeated.'),
]
Cluster = Annotated[
    str | None,
    typer.Option("--cluster", metavar="ADDRESS", help="Run on the workers of this Dask scheduler."),
]
Workers = Annotated[
    int | None,
    typer.Option("--workers", metavar="N", min=1, help="Runs side by side. (default: as many as processors)"),
]


def settings_of(pairs: list[str], duration: str | None) -> dict[str, object]:
    """The values of `--set` and `--duration` by their paths. Raises InputError."""
    settings: dict[str, object] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            raise InputError(f'--set {pair}: a key and a value are needed, as in --set "tcp.mss=1000 bytes"')
        settings[key.strip()] = value.strip()
    if duration is not None:
        bare = duration.replace(".", "", 1).isdigit()
        settings["duration"] = f"{duration} s" if bare else duration
    return settings
