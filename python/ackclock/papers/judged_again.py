"""Judges the measurements of a results folder by the claims as they stand now, without a simulation."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import polars as pl

from ackclock.errors import InputError
from ackclock.papers import searched
from ackclock.papers.context import Figure
from ackclock.papers.judge import ClaimVerdict, judge
from ackclock.papers.measurements import read_measured
from ackclock.papers.paper import Paper
from ackclock.papers.reproduction import Reproduction
from ackclock.results_folder import listed, read_file, read_table

__all__ = ["caption", "judged_again"]


def judged_again(paper: Paper, folder: str | Path, *, trust: bool = False) -> Reproduction:
    """The reproduction that a results folder holds, judged by the present claims.

    Rules, classes and causes come from the present claims.toml; measurements, notes, figures and tables come
    from the folder, whose files must be what was written, by their checksums, unless `trust`. A claim that
    was not measured then is undecided. Raises InputError.
    """
    place = Path(folder)
    file = place / "claims.json"
    try:
        return _judged(paper, place, _document(paper, file, trust=trust), trust=trust)
    except InputError:
        raise
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(
            f"{file}: this is no claims.json of ackclock reproduce: {type(error).__name__}: {error}"
        ) from None


def _judged(paper: Paper, place: Path, document: Mapping[str, Any], *, trust: bool) -> Reproduction:
    known = {claim["id"]: claim.get("measurement") for claim in document["claims"]}
    return Reproduction(
        paper=paper,
        quick=bool(document["quick"]),
        verdicts=tuple(_verdict(paper, claim.id, known) for claim in paper.claims),
        notes=tuple(document["notes"]),
        figures=tuple(_figure(place, name, trust=trust) for name in _names(place, "figures", "svg")),
        tables={name: read_table(place, name, trust=trust) for name in _names(place, "tables", "parquet")},
        wall_s=0.0,
        measured_by=document["measured_by"],
        parts=tuple(document.get("parts", ())),
        competitors=tuple(document.get("competitors", ())),
        answers={title: pl.DataFrame(rows) for title, rows in document.get("answers", {}).items()},
        searched=searched.read_all(place, paper.setting),
    )


def _names(place: Path, folder: str, ending: str) -> list[str]:
    """The files of a kind, without their endings: those that are there, and those that the list misses."""
    there = {path.relative_to(place).as_posix() for path in (place / folder).glob(f"*.{ending}")}
    found = sorted(PurePosixPath(name) for name in there | listed(place))
    return [name.stem for name in found if name.match(f"{folder}/*.{ending}")]


def _document(paper: Paper, file: Path, *, trust: bool) -> Mapping[str, Any]:
    if not file.is_file():
        raise InputError(
            f"{file}: there is no such file; name a results folder of ackclock reproduce {paper.key}"
        )
    try:
        document = json.loads(read_file(file.parent, file.name, trust=trust))
        found = document["paper"]["key"]
    except InputError:
        raise
    except (ValueError, KeyError, TypeError, RecursionError):
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


def _figure(place: Path, name: str, *, trust: bool) -> Figure:
    svg = read_file(place, f"figures/{name}.svg", trust=trust)
    picture = f"figures/{name}.png"
    has_png = (place / picture).is_file() or picture in listed(place)
    png = read_file(place, picture, trust=trust) if has_png else b""
    return Figure(name, caption(svg.decode()), svg, lambda: png)


def caption(svg: str) -> str:
    """The caption that `Context.figure` wrote into a figure, without the version and command after it."""
    found = re.search(r"<dc:description>(.*?) ackclock \S+; command: ", svg, re.DOTALL)
    return html.unescape(found[1]) if found else ""
