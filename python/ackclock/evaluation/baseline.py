"""An evaluation against an earlier one: what has become worse, for continuous integration."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ackclock.errors import InputError, unreadable
from ackclock.evaluation.criterion import Criterion
from ackclock.evaluation.sentences import shown
from ackclock.evaluation.verdict import cost
from ackclock.results_folder import read_file

__all__ = ["read_baseline", "regressions"]

FILE = "evaluation.json"

ALIKE = ("suite", "stack", "quick", "seeds")
"""The settings that two evaluations share if their numbers can be compared."""

Document = Mapping[str, Any]


def read_baseline(place: Path, *, trust: bool = False) -> Document:
    """The document of an earlier evaluation: of its folder, or a file with what `--json` printed.

    Raises InputError.
    """
    try:
        data = _read(place, trust=trust)
    except OSError as error:
        raise unreadable(place, error) from None
    try:
        document = json.loads(data)
        if "algorithm" in document and _parts(document):
            return dict(document)
    except (ValueError, TypeError, AttributeError, RecursionError):
        pass
    raise InputError(f"{place}: this is no evaluation; expected a folder of ackclock evaluate, or its JSON")


def _read(place: Path, *, trust: bool) -> bytes:
    if place.is_dir():
        return read_file(place, FILE, trust=trust) if (place / FILE).is_file() else b""
    return place.read_bytes()


def regressions(
    now: Document, before: Document, criteria: Sequence[Criterion], classes: Sequence[str], tolerance: float
) -> list[str]:
    """A line for each class that is worse than before, and for each mean worse by more than `tolerance`.

    The floor of a measure is added to both, as for its cost. Criteria that one of the two leaves out are not
    compared. Raises InputError for evaluations that cannot be compared.
    """
    for key in ALIKE:
        if now.get(key) != before.get(key):
            found, expected = (json.dumps(each.get(key)) for each in (before, now))
            raise InputError(f"--baseline: found {key} {found}; expected {expected}, as here")
    known = {criterion.key: criterion for criterion in criteria}
    earlier = {part["key"]: part for part in _parts(before)}
    both = [part for part in _parts(now) if part["key"] in earlier]
    if not both:
        raise InputError("--baseline: it has no criterion of this evaluation")
    try:
        return [
            line
            for part in both
            for line in _of_part(
                part, earlier[part["key"]], known[part["key"]], classes, tolerance,
                (now["algorithm"], before["algorithm"]),
            )
        ]  # fmt: skip
    except (LookupError, TypeError, AttributeError, ValueError):
        raise InputError("--baseline: it is of another version of Ackclock; evaluate it again") from None


def _parts(document: Document) -> list[Document]:
    return list(document.get("criteria") or document.get("cases") or [])


def _class(part: Document) -> str:
    return str(part.get("class") or part["verdict"])


def _of_part(
    now: Document, before: Document, criterion: Criterion, classes: Sequence[str], tolerance: float,
    labels: tuple[str, str],
) -> Iterator[str]:  # fmt: skip
    key = criterion.key
    if classes.index(_class(now)) > classes.index(_class(before)):
        yield f"{key}: {_class(now)}, was {_class(before)}"
    earlier = {cell["name"]: cell for cell in before["cells"]}
    for cell in now["cells"]:
        if cell["name"] not in earlier:
            continue
        for measure in criterion.measures:
            found = (cell["measures"], earlier[cell["name"]]["measures"])
            if any(measure.key not in each for each in found):
                continue
            new, old = (each[measure.key][label]["mean"] for each, label in zip(found, labels, strict=True))
            worse = cost(measure, new, old)
            if worse > math.log1p(tolerance) + 1e-12:
                # Two digits more, since values that differ by a percent may look equal, or twice as large.
                values = f"{measure.title} {shown(measure, new, 2)}, was {shown(measure, old, 2)}"
                yield f"{key}, {cell['name']}: {values} ({math.expm1(worse):.1%} worse)"
