"""The runs of a sweep as an xarray Dataset, whose dimensions are the axes of the plan."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock.errors import InputError
from ackclock.measures.metric_columns import RUNS
from ackclock.provenance import scenario_facts

if TYPE_CHECKING:
    from ackclock.sweeps.record import SweepRecord

__all__ = ["dataset"]


def dataset(sweep: SweepRecord) -> Any:
    """Every measured column over the axes, labels and seeds. Raises InputError without xarray."""
    try:
        xarray = importlib.import_module("xarray")
    except ImportError:
        raise InputError("to_xarray needs xarray, which is not installed: pip install xarray") from None
    plan = sweep.plan
    along = _of_axes(sweep) if plan.design is None else {"point": [point.index for point in plan.points]}
    coordinates: dict[str, list[Any]] = {**along, "label": list(plan.algorithms), "seed": list(plan.seeds)}
    dims = tuple(coordinates)
    shape = tuple(map(len, coordinates.values()))
    places = tuple(_places(values, sweep.runs[name].to_list()) for name, values in coordinates.items())
    variables = {}
    for name in sweep.measured:
        grid = np.full(shape, np.nan)
        grid[places] = sweep.runs[name].to_numpy()
        column = RUNS.column(name)
        facts = {"units": column.unit, "long_name": column.meaning}
        variables[name] = (dims, grid, {key: text for key, text in facts.items() if text})
    made: dict[str, Any] = dict(coordinates)
    if plan.design is not None:
        for axis in plan.axes:
            made[axis.name] = ("point", [point.values[axis.name] for point in plan.points])
    return xarray.Dataset(variables, made, {"plan": plan.name, **scenario_facts(plan.scenario)})


def _of_axes(sweep: SweepRecord) -> dict[str, list[Any]]:
    return {axis.name: [value for value, _ in axis.values] for axis in sweep.plan.axes}


def _places(values: list[Any], found: list[Any]) -> list[int]:
    """The place of each value found among the values of a dimension."""
    order = {value: place for place, value in enumerate(values)}
    return [order[value] for value in found]
