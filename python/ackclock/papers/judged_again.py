"""Judges the measurements of a results folder by the claims as they stand now, without a simulation."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock.errors import InputError
from ackclock.papers.context import Figure
from ackclock.papers.judge import ClaimVerdict, judge
from ackclock.papers.measurements import read_measured
from ackclock.papers.paper import Paper
from ackclock.papers.reproduction import Reproduction

if TYPE_CHECKING:
    import polars as pl

__all__ = ["caption", "judged_again"]


def judged_again(paper: Paper, folder: str | Path) -> Reproduction:
    """The reproduction that a results folder holds, judged by the present claims.

    Rules, classes and causes come from the present claims.toml; measurements, notes, figures and tables come
    from the folder. A claim that was not measured then is undecided. Raises InputError.
    """
    place = Path(folder)
    document = _document(paper, place / "claims.json")
    known = {claim["id"]: claim.get("measurement") for claim in document["claims"]}
    return Reproduction(
        paper=paper,
        quick=bool(document["quick"]),
        verdicts=tuple(_verdict(paper, claim.id, known) for claim in paper.claims),
        notes=tuple(document["notes"]),
        figures=tuple(_figure(path) for path in sorted((place / "figures").glob("*.svg"))),
        tables=_tables(place / "tables"),
        wall_s=0.0,
        measured_by=document["measured_by"],
        parts=tuple(document.get("parts", ())),
    )


def _document(paper: Paper, file: Path) -> Mapping[str, Any]:
    if not file.is_file():
        raise InputError(
            f"{file}: there is no such file; name a results folder of ackclock reproduce {paper.key}"
        )
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
        found = document["paper"]["key"]
    except (ValueError, KeyError, TypeError):
        raise InputError(f"{file}: this is no claims.json of ackclock reproduce") from None
    if found != paper.key:
        raise InputError(f"{file}: these are measurements for {found}, not for {paper.key}")
    if "measured_by" not in document:
        raise InputError(
            f"{file}: this run did not keep its measurements; run ackclock reproduce {paper.key}"
        )
    return dict(document)


def _verdict(paper: Paper, name: str, known: Mapping[str, Any]) -> ClaimVerdict:
    claim = next(claim for claim in paper.claims if claim.id == name)
    measurement = known.get(name)
    try:
        return judge(claim, read_measured(measurement) if measurement else None)
    except TypeError:  # the claim is of another kind now
        return judge(claim, None)


def _figure(path: Path) -> Figure:
    picture = path.with_suffix(".png")
    svg = path.read_bytes()
    return Figure(path.stem, caption(svg.decode()), svg, picture.read_bytes() if picture.is_file() else b"")


def caption(svg: str) -> str:
    """The caption that `Context.figure` wrote into a figure, without the version and command after it."""
    found = re.search(r"<dc:description>(.*?) ackclock \S+; command: ", svg, re.DOTALL)
    return html.unescape(found[1]) if found else ""


def _tables(folder: Path) -> dict[str, pl.DataFrame]:
    import polars as pl  # noqa: PLC0415 - most folders have none

    return {path.stem: pl.read_parquet(path) for path in sorted(folder.glob("*.parquet"))}
