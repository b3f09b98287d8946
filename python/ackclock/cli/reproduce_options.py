"""The options of `ackclock reproduce`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["MeasuredBefore", "PaperOutput", "PaperSource", "Parts", "QuickCheck", "Strict"]

PaperSource = Annotated[
    str, typer.Argument(metavar="PAPER", help="A paper's key, a folder with claims.toml, or all.")
]
QuickCheck = Annotated[
    bool, typer.Option("--quick", metavar="", help="A shorter check, good enough to notice a change.")
]
Parts = Annotated[
    list[str] | None,
    typer.Option("--part", metavar="PART", help="Only this part of a paper that has parts. May be repeated."),
]
PaperOutput = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="DIR",
        help="Where to put it. (default: results/papers/<key>; for all, results/papers)",
    ),
]
MeasuredBefore = Annotated[
    Path | None,
    typer.Option(
        "--from",
        metavar="DIR",
        help="Judge the measurements in this results folder again, without a simulation.",
    ),
]
Strict = Annotated[
    bool,
    typer.Option("--strict", metavar="", help="Exit status 1 if a statement in the sum is not reproduced."),
]
