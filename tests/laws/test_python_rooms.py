"""The rooms of the Python package: which room may import which, and no circle between modules.

Every import counts: at the top of a module, in a function, and those made for type checkers alone.
"""

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "python" / "ackclock"

# From the ground up. Whoever needs something from a room above has put it on the wrong floor.
ROOMS: dict[str, set[str]] = {
    "ground": set(),
    "scenarios": {"ground"},
    "measures": {"ground"},
    "report": {"ground", "measures"},
    "runs": {"ground", "scenarios", "measures", "report"},
    "sweeps": {"ground", "scenarios", "measures", "report", "runs"},
    "models": {"ground", "report"},
    "papers": {"ground", "scenarios", "measures", "report", "runs"},
    "evaluation": {"ground", "scenarios", "measures", "report", "runs", "sweeps"},
    "gym": {"ground", "scenarios"},
    "crosscheck": {"ground", "measures", "runs"},
    "cli": {
        "ground",
        "scenarios",
        "measures",
        "report",
        "runs",
        "sweeps",
        "papers",
        "evaluation",
        "crosscheck",
    },
}

# Files beside the rooms: what all rooms stand on, and the two doors to the whole.
GROUND = {"_native", "atomic", "errors", "interrupts", "provenance", "results_folder"}
DOORS = {"__init__", "__main__"}


def modules() -> dict[str, Path]:
    """Every module of the package by its dotted name."""
    files = [path for path in PACKAGE.rglob("*.py*") if path.suffix in (".py", ".pyi")]
    found = {}
    for path in sorted(files):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        if parts[0] != "data":
            found[".".join(("ackclock", *(part for part in parts if part != "__init__")))] = path
    return found


def imported(path: Path, known: dict[str, Path]) -> Iterator[tuple[int, str]]:
    """The line and the module of each import of a module of this package."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{shown(path)}:{node.lineno}: import by the full name"
            inside = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if name in known else str(node.module) for name in inside]
        else:
            continue
        yield from ((node.lineno, name) for name in names if name.split(".")[0] == "ackclock")


def room(module: str) -> str:
    """The room of a module; a door is a room of its own."""
    first = module.split(".")[1] if "." in module else "__init__"
    return "ground" if first in GROUND else "door" if first in DOORS else first


def shown(path: Path) -> str:
    """The path as one types it in the repository."""
    return str(path.relative_to(PACKAGE.parents[1]))


def test_every_module_is_in_a_room() -> None:
    for module, path in modules().items():
        assert room(module) in {*ROOMS, "door"}, (
            f"{shown(path)}: put it in one of the rooms {', '.join(list(ROOMS)[1:])}; "
            "a new room is said in ROOMS, with the rooms that it may import"
        )


def test_rooms_import_only_the_rooms_below_them() -> None:
    known = modules()
    for module, path in known.items():
        here = room(module)
        if here == "door":
            continue
        allowed = ROOMS[here] | {here}
        for line, name in imported(path, known):
            there = room(name)
            assert there in allowed, (
                f"{shown(path)}:{line}: {here} must not import {name} ({there}); "
                f"it may import {', '.join(sorted(ROOMS[here])) or 'no room'}. "
                "Move what both need to a lower room, or read it by a protocol"
            )


def test_the_rooms_themselves_stand_above_each_other() -> None:
    below: set[str] = set()
    for name, used in ROOMS.items():
        assert used <= below, f"{name} is said to use {sorted(used - below)}, which stands above it in ROOMS"
        below.add(name)


def test_no_modules_import_each_other_in_a_circle() -> None:
    known = modules()
    graph = {module: {name for _, name in imported(path, known)} - {module} for module, path in known.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        circle = error.args[1]
        raise AssertionError(
            f"these modules import each other: {' <- '.join(circle)}. "
            "Move what they share to a module that both import"
        ) from None
