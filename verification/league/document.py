"""The published documents of the league: a row for each contender, and the settings that all rows share.

`settings.json` holds the names of the settings of each criterion and of the classes. `<contender>.json` holds
a line for each criterion, with a cell for each of its settings: the class as its place in the list of
classes, how many times the standards' cost, and the value of each measure. The worst setting is stored by
its place. `read` joins the two.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ackclock import provenance
from ackclock.evaluation.criteria import CRITERIA
from ackclock.evaluation.criterion import Cell, Measure
from ackclock.evaluation.evaluate import Evaluation, Judged
from ackclock.evaluation.sentences import compared, mean_of, worst_cell
from ackclock.evaluation.verdict import CLASSES, Compared
from ackclock.measures.statistics import Interval
from verification.league.contenders import Contender
from verification.sources import source_trees

__all__ = ["SCHEMA", "SETTINGS", "as_document", "keys_in", "read", "settings", "shortened", "table", "write"]

SCHEMA = "ackclock-league/3"
SETTINGS = "settings.json"
"""The file of the settings that all rows share."""

DIGITS = 4
"""The most significant digits of published means; the means of `ackclock evaluate` have all digits."""
DIGITS_OF_WORST = 6
"""The significant digits of the values of the worst setting, which a sentence shows."""
DIGITS_OF_HALF_WIDTHS = 2
"""The significant digits of half-widths. Their means end at the same decimal place."""
DIGITS_OF_TIMES = 3
"""The significant digits of costs, and of the factors between them and the ends of their intervals."""

NOTHING = 1e-9
"""The share of a mean below which a half-width is none."""

Row = Mapping[str, Any]


def as_document(contender: Contender, evaluation: Evaluation) -> dict[str, object]:
    """The row of a contender, in base units, with its values alone: each standard has its own row."""
    commit = provenance.git_commit()
    return {
        "schema": SCHEMA,
        "kind": contender.entry.kind,
        "name": contender.entry.name,
        "title": contender.entry.title,
        "algorithm": evaluation.label,
        "quick": evaluation.quick,
        "seeds": list(evaluation.seeds),
        "version": provenance.version(),
        "commit": None if commit is None or commit.endswith("+changes") else commit,
        "sources": source_trees(),
        "command": provenance.command_line(),
        "left_out": dict(contender.left_out),
        "criteria": [_criterion(judged, evaluation.label) for judged in evaluation.judged],
    }


def settings(*, quick: bool) -> dict[str, object]:
    """The settings that all rows of a kind share: the classes, and the names of the settings by criterion."""
    names = {criterion.key: [cell.name for cell in criterion.cells(quick)] for criterion in CRITERIA}
    return {"classes": list(CLASSES), "settings": names}


def _criterion(judged: Judged, label: str) -> dict[str, object]:
    return {
        "key": judged.criterion.key,
        "class": judged.whole.verdict,
        "times_worse": _times(judged.whole.times_worse),
        "worst": _worst(judged, label),
        "cells": [
            _cell(judged, cell, compared, label)
            for cell, compared in zip(judged.cells, judged.by_cell, strict=True)
        ],
    }


def _worst(judged: Judged, label: str) -> list[object] | None:
    """The places of the worst setting and of its measure, the standard, and both values.

    None for the standard itself.
    """
    cell, measure, standard = worst_cell(judged, label)
    if standard == label:
        return None
    values = [mean_of(judged, cell, name, measure).estimate for name in (label, standard)]
    rounded = [_rounded(value, DIGITS_OF_WORST) if math.isfinite(value) else None for value in values]
    return [judged.cells.index(cell), judged.criterion.measures.index(measure), standard, *rounded]


def _cell(judged: Judged, cell: Cell, compared: Compared, label: str) -> list[object]:
    values = [_value(judged, cell, label, measure) for measure in judged.criterion.measures]
    return [CLASSES.index(compared.verdict), _times(compared.times_worse), *values]


def _value(judged: Judged, cell: Cell, label: str, measure: Measure) -> object:
    found = mean_of(judged, cell, label, measure)
    return shortened(found.estimate, found.high - found.estimate)


def shortened(mean: float, half: float) -> object:
    """A mean with the half-width of its interval, by the digits that mean something.

    The mean alone if the interval has no width; None for a half-width without ends, and for no mean.
    """
    if not math.isfinite(mean):
        return None
    if not math.isfinite(half):
        return [_rounded(mean, DIGITS), None]
    # The width of what is constant is a remainder of floating-point sums.
    if half <= NOTHING * abs(mean):
        return _rounded(mean, DIGITS)
    half = _rounded(half, DIGITS_OF_HALF_WIDTHS)
    places = DIGITS_OF_HALF_WIDTHS - 1 - math.floor(math.log10(half))
    return [_rounded(round(mean, places), DIGITS), half]


def _times(interval: Interval) -> object:
    """A geometric mean, and the factor between it and the ends of its interval."""
    factor = interval.high / interval.estimate if interval.low > 0 else math.inf
    if not math.isfinite(interval.estimate):
        return None
    rounded = _rounded(interval.estimate, DIGITS_OF_TIMES)
    second = _rounded(factor, DIGITS_OF_TIMES) if math.isfinite(factor) else None
    return rounded if second == 1 else [rounded, second]


def _rounded(value: float, digits: int) -> float:
    rounded = float(f"{value:.{digits}g}")
    return int(rounded) if rounded.is_integer() else rounded


def write(folder: Path, key: str, document: Row, *, quick: bool) -> None:
    """Writes a row, with a line for each criterion, and the settings."""
    folder.mkdir(parents=True, exist_ok=True)
    rest = {name: value for name, value in document.items() if name != "criteria"}
    head = ",\n".join(f"  {json.dumps(name)}: {json.dumps(value)}" for name, value in rest.items())
    lines = ",\n".join(f"    {_line(each)}" for each in document["criteria"])
    text = f'{{\n{head},\n  "criteria": [\n{lines}\n  ]\n}}\n'
    (folder / f"{key}.json").write_text(text, encoding="utf-8")
    alike = json.dumps(settings(quick=quick), indent=1, ensure_ascii=False)
    (folder / SETTINGS).write_text(f"{alike}\n", encoding="utf-8")


def _line(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


CAME_LATER = "this criterion came after the row was evaluated"
"""The reason for a criterion that a published row does not have."""


def keys_in(folder: Path) -> list[str]:
    """The contenders that have a row in a folder, in order."""
    return sorted(file.stem for file in folder.glob("*.json") if file.name != SETTINGS)


def read(folder: Path, key: str) -> dict[str, Any]:
    """A row with the names of classes, settings and measures; intervals as (mean, low, high).

    A missing value, or missing ends, are None. A criterion that came after the row is among those left out.
    Raises LookupError for a missing row, ValueError if a criterion has other settings than `settings.json`.
    """
    file = folder / f"{key}.json"
    if not file.is_file():
        raise LookupError(f"no {file}: run `make evidence ALGORITHM={key.rpartition('-')[2]}`")
    row: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    alike = json.loads((folder / SETTINGS).read_text(encoding="utf-8"))
    known = {criterion.key: criterion.measures for criterion in CRITERIA}
    measures = {key: [measure.key for measure in found] for key, found in known.items()}
    for each in row["criteria"]:
        name = each["key"]
        each["outcome"] = _outcome(each.pop("worst"), alike["settings"][name], known[name])
        each["times_worse"] = _times_read(each["times_worse"])
        each["cells"] = list(_cells(each["cells"], alike["settings"][name], alike["classes"], measures[name]))
    evaluated = {each["key"] for each in row["criteria"]}
    row["left_out"] = {key: CAME_LATER for key in measures if key not in evaluated} | row["left_out"]
    return row


def _outcome(worst: list[Any] | None, settings: list[str], measures: Sequence[Measure]) -> str:
    """The worst setting in a sentence; empty for the standard itself."""
    if worst is None:
        return ""
    place, measure, standard, *values = worst
    own, other = (math.nan if value is None else value for value in values)
    return compared(settings[place], measures[measure], standard, own, other)


def _cells(
    cells: Iterable[list[Any]], names: Iterable[str], classes: list[str], measures: list[str]
) -> Iterable[dict[str, Any]]:
    for name, (place, times, *values) in zip(names, cells, strict=True):
        yield {
            "name": name,
            "class": classes[place],
            "times_worse": _times_read(times),
            "values": dict(zip(measures, map(_value_read, values), strict=True)),
        }


def _value_read(stored: Any) -> list[float | None]:
    mean, half = stored if isinstance(stored, list) else (stored, 0.0)
    if mean is None or half is None:
        return [mean, None, None]
    return [mean, mean - half, mean + half]


def _times_read(stored: Any) -> list[float | None]:
    mean, factor = stored if isinstance(stored, list) else (stored, 1.0)
    if mean is None or factor is None:
        return [mean, None, None]
    return [mean, mean / factor, mean * factor]


def table(folder: Path) -> list[list[str]]:
    """How many times the standards' cost: a line for each row, a column for each criterion."""
    keys = [criterion.key for criterion in CRITERIA]
    rows = [["kind", "name", "algorithm", *keys]]
    for contender in keys_in(folder):
        found = read(folder, contender)
        times = {each["key"]: f"{each['times_worse'][0]:.2f}" for each in found["criteria"]}
        rows.append([found["kind"], found["name"], found["algorithm"], *(times.get(key, "") for key in keys)])
    return rows
