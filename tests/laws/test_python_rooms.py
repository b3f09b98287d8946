"""The rooms of our Python: which room may import which, and no circle between modules.

Every import counts: at the top of a module, in a function, and those made for type checkers alone.
"""

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.laws.python_modules import REPOSITORY, Tree, shown

PACKAGE = Tree(
    "ackclock",
    REPOSITORY / "python" / "ackclock",
    {
        "ground": set(),
        "scenarios": {"ground"},
        "captures": {"ground"},
        "measures": {"ground"},
        "formats": {"ground", "measures"},
        "report": {"ground", "measures", "formats"},
        "runs": {"ground", "scenarios", "measures", "report"},
        "sweeps": {"ground", "scenarios", "measures", "report", "runs"},
        "models": {"ground", "report"},
        "papers": {"ground", "scenarios", "measures", "report", "runs"},
        "conformance": {"ground", "scenarios", "measures", "report", "runs"},
        "attacks": {"ground", "scenarios", "measures", "report", "runs", "sweeps", "conformance"},
        "evaluation": {"ground", "scenarios", "measures", "report", "runs", "sweeps", "attacks"},
        "gym": {"ground", "scenarios"},
        "crosscheck": {"ground", "measures", "runs"},
        "packetdrill": {"ground", "report"},
        "cli": {
            "ground",
            "captures",
            "scenarios",
            "measures",
            "formats",
            "report",
            "runs",
            "sweeps",
            "papers",
            "evaluation",
            "crosscheck",
            "conformance",
            "attacks",
            "packetdrill",
        },
    },
    ground={
        "_native",
        "arguments",
        "arrow_schema",
        "atomic",
        "columns",
        "errors",
        "gzip_files",
        "interrupts",
        "own_files",
        "parquet",
        "provenance",
        "results_folder",
        "toml_reader",
    },
)

REFERENCE = Tree(
    "reference",
    REPOSITORY / "reference",
    {
        "ground": set(),
        "avoidance": {"ground"},
        "slow_start": {"ground", "avoidance"},
        "controllers": {"ground"},
        "media": {"ground"},
        "adaptation": {"ground"},
        "recovery": {"ground"},
        "transport": {"ground"},
        "queue": {"ground"},
        "path": {"ground"},
    },
    ground={
        *("facts", "linux_growth", "monitor_intervals", "queueing_delay", "registered", "split_mix"),
        "windowed",
    },
)

VERIFICATION = Tree(
    "verification",
    REPOSITORY / "verification",
    {
        "ground": set(),
        "checks": {"ground"},
        "peers": set(),
        "figures": set(),
        "comparisons": {"ground", "checks", "peers"},
        "league": {"ground", "comparisons"},
        "community": {"ground", "comparisons"},
        "competition": {"ground", "community"},
        "attacks": {"ground", "league"},
        "conformance": set(),
        "media": set(),
    },
    ground={"examples", "report", "sources"},
    doors=frozenset({"__init__", "__main__", "evidence"}),
)

PAPER_FOLDERS = [path.parent.name for path in REPOSITORY.glob("papers/*/claims.toml")]

# No paper imports another one.
PAPERS = Tree(
    "papers",
    REPOSITORY / "papers",
    {name: set() for name in ("ground", *PAPER_FOLDERS)},
    ground={"publish", "settings"},
)

BURST_TCP = Tree(
    "papers.burst_tcp.measure",
    REPOSITORY / "papers" / "burst_tcp" / "measure",
    {
        "ground": set(),
        "chapter2": {"ground"},
        "chapter4": {"ground"},
        "chapter5": {"ground"},
        "chapter3": {"ground", "chapter5"},
        "chapter6": {"ground"},
    },
    ground={"stack", "file_runs", "survey"},
    doors=frozenset({"__init__", "reproduce"}),
)

TREES = [pytest.param(tree, id=tree.name) for tree in (PACKAGE, REFERENCE, VERIFICATION, PAPERS, BURST_TCP)]


@pytest.mark.parametrize("tree", TREES)
def test_every_module_is_in_a_room(tree: Tree) -> None:
    for module, path in tree.modules().items():
        assert tree.room(module) in {*tree.rooms, "door"}, (
            f"{shown(path)}: put it in one of the rooms {', '.join(list(tree.rooms)[1:])}; "
            "a new room is said here, with the rooms that it may import"
        )


@pytest.mark.parametrize("tree", TREES)
def test_rooms_import_only_the_rooms_below_them(tree: Tree) -> None:
    known = tree.modules()
    for module, imports in tree.imports.items():
        here = tree.room(module)
        if here == "door":
            continue
        allowed = tree.rooms[here] | {here}
        for line, name in imports:
            there = tree.room(name)
            assert there in allowed, (
                f"{shown(known[module])}:{line}: {here} must not import {name} ({there}); "
                f"it may import {', '.join(sorted(tree.rooms[here])) or 'no room'}. "
                "Move what both need to a lower room, or read it by a protocol"
            )


@pytest.mark.parametrize("tree", TREES)
def test_the_rooms_themselves_stand_above_each_other(tree: Tree) -> None:
    below: set[str] = set()
    for name, used in tree.rooms.items():
        assert used <= below, f"{name} is said to use {sorted(used - below)}, which stands above it"
        below.add(name)


@pytest.mark.parametrize("tree", TREES)
def test_no_modules_import_each_other_in_a_circle(tree: Tree) -> None:
    graph = {module: {name for _, name in imports} for module, imports in tree.imports.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        circle = error.args[1]
        raise AssertionError(
            f"these modules import each other: {' <- '.join(circle)}. "
            "Move what they share to a module that both import"
        ) from None


def test_a_circle_by_relative_imports_is_found(tmp_path: Path) -> None:
    (tmp_path / "chapter").mkdir()
    (tmp_path / "stack.py").write_text("def late():\n    from .chapter import figures\n")
    (tmp_path / "chapter" / "__init__.py").write_text("")
    (tmp_path / "chapter" / "figures.py").write_text("from ..stack import late\n")
    tree = Tree("measure", tmp_path, {"ground": set(), "chapter": {"ground"}}, ground={"stack"})
    assert tree.imports["measure.stack"] == [(2, "measure.chapter.figures")]
    assert tree.imports["measure.chapter.figures"] == [(1, "measure.stack")]
    with pytest.raises(AssertionError, match="import each other"):
        test_no_modules_import_each_other_in_a_circle(tree)


def test_the_package_imports_its_modules_by_their_full_names() -> None:
    for path in PACKAGE.modules().values():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
            if isinstance(node, ast.ImportFrom):
                assert not node.level, f"{shown(path)}:{node.lineno}: import by the full name"
