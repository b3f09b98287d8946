"""The files of a plan: a plan in TOML, its scenario, and the source of its Python classes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ackclock.errors import OutputError
from ackclock.own_files import HOLE, refuse_foreign, sealed
from ackclock.scenarios.algorithms import class_name
from ackclock.scenarios.own_code import reference, with_class, written

if TYPE_CHECKING:
    from ackclock._native import Scenario
    from ackclock.scenarios.algorithms import Factory
    from ackclock.sweeps.design import Design, Range

__all__ = ["design_toml", "toml", "write"]

Axes = Mapping[str, tuple[tuple[str | int | float | bool, Mapping[str, object]], ...]]
"""The settings of each value of each axis."""


def toml(
    facts: Mapping[str, object], algorithms: Mapping[str, str | None], axes: Axes, classes: str | float | None
) -> str:
    """A plan as TOML: `facts` are its keys with texts, numbers and lists."""
    lines = [f"{key} = {json.dumps(value)}" for key, value in facts.items()]
    known = {label: spec for label, spec in algorithms.items() if spec is not None}
    if known:
        lines += [
            "",
            "[algorithms]",
            *(f"{json.dumps(label)} = {json.dumps(s)}" for label, s in known.items()),
        ]
    if classes is not None:
        lines += ["", "[classes]", f"mice = {json.dumps(classes)}"]
    grid = {
        name: values
        for name, values in axes.items()
        if all(settings == {name: value} for value, settings in values)
    }
    if grid:
        lines += ["", "[grid]"]
        lines += [f"{name} = {json.dumps([value for value, _ in values])}" for name, values in grid.items()]
    for name, values in axes.items():
        if name not in grid:
            for value, settings in values:
                lines += ["", f"[cases.{json.dumps(name)}.{json.dumps(str(value))}]"]
                lines += [f"{key} = {json.dumps(setting)}" for key, setting in settings.items()]
    return "\n".join([*lines, ""])


def design_toml(design: Design | None, ranges: Sequence[Range]) -> str:
    """The tables of a design and of its ranges; empty without one."""
    if design is None:
        return ""
    lines = ["", "[design]", *(f"{key} = {json.dumps(value)}" for key, value in design.facts().items())]
    lines += ["", "[ranges]"] if ranges else []
    for each in ranges:
        scale = "log" if each.is_log else "linear"
        low, high = json.dumps(each.value(0)), json.dumps(each.value(1))
        lines.append(f'{each.name} = {{ low = {low}, high = {high}, scale = "{scale}" }}')
    return "\n".join([*lines, ""])


def write(
    folder: str | Path,
    scenario: Scenario,
    facts: Mapping[str, object],
    algorithms: Mapping[str, str | Factory | None],
    axes: Axes,
    classes: str | float | None,
    design: str = "",
) -> Path:
    """Writes plan.toml, scenario.toml and Python classes; the path of the plan. Raises OutputError.

    A file there that was not written so, or has been changed since, is not replaced.
    """
    place = Path(folder)
    files: dict[Path, bytes] = {}
    specs: dict[str, str | None] = {}
    for number, (label, made) in enumerate(algorithms.items()):
        if made is None or isinstance(made, str):
            specs[label] = made
            continue
        spec, name = class_name(label, made)
        own = f"algorithms/{number}"
        for file, data in written(name, made).items():
            files[place / own / file] = data
            refuse_foreign(place / own / file, data.__eq__)
        specs[label] = with_class(spec, name, reference(own, name, made) or name)
    plan = place / "plan.toml"
    said = toml(facts, specs, axes, classes) + design
    for path, text in ((place / "scenario.toml", scenario.to_toml()), (plan, said)):
        refuse_foreign(path)
        files[path] = sealed(f"# {HOLE}\n{text}".encode())
    try:
        for path, data in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        return plan
    except OSError as error:
        raise OutputError(f"{place}: cannot write the plan here: {error.strerror}") from None
