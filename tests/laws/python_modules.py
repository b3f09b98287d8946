"""The modules of a Python tree and the imports between them, read from their text."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Tree:
    """A folder of modules, sorted into rooms: its folders, and the files on its ground floor."""

    name: str
    """The dotted name of the folder as its modules import each other."""
    folder: Path
    rooms: dict[str, set[str]]
    """From the ground up, the rooms that each room may import."""
    ground: set[str] = field(default_factory=set)
    """The files next to the folders that all rooms stand on; their room is "ground"."""
    doors: frozenset[str] = frozenset({"__init__", "__main__"})
    """The files next to the folders that may import everything."""

    def modules(self) -> dict[str, Path]:
        """Every module of the tree by its dotted name, without those behind links."""
        links = [path for path in self.folder.rglob("*") if path.is_symlink()]
        found = {}
        for path in sorted(self.folder.rglob("*.py*")):
            if path.suffix in (".py", ".pyi") and not any(link in path.parents for link in links):
                parts = path.relative_to(self.folder).with_suffix("").parts
                found[".".join((self.name, *(part for part in parts if part != "__init__")))] = path
        return found

    @cached_property
    def imports(self) -> dict[str, list[tuple[int, str]]]:
        """By module, the line and the module of each import of another module of this tree."""
        known = self.modules()
        return {
            module: [
                (line, name)
                for line, name in imported(path, module, known)
                if name != module and name.split(".")[0] == self.name.split(".")[0]
            ]
            for module, path in known.items()
        }

    def room(self, module: str) -> str:
        """The room of a module; a door is a room of its own."""
        rest = module.removeprefix(self.name).removeprefix(".")
        first = rest.split(".")[0] or "__init__"
        return "ground" if first in self.ground else "door" if first in self.doors else first


def imported(path: Path, module: str, known: dict[str, Path]) -> Iterator[tuple[int, str]]:
    """The line and the absolute name of each module that a file imports, anywhere in its text."""
    package = module if path.stem == "__init__" else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join((*above, *([node.module] if node.module else [])))
            inside = (f"{base}.{alias.name}" for alias in node.names)
            yield from ((node.lineno, name if name in known else base) for name in inside)


def shown(path: Path) -> str:
    """The path as one types it in the repository."""
    return str(path.relative_to(REPOSITORY))
