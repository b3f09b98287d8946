"""Claims of a paper, read from `claims.toml`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from ackclock.errors import InputError, advice, unknown
from ackclock.papers.classes import CAUSES, Cause, CauseClass, ClaimClass

__all__ = ["Claim", "read_claims", "read_table"]

Kind = Literal["value", "range", "each", "order", "predicate"]
KINDS = ("value", "range", "each", "order", "predicate")
SCALES = ("linear", "log")
SCALED = ("range", "each")
"""The kinds whose mean may be a geometric one."""


@dataclass(frozen=True)
class Claim:
    """One rule that decides on a statement of a paper, or on a part or a reading of it."""

    id: str
    place: str
    """The place in the paper, e.g. "V, figure 5"."""
    statement: str
    kind: Kind
    expected: float | tuple[float, float] | tuple[str, ...] | str
    """A number; bounds; names from highest to lowest; or the predicate in words."""
    why: str
    """The reason for the tolerance."""
    claim_class: ClaimClass
    """The relation to the paper: only those of the class `PAPER` count."""
    statement_id: str = ""
    """The statement that the claim is a part of: claims of one statement count once."""
    rule_id: str = ""
    """The claim's id in claims.toml; `id` names one way or definition of it."""
    definition: str = ""
    """The definition of a word of the statement by which it is judged, in words."""
    way: str = ""
    """The setting under which it is judged, in words."""
    is_chosen: bool = False
    """True if its way is the one that was chosen among those of its statement: that one decides."""
    cause: Cause | None = None
    """The reason for which it is not reproduced, if it is not."""
    unit: str = ""
    tolerance: float = 0.0
    """For a value: the largest distance allowed, in `unit`. For an order: the least difference."""
    at_least: float = 1.0
    """For a predicate: the least share of trials in which it must hold."""
    is_log: bool = False
    """For bounds: the mean is a geometric one, with an interval on logarithms, for ratios."""
    weak: str = ""
    """The reason for which it can hardly fail; empty for most."""
    decimals: int | None = None
    """For a value: the decimals that the paper prints. Measurements are rounded to them for the
    comparison."""

    @property
    def case(self) -> str:
        """The definition and the way, in words."""
        return ", ".join(words for words in (self.definition, self.way) if words)

    @property
    def expectation(self) -> str:
        """The expectation in words."""
        unit = f" {self.unit}" if self.unit else ""
        if self.kind == "value":
            digits = f" at {self.decimals} decimals" if self.decimals is not None else ""
            return f"{self.expected:g} ± {self.tolerance:g}{unit}{digits}"
        if isinstance(self.expected, str):
            share = f" (in {self.at_least:.0%} of the trials or more)" if self.at_least < 1 else ""
            return self.expected + share
        if self.kind in ("range", "each"):
            low, high = cast("tuple[float, float]", self.expected)
            where = " at every load" if self.kind == "each" else ""
            return _between(low, high) + unit + where + (", geometric mean" if self.is_log else "")
        margin = f", each by more than {self.tolerance:g}{unit}" if self.tolerance else ""
        return " > ".join(cast("tuple[str, ...]", self.expected)) + margin


_KEYS = {
    "id", "place", "statement", "kind", "expected", "why", "unit", "class", "part_of", "ways", "definitions",
    "cause", "evidence", "tolerance", "relative_tolerance", "at_least", "decimals", "scale", "weak",
}  # fmt: skip
_TABLE_KEYS = {
    "id", "place", "statement", "columns", "rows", "why", "unit", "class", "classes", "causes", "tolerance",
    "decimals", "weak",
}  # fmt: skip
_NEEDED = ("id", "place", "statement", "class", "kind", "expected", "why")


def read_claims(row: Mapping[str, Any], ways: Mapping[str, str], where: str, chosen: str = "") -> list[Claim]:
    """The claim in a table of claims.toml, once for each of its definitions and ways. Raises InputError.

    `chosen` is the key of the way that decides.
    """
    claim = _read_claim(row, where)
    name = f"{where}: claim {claim.id}"
    for key in ("ways", "definitions"):
        if key in row and len(row[key]) < 2:
            raise InputError(f"{name}: {key} needs two or more")
    if strangers := [way for way in row.get("ways", ()) if way not in ways]:
        raise InputError(f"{name}: ways has {strangers[0]}, which is not in [ways]: {', '.join(ways)}")
    claims = [claim]
    if "definitions" in row:
        found = row["definitions"].items()
        claims = [replace(claim, id=f"{claim.id}-{key}", definition=words) for key, words in found]
    if "ways" in row:
        claims = [
            replace(one, id=f"{one.id}-{way}", way=ways[way], is_chosen=way == chosen)
            for one in claims
            for way in row["ways"]
        ]
    return [_with_its_case(one) if one.case else one for one in claims]


def _with_its_case(claim: Claim) -> Claim:
    return replace(claim, statement=f"{claim.statement.removesuffix('.')} ({claim.case}).")


def _read_claim(row: Mapping[str, Any], where: str) -> Claim:
    name = f"{where}: claim {row.get('id', '?')}"
    for key in sorted(set(row) - _KEYS):
        raise InputError(f"{name}: unknown key {key}{advice(key, sorted(_KEYS))}")
    for key in _NEEDED:
        if key not in row or not str(row[key]).strip():
            raise InputError(f"{name}: {key} is missing{_HELP.get(key, '')}")
    kind = row["kind"]
    if kind not in KINDS:
        raise InputError(f"{name}: kind is {kind!r}; it must be {', '.join(KINDS[:-1])} or {KINDS[-1]}")
    expected = _expected(kind, row["expected"], name)
    tolerance = _number(row.get("tolerance", 0), f"{name}: tolerance")
    scale = row.get("scale", "linear")
    if scale not in SCALES or ("scale" in row and kind not in SCALED):
        found = f"{name}: scale is {scale!r}, with kind {kind}"
        raise InputError(f"{found}; it may be {' or '.join(SCALES)}, with kind {' or '.join(SCALED)}")
    if "relative_tolerance" in row:
        if not isinstance(expected, float):
            raise InputError(f"{name}: relative_tolerance needs an expected number")
        tolerance = _number(row["relative_tolerance"], f"{name}: relative_tolerance") * abs(expected)
    return Claim(
        id=str(row["id"]),
        place=str(row["place"]),
        statement=" ".join(str(row["statement"]).split()),
        kind=kind,
        expected=expected,
        why=" ".join(str(row["why"]).split()),
        claim_class=_class(row["class"], name),
        statement_id=str(row.get("part_of", row["id"])),
        rule_id=str(row["id"]),
        cause=_cause(row, name),
        unit=str(row.get("unit", "")),
        tolerance=tolerance,
        at_least=_number(row.get("at_least", 1.0), f"{name}: at_least"),
        is_log=scale == "log",
        decimals=_decimals(row.get("decimals"), f"{name}: decimals"),
        weak=" ".join(str(row.get("weak", "")).split()),
    )


_HELP = {
    "class": f" (one of: {', '.join(ClaimClass)}); only claims of the class paper count",
    "statement": ": the sentence of the paper that is judged",
}


def read_table(table: Mapping[str, Any], where: str) -> list[Claim]:
    """The claims of a published table, one value for each cell, row by row. Raises InputError.

    `columns` maps a key to a title, `rows` are tables of `id`, `title` and the row's `values`; the id of a
    cell's claim is `<table>-<row>-<column>`. `classes` names the cells, `<row>-<column>`, of other classes
    than the table's, and each entry of `causes` has `cells` with their `cause` and `evidence`. `weak` says by
    value, as text, why such cells can hardly fail.
    """
    name = f"{where}: table {table.get('id', '?')}"
    for key in sorted(set(table) - _TABLE_KEYS):
        raise InputError(f"{name}: unknown key {key}{advice(key, sorted(_TABLE_KEYS))}")
    for key in ("id", "place", "statement", "class", "columns", "rows", "why"):
        if key not in table:
            raise InputError(f"{name}: {key} is missing{_HELP.get(key, '')}")
    columns: Mapping[str, str] = table["columns"]
    classes = {cell: kind for kind, cells in table.get("classes", {}).items() for cell in cells}
    weak: Mapping[str, str] = table.get("weak", {})
    causes = {cell: entry for entry in table.get("causes", ()) for cell in entry["cells"]}
    claims = []
    for row in table["rows"]:
        if len(row.get("values", ())) != len(columns):
            raise InputError(f"{name}: row {row.get('id', '?')} must have {len(columns)} values")
        for (column, title), value in zip(columns.items(), row["values"], strict=True):
            cell = f"{row['id']}-{column}"
            claim = {
                "id": f"{table['id']}-{cell}",
                "place": table["place"],
                "statement": f"{row['title']}, {title}: {table['statement']} {value}.",
                "class": classes.pop(cell, table["class"]),
                "kind": "value",
                "expected": value,
                "why": table["why"],
                "unit": table.get("unit", ""),
                "tolerance": table.get("tolerance", 0),
                "decimals": table.get("decimals"),
                "weak": weak.get(str(float(value)), ""),
            }
            if cause := causes.pop(cell, None):
                claim |= {key: cause[key] for key in ("cause", "evidence") if key in cause}
            claims.append(_read_claim(claim, where))
    _no_strangers("classes", classes, name)
    _no_strangers("causes", causes, name)
    return claims


def _no_strangers(key: str, cells: Iterable[str], name: str) -> None:
    if left := sorted(cells):
        raise InputError(f"{name}: {key} names {', '.join(left)}, which it does not have")


def _class(value: object, name: str) -> ClaimClass:
    if value not in tuple(ClaimClass):
        raise _wrong(name, "class", value, ClaimClass)
    return ClaimClass(str(value))


def _cause(row: Mapping[str, Any], name: str) -> Cause | None:
    if "cause" not in row and "evidence" not in row:
        return None
    kind, evidence = row.get("cause"), " ".join(str(row.get("evidence", "")).split())
    if kind not in CAUSES:
        raise _wrong(name, "cause", kind, CAUSES)
    if not evidence:
        raise InputError(f"{name}: evidence is missing; a cause needs it, in words, with numbers or a link")
    return Cause(CauseClass(kind), evidence)


def _wrong(name: str, key: str, value: object, known: Iterable[str]) -> InputError:
    if value is None:
        return InputError(f"{name}: {key} is missing (one of: {', '.join(known)})")
    return InputError(f"{name}: {unknown(key, str(value), known)}")


def _between(low: float, high: float) -> str:
    if high == float("inf"):
        return f"at least {low:g}"
    return f"at most {high:g}" if low == -float("inf") else f"{low:g} to {high:g}"


def _number(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"{name} is {value!r}; it must be a number")
    return float(value)


def _decimals(value: object, name: str) -> int | None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
        raise InputError(f"{name} is {value!r}; it must be a whole number, 0 or more")
    return value


def _expected(kind: object, value: object, name: str) -> float | tuple[float, float] | tuple[str, ...] | str:
    if kind == "value":
        return _number(value, f"{name}: expected")
    if kind == "predicate":
        return str(value)
    if not isinstance(value, list) or len(value) < 2:
        raise InputError(f"{name}: expected is {value!r}; kind {kind} needs a list of two or more")
    if kind == "order":
        return tuple(str(item) for item in value)
    if len(value) > 2:
        raise InputError(f"{name}: expected is {value!r}; kind {kind} has two bounds")
    return (_number(value[0], f"{name}: expected"), _number(value[1], f"{name}: expected"))
