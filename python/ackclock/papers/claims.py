"""Claims of a paper, read from `claims.toml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from ackclock.errors import InputError

__all__ = ["Claim", "read_claim", "read_table"]


@dataclass(frozen=True)
class Claim:
    """One statement of a paper, and the rule that decides it."""

    id: str
    place: str
    """The place in the paper, e.g. "V, figure 5"."""
    statement: str
    kind: Literal["value", "range", "order", "predicate"]
    expected: float | tuple[float, float] | tuple[str, ...] | str
    """A number; bounds; names from highest to lowest; or the predicate in words."""
    why: str
    """The reason for the tolerance."""
    unit: str = ""
    tolerance: float = 0.0
    """For a value: the largest distance allowed, in `unit`. For an order: the least difference."""
    at_least: float = 1.0
    """For a predicate: the least share of trials in which it must hold."""
    or_in_spread: bool = False
    """For a value: true if it suffices that the expected number is in the range of `Values.spread`."""
    decimals: int | None = None
    """For a value: the decimals that the paper prints, to which measurements are rounded when compared."""

    @property
    def expectation(self) -> str:
        """The expectation in words."""
        unit = f" {self.unit}" if self.unit else ""
        if self.kind == "value":
            other = ", or in the range of the varied runs" if self.or_in_spread else ""
            digits = f" at {self.decimals} decimals" if self.decimals is not None else ""
            return f"{self.expected:g} ± {self.tolerance:g}{unit}{digits}{other}"
        if isinstance(self.expected, str):
            share = f" (in {self.at_least:.0%} of the trials or more)" if self.at_least < 1 else ""
            return self.expected + share
        if self.kind == "range":
            low, high = cast("tuple[float, float]", self.expected)
            return f"{low:g} to {high:g}{unit}"
        margin = f", each by more than {self.tolerance:g}{unit}" if self.tolerance else ""
        return " > ".join(cast("tuple[str, ...]", self.expected)) + margin


_KEYS = {
    "id", "place", "statement", "kind", "expected", "why", "unit",
    "tolerance", "relative_tolerance", "at_least", "or_in_spread", "decimals",
}  # fmt: skip
_TABLE_KEYS = {
    "id", "place", "statement", "columns", "rows", "why", "unit", "tolerance", "spread", "decimals",
}  # fmt: skip


def read_claim(row: Mapping[str, object], where: str) -> Claim:
    """The claim in a table of claims.toml. Raises InputError."""
    name = f"{where}: claim {row.get('id', '?')}"
    for key in sorted(set(row) - _KEYS):
        raise InputError(f"{name}: unknown key {key} (there are: {', '.join(sorted(_KEYS))})")
    for key in ("id", "place", "statement", "kind", "expected", "why"):
        if key not in row:
            raise InputError(f"{name}: {key} is missing")
    kind = row["kind"]
    if kind not in ("value", "range", "order", "predicate"):
        raise InputError(f"{name}: kind is {kind!r}; it must be value, range, order or predicate")
    expected = _expected(kind, row["expected"], name)
    tolerance = _number(row.get("tolerance", 0), f"{name}: tolerance")
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
        unit=str(row.get("unit", "")),
        tolerance=tolerance,
        at_least=_number(row.get("at_least", 1.0), f"{name}: at_least"),
        or_in_spread=row.get("or_in_spread") is True,
        decimals=_decimals(row.get("decimals"), f"{name}: decimals"),
    )


def read_table(table: Mapping[str, Any], where: str) -> list[Claim]:
    """The claims of a published table, one value for each cell, row by row. Raises InputError.

    `columns` maps a key to a title, `rows` are tables of `id`, `title` and the row's `values`; the id of a
    cell's claim is `<table>-<row>-<column>`. `spread` names the cells, `<row>-<column>`, for which
    `or_in_spread` holds.
    """
    name = f"{where}: table {table.get('id', '?')}"
    for key in sorted(set(table) - _TABLE_KEYS):
        raise InputError(f"{name}: unknown key {key} (there are: {', '.join(sorted(_TABLE_KEYS))})")
    for key in sorted({"id", "place", "statement", "columns", "rows", "why"} - set(table)):
        raise InputError(f"{name}: {key} is missing")
    columns: Mapping[str, str] = table["columns"]
    claims = []
    spread = set(table.get("spread", ()))
    for row in table["rows"]:
        if len(row.get("values", ())) != len(columns):
            raise InputError(f"{name}: row {row.get('id', '?')} must have {len(columns)} values")
        for (column, title), value in zip(columns.items(), row["values"], strict=True):
            cell = f"{row['id']}-{column}"
            claim = {
                "id": f"{table['id']}-{cell}",
                "place": table["place"],
                "statement": f"{row['title']}, {title}: {table['statement']} {value}.",
                "kind": "value",
                "expected": value,
                "why": table["why"],
                "unit": table.get("unit", ""),
                "tolerance": table.get("tolerance", 0),
                "or_in_spread": cell in spread,
                "decimals": table.get("decimals"),
            }
            claims.append(read_claim(claim, where))
            spread.discard(cell)
    if spread:
        raise InputError(f"{name}: spread names {', '.join(sorted(spread))}, which it does not have")
    return claims


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
        raise InputError(f"{name}: expected is {value!r}; a {kind} needs a list of two or more")
    if kind == "order":
        return tuple(str(item) for item in value)
    if len(value) > 2:
        raise InputError(f"{name}: expected is {value!r}; a range has two bounds")
    return (_number(value[0], f"{name}: expected"), _number(value[1], f"{name}: expected"))
