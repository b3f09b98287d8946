"""Plans of a sweep: one scenario, a grid of settings, algorithms and seeds.

A plan is a TOML file or a mapping with the same keys::

    name = "buffers"
    scenario = "two-megabit"             # a built-in name, a file next to the plan, or a table
    algorithms = ["sack", "mine.py:Mine"]  # names, classes in files; by default, those of the scenario
    seeds = 20                           # a number of them, from the scenario's own on, or a list

    [settings]                           # for every run
    duration = "60 s"

    [grid]                               # every combination of these
    topology.dumbbell.bottleneck.buffer = ["5 packets", "10 packets"]

    [cases.load]                         # a custom axis: settings that change together, by label
    light = { flow.0.count = 2 }
    heavy = { flow.0.count = 20 }

    [design]                             # a designed experiment instead of all points: see `design`
    kind = "fractional-factorial"
    resolution = 4

    responses = true                     # also the response vector of large networks

    [classes]                            # measure files by size, mice and elephants
    mice = 82                            # packets of the largest mouse; "aest": where the sizes' tail begins
"""

from __future__ import annotations

import itertools
import json
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

import polars as pl

from ackclock._native import Scenario
from ackclock.arguments import checked, checked_as
from ackclock.errors import MOST_LETTERS, InputError, ScenarioError, advice, plain_name, prefixed, unknown
from ackclock.report.shown import Shown
from ackclock.report.tables import Cell, View
from ackclock.report.text import counted
from ackclock.scenarios.algorithms import Factory
from ackclock.scenarios.load import read_text
from ackclock.scenarios.seeds import refuse_many, seed_numbers
from ackclock.sweeps import design as designs
from ackclock.sweeps import plan_files
from ackclock.sweeps.plan_names import Named
from ackclock.toml_reader import NotToml, read_toml

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Axis", "Plan", "Point", "load_plan"]

KEYS = (
    "name", "title", "description", "scenario", "algorithms", "seeds", "settings", "grid", "cases",
    "design", "ranges", "bottleneck", "keep", "responses", "classes",
)  # fmt: skip

COLUMNS = ("run", "point", "label", "seed")
"""The columns that the table of runs has of itself: no axis has such a name."""

Value = str | int | float | bool
Settings = Mapping[str, object]
T = TypeVar("T")


@dataclass(frozen=True)
class Axis:
    """An axis of the grid: a name, and the settings for each of its values."""

    name: str
    values: tuple[tuple[Value, Settings], ...]


@dataclass(frozen=True)
class Point:
    """One combination of the axes' values."""

    index: int
    values: Mapping[str, Value]
    """The values by the names of the axes."""
    scenario: Scenario
    """The scenario with the settings of all values."""


@dataclass(frozen=True, eq=False)
class Plan(Shown):
    """The runs of a sweep: every point, with every algorithm, over every seed."""

    name: str
    title: str
    description: str
    axes: tuple[Axis, ...]
    points: tuple[Point, ...]
    algorithms: Mapping[str, str | Factory | None]
    """The algorithms by label; None leaves those of the scenario."""
    seeds: tuple[int, ...]
    bottleneck: str | None
    """The link direction that metrics refer to; None for the bottleneck of each run."""
    keep: tuple[str, ...]
    """The tables of a result to keep in addition to the metrics."""
    scenario: Scenario
    """The scenario with the settings of every run."""
    responses: bool = False
    """True if every run also has the response vector: see `measures.response_vector`."""
    mice: float | Literal["aest"] | None = None
    """The packets of the largest mouse, for measures by classes of size."""
    design: designs.Design | None = None
    """The design that chose the points; None for every combination of the axes."""
    ranges: tuple[designs.Range, ...] = ()
    """The factors that the design samples; each is also an axis, with the drawn values."""

    @property
    def runs(self) -> int:
        """The number of simulations."""
        return len(self.points) * len(self.algorithms) * len(self.seeds)

    @cached_property
    def titles(self) -> dict[str, str]:
        """The name of each axis for display: the fewest last parts of its path that tell it from the others.

        "segments per ack" for "tcp.segments_per_ack"; "bottleneck rate" and "access rate" for two rates.
        """
        names = [axis.name for axis in self.axes]
        return {name: _title(name, [other for other in names if other != name]) for name in names}

    @checked
    def plot(self, *, width: float | str | None = None) -> Figure:
        """The network of the first point, as a matplotlib figure; `width` is in inches or a name."""
        return self.points[0].scenario.plot(width=width)

    @checked
    def save(self, folder: str | Path) -> Path:
        """Writes plan.toml, which `ackclock sweep` reads, with its scenario and Python classes next to it.

        Returns the path of the plan. Raises OutputError.
        """
        facts: dict[str, object] = {"name": self.name, "title": self.title, "description": self.description}
        facts |= {"scenario": "scenario.toml", "seeds": list(self.seeds), "keep": list(self.keep)}
        facts |= {"bottleneck": self.bottleneck} if self.bottleneck else {}
        facts |= {"responses": True} if self.responses else {}
        drawn = {each.name for each in self.ranges}
        axes = {axis.name: axis.values for axis in self.axes if axis.name not in drawn}
        design = plan_files.design_toml(self.design, self.ranges)
        return plan_files.write(folder, self.scenario, facts, self.algorithms, axes, self.mice, design)

    def _heading(self) -> tuple[str, str]:
        kinds = (("point", self.points), ("algorithm", self.algorithms), ("seed", self.seeds))
        parts = ", ".join(counted(len(each), noun) for noun, each in kinds)
        return self.title or self.name, f"{counted(self.runs, 'run')}: {parts}"

    def _views(self) -> Sequence[View]:
        rows = [(axis.name, ", ".join(str(value) for value, _ in axis.values)) for axis in self.axes]
        rows += [("algorithms", ", ".join(self.algorithms)), ("seeds", ", ".join(map(str, self.seeds)))]
        cells = tuple((Cell(name), Cell(said)) for name, said in rows)
        return [View("", (("axis", ""), ("values", "")), cells)]

    def _frame(self, table: str) -> pl.DataFrame:
        if table not in ("", "points"):
            raise unknown("table", table, ["points"])
        rows = [{"point": point.index, **point.values} for point in self.points]
        return pl.DataFrame(rows, infer_schema_length=None)


def _title(name: str, others: Sequence[str]) -> str:
    parts, taken = name.split("."), [other.split(".") for other in others]
    endings = (parts[begin:] for begin in reversed(range(len(parts))))
    # The number of a group says nothing without the name of the list.
    named = (end for end in endings if not end[0].isdigit())
    clear = (end for end in named if all(path[-len(end) :] != end for path in taken))
    return " ".join(next(clear, parts)).replace("_", " ")


@checked_as(source="plan")
def load_plan(source: str | os.PathLike[str] | Mapping[str, object] | Plan, *, trust: bool = False) -> Plan:
    """Reads a plan from a TOML file or a mapping with the same keys.

    The classes that it names are imported. A plan file names scenarios, traces, tables and classes of its own
    folder alone, and no code of a results folder that has changed, unless `trust`.

    Raises InputError or ScenarioError, which name the file, the key, the value found and the values allowed.
    """
    if isinstance(source, Plan):
        return source
    if isinstance(source, Mapping):
        return _read(source, Named.by_caller(trust=trust), "plan")
    path = Path(source)
    text, folder = read_text(path, "a plan", trust=trust)
    try:
        document = read_toml(text)
        return _read(document, Named.in_file(folder, trust=trust), str(path) if path.is_file() else "plan")
    except NotToml as error:
        raise InputError(f"{path}: no TOML: {error}") from None
    except RecursionError:
        raise InputError(f"{path}: its tables are nested too deeply for a plan") from None


def _read(document: Mapping[str, object], named: Named, where: str) -> Plan:
    fields = _Fields(document, where)
    fields.refuse_unknown()
    base = fields.scenario(named)
    fixed = flat(fields.table("settings"))
    base = fields.checked("settings", lambda: named.changed(base, fixed))
    given = (*fields.grid(), *fields.cases())
    design, ranges = fields.design(len(given))
    algorithms = fields.algorithms(named)
    seeds = fields.seeds(base.seed)
    fields.refuse_many(given, design, len(ranges), len(algorithms) or 1, len(seeds))
    axes, chosen = fields.chosen(given, design, ranges)
    twins = [axis.name for axis in axes if [other.name for other in axes].count(axis.name) > 1]
    if twins:
        raise InputError(f'{where}: the axis "{twins[0]}" stands twice')
    taken = [axis.name for axis in axes if axis.name in COLUMNS]
    if taken:
        raise InputError(
            f'{where}: the axis "{taken[0]}" has the name of a column of the runs; expected another name, '
            "and seeds in the key `seeds`"
        )
    return Plan(
        name=fields.name(),
        title=fields.text("title"),
        description=fields.text("description"),
        axes=axes,
        points=tuple(fields.points(base, axes, chosen, named)),
        algorithms=algorithms or {base.name: None},
        seeds=seeds,
        scenario=base,
        bottleneck=fields.text("bottleneck") or None,
        keep=tuple(fields.texts("keep")),
        responses=fields.responses(base),
        mice=fields.mice(),
        design=design,
        ranges=ranges,
    )


def flat(table: Mapping[str, object], before: str = "") -> dict[str, object]:
    """Nested tables as dotted paths: `{"tcp": {"mss": "1000 bytes"}}` -> `{"tcp.mss": "1000 bytes"}`."""
    found: dict[str, object] = {}
    for key, value in table.items():
        if isinstance(value, Mapping):
            found |= flat(value, f"{before}{key}.")
        else:
            found[f"{before}{key}"] = value
    return found


@dataclass(frozen=True)
class _Fields:
    """The document of a plan, read field by field; errors name the field."""

    document: Mapping[str, object]
    where: str

    def wrong(self, key: str, found: object, right: str) -> InputError:
        return InputError(f"{self.where}: {key}: found {found!r}; expected {right}")

    def refuse_unknown(self) -> None:
        for key in self.document:
            if key not in KEYS:
                raise InputError(f"{self.where}: {key}: unknown key{advice(key, KEYS)}")
        if "scenario" not in self.document:
            raise InputError(f"{self.where}: scenario: missing; a built-in name, a file, or a table")

    def text(self, key: str) -> str:
        value = self.document.get(key, "")
        if not isinstance(value, str):
            raise self.wrong(key, value, "a text")
        return value

    def name(self) -> str:
        """The name of the plan, which names its folder; by default, the name of the file."""
        value = self.text("name") or Path(self.where).stem
        if not plain_name(value):
            raise self.wrong("name", value, f"a plain name of at most {MOST_LETTERS} letters, no path")
        return value

    def responses(self, base: Scenario) -> bool:
        value = self.document.get("responses", False)
        if not isinstance(value, bool):
            raise self.wrong("responses", value, "true or false")
        trace = json.loads(base.to_json()).get("trace", {})
        if value and ("interval" not in trace or not trace.get("transfers", True)):
            needed = 'settings trace.interval = "1 s", say, and no trace.transfers = false'
            raise InputError(f"{self.where}: responses: the vector needs series and transfers: {needed}")
        return value

    def texts(self, key: str) -> list[str]:
        value = self.document.get(key, [])
        if not isinstance(value, Sequence) or isinstance(value, str):
            raise self.wrong(key, value, "a list of texts")
        for item in value:
            if not isinstance(item, str):
                raise self.wrong(key, item, "a list of texts")
        return list(cast("Sequence[str]", value))

    def table(self, key: str) -> Mapping[str, object]:
        value = self.document.get(key, {})
        if not isinstance(value, Mapping):
            raise self.wrong(key, value, "a table")
        return value

    def scenario(self, named: Named) -> Scenario:
        source: Any = self.document["scenario"]
        if not isinstance(source, str | os.PathLike | Mapping | Scenario):
            raise self.wrong("scenario", source, "a built-in name, a file, or a table")
        return self.checked("scenario", lambda: named.scenario(source))

    def algorithms(self, named: Named) -> dict[str, str | Factory | None]:
        value = self.document.get("algorithms", [])
        if not isinstance(value, Mapping | Sequence) or isinstance(value, str):
            raise self.wrong("algorithms", value, "a list of algorithms, or a table of them by label")
        items = list(value.values()) if isinstance(value, Mapping) else list(value)
        for item in items:
            if not isinstance(item, str) and not callable(item):
                raise self.wrong("algorithms", item, 'an algorithm, such as "newreno"')
        variants = self.checked("algorithms", lambda: named.algorithms(cast("Any", value)))
        return dict(variants)

    def seeds(self, first: int) -> tuple[int, ...]:
        value = self.document.get("seeds", 1)
        try:
            return seed_numbers(value, first)
        except InputError as error:
            expected = str(error).partition("expected ")[2] or "every seed once"
            raise self.wrong("seeds", value, expected) from None

    def mice(self) -> float | Literal["aest"] | None:
        if "classes" not in self.document:
            return None
        classes = self.table("classes")
        for key in classes:
            if key != "mice":
                raise InputError(f"{self.where}: classes.{key}: unknown key{advice(key, ['mice'])}")
        value = classes.get("mice")
        if value == "aest":
            return "aest"
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < math.inf:
            return float(value)
        raise self.wrong("classes.mice", value, 'the packets of the largest mouse, or "aest"')

    def grid(self) -> Iterator[Axis]:
        for path, values in flat(self.table("grid")).items():
            is_list = isinstance(values, Sequence) and not isinstance(values, str) and len(values) > 0
            if not is_list:
                raise self.wrong(f"grid.{path}", values, "a list of values to run")
            listed = cast("Sequence[object]", values)
            for value in listed:
                if not isinstance(value, Value):
                    raise self.wrong(f"grid.{path}", value, "a text, number or boolean; tables go to [cases]")
            if len(set(map(str, listed))) < len(listed):
                raise self.wrong(f"grid.{path}", values, "every value once")
            yield Axis(path, tuple((cast("Value", value), {path: value}) for value in listed))

    def cases(self) -> Iterator[Axis]:
        for name, labels in self.table("cases").items():
            if not isinstance(labels, Mapping) or not labels:
                raise self.wrong(f"cases.{name}", labels, "a table of labels, each with a table of settings")
            for label, settings in labels.items():
                if not isinstance(settings, Mapping):
                    raise self.wrong(f"cases.{name}.{label}", settings, "a table of settings")
            yield Axis(name, tuple((label, flat(settings)) for label, settings in labels.items()))

    def design(self, axes: int) -> tuple[designs.Design | None, tuple[designs.Range, ...]]:
        reader = designs.Reader(self.wrong)
        ranges = tuple(reader.ranges(self.table("ranges")))
        if "design" in self.document:
            return reader.design(self.table("design"), axes, len(ranges)), ranges
        if ranges:
            raise self.wrong(
                "design", None, f"a design that samples the ranges ({', '.join(designs.SAMPLED)})"
            )
        return None, ()

    def refuse_many(
        self,
        given: Sequence[Axis],
        design: designs.Design | None,
        ranges: int,
        algorithms: int,
        seeds: int,
    ) -> None:
        """Refuses a plan of too many runs before a list is made of them."""
        points = math.prod(len(axis.values) for axis in given)
        if design is not None:
            points = design.most_points(len(given), ranges, points)
        try:
            refuse_many(points=points, algorithms=algorithms, seeds=seeds)
        except InputError as error:
            raise InputError(f"{self.where}: {error}") from None

    def chosen(
        self, given: Sequence[Axis], design: designs.Design | None, ranges: Sequence[designs.Range]
    ) -> tuple[tuple[Axis, ...], Iterator[tuple[Value, ...]]]:
        """The axes, and the values of each, one for every point."""
        grid = itertools.product(*([value for value, _ in axis.values] for axis in given))
        if design is None:
            return tuple(given), grid
        if design.is_two_level:
            for axis in given:
                if len(axis.values) != 2:
                    right = f"two values, low and high, for a {design.kind} design"
                    raise self.wrong(f"grid.{axis.name}", [value for value, _ in axis.values], right)
            try:
                levels = design.levels(len(given))
            except ValueError as error:
                raise InputError(f"{self.where}: design.{error}") from None
            rows = [
                [axis.values[int(level > 0)][0] for axis, level in zip(given, row, strict=True)]
                for row in levels
            ]
            return tuple(given), iter([tuple(row) for row in rows])
        samples = [
            tuple(each.value(share) for each, share in zip(ranges, row, strict=True))
            for row in design.levels(len(ranges)).tolist()
        ]
        drawn = [
            Axis(each.name, tuple((value, {each.name: value}) for value in dict.fromkeys(values)))
            for each, values in zip(ranges, zip(*samples, strict=True), strict=True)
        ]
        both = itertools.product(list(grid), samples)
        return (*given, *drawn), ((*fixed, *sample) for fixed, sample in both)

    def points(
        self, base: Scenario, axes: Sequence[Axis], chosen: Iterable[tuple[Value, ...]], named: Named
    ) -> Iterator[Point]:
        by_value = [dict(axis.values) for axis in axes]
        for index, values in enumerate(chosen):
            settings: dict[str, object] = {}
            for mine, value in zip(by_value, values, strict=True):
                settings |= mine[value]
            at = {axis.name: value for axis, value in zip(axes, values, strict=True)}
            said = ", ".join(f"{name} = {value}" for name, value in at.items()) or "scenario"
            scenario = self.checked(said, partial(named.changed, base, settings))
            yield Point(index, at, scenario)

    def checked(self, key: str, make: Callable[[], T]) -> T:
        try:
            return make()
        except ScenarioError as error:
            raise prefixed(error, f"{self.where}: {key}") from None
        except InputError as error:
            raise InputError(f"{self.where}: {key}: {error}") from None
