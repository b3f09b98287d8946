"""The imports between the modules of a Rust crate, read from its sources."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

Module = tuple[str, ...]

USE = re.compile(r"^\s*(pub(?:\([^)]*\))?\s+)?use\s+([^;]+);", re.MULTILINE)
WITHIN = re.compile(r"pub\(in [^)]*\)")
PATH = re.compile(r"(?<![\w:])(\w+(?:::\w+)+)")
TEST_MODULE = re.compile(r"#\[cfg\(test\)\]\s*(?:#\[[^\]]*\]\s*)*mod\s+\w+\s*\{.*", re.DOTALL)


@dataclass
class SourceFile:
    """A file: its module, its code without comments, and the names that its `use` declarations bind."""

    path: Path
    module: Module
    code: str
    bound: dict[str, Module] = field(default_factory=dict)
    exported: set[str] = field(default_factory=set)
    globs: list[Module] = field(default_factory=list)


def leaves(tree: str) -> Iterator[tuple[Module, str]]:
    """The paths of a `use` tree, each with the name that it binds."""
    tree = tree.strip()
    if "{" in tree:
        prefix, _, group = tree.partition("{")
        parts, depth, start = [], 0, 0
        group = group[: group.rindex("}")]
        for at, letter in enumerate(group):
            depth += (letter == "{") - (letter == "}")
            if letter == "," and depth == 0:
                parts.append(group[start:at])
                start = at + 1
        for part in [*parts, group[start:]]:
            if part.strip():
                yield from leaves(prefix + part.strip())
        return
    path, _, alias = tree.partition(" as ")
    segments = tuple(segment.strip() for segment in path.split("::") if segment.strip())
    if segments[-1] == "self":
        segments = segments[:-1]
    yield segments, alias.strip() or segments[-1]


class Crate:
    """The modules of a crate and the imports between them."""

    def __init__(self, source: Path) -> None:
        self.source = source
        self.files: dict[Module, SourceFile] = {}
        for path in sorted(source.rglob("*.rs")):
            parts = path.relative_to(source).with_suffix("").parts
            module = parts[:-1] if parts[-1] in ("lib", "mod") else parts
            text = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))
            self.files[module] = SourceFile(path, module, TEST_MODULE.sub("", text))
        for file in self.files.values():
            for visibility, tree in USE.findall(file.code):
                for written, name in leaves(tree):
                    if name == "*":
                        file.globs.append(self.absolute(file.module, written[:-1]))
                        continue
                    file.bound[name] = self.absolute(file.module, written)
                    if visibility:
                        file.exported.add(name)

    def absolute(self, module: Module, path: Module) -> Module:
        """A path as written in a module, from the root of the crate; empty first name for another crate."""
        first, rest = path[0], path[1:]
        if first == "crate":
            return rest
        if first == "self":
            return module + rest
        if first == "super":
            return self.absolute(module[:-1], ("self", *rest) if rest[:1] != ("super",) else rest)
        return module + path if (*module, first) in self.files else ("", *path)

    def home(self, path: Module, seen: frozenset[Module] = frozenset()) -> Module | None:
        """The module that defines what a path names, past all re-exports; none if another crate does."""
        if path[:1] == ("",) or path in seen:
            return None
        if path in self.files:
            return path
        depth = max(length for length in range(len(path)) if path[:length] in self.files)
        file, name, rest = self.files[path[:depth]], path[depth], path[depth + 1 :]
        if name in file.bound:
            return self.home(file.bound[name] + rest, seen | {path})
        return file.module

    def imports(self) -> dict[Module, set[Module]]:
        """For each module those that it imports. A re-export that the file does not use is no import."""
        found: dict[Module, set[Module]] = {}
        for file in self.files.values():
            body = WITHIN.sub("", USE.sub("", file.code))
            paths = [
                path
                for name, path in file.bound.items()
                if name not in file.exported or re.search(rf"\b{name}\b", body)
            ]
            paths += file.globs
            written = (tuple(name.split("::")) for name in PATH.findall(body))
            paths += [self.absolute(file.module, path) for path in written if path[0] not in file.bound]
            homes = {self.home(path) for path in paths}
            found[file.module] = {home for home in homes if home is not None and home != file.module}
        return found


def circles(imports: dict[Module, set[Module]]) -> list[list[Module]]:
    """The groups of modules that import each other, directly or through others."""

    def reached(start: Module) -> set[Module]:
        found: set[Module] = set()
        waiting = [start]
        while waiting:
            for module in imports.get(waiting.pop(), set()) - found:
                found.add(module)
                waiting.append(module)
        return found

    reach = {module: reached(module) for module in imports}
    groups: list[list[Module]] = []
    for module in sorted(imports):
        if module in reach[module] and not any(module in group for group in groups):
            groups.append([other for other in sorted(reach[module]) if module in reach.get(other, set())])
    return groups
