"""Algorithms of others: what each file of community/ says of itself, and its row in the community's table.

`python -m verification.community NAME` evaluates `community/NAME.py` by RFC 9743, quick, and publishes its
row; without a name, each file whose row is missing or is of another content. `--check` evaluates nothing, and
fails for such a file. Finished runs are kept in `results/community/store`.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ackclock import provenance
from ackclock.errors import InputError
from ackclock.evaluation.evaluate import DEFAULT_AGAINST, Evaluation, evaluate
from ackclock.evaluation.sentences import worst
from ackclock.evaluation.suites import DEFAULT, SUITES
from ackclock.evaluation.verdict import CLASSES
from verification.comparisons.publication import write_rows

__all__ = ["FOLDER", "PUBLISHED", "Entry", "entries", "main", "read", "stale", "tables"]

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "community"
PUBLISHED = ROOT / "published" / "community"
STORE = ROOT / "results" / "community" / "store"

SCHEMA = "ackclock-community/1"
FIELDS = ("Author", "Source", "Licence")
"""The fields of the docstring, each in a line of its own."""
METHODS = {"on_ack", "on_congestion"}
MODULES = ("__future__", "collections", "dataclasses", "enum", "math", "typing")
"""The modules that a file may import: none reads a clock, draws numbers, or leaves the process."""


@dataclass(frozen=True)
class Entry:
    """A file of the community, read and not run."""

    file: Path
    title: str
    author: str
    source: str
    licence: str
    cls: str

    @property
    def name(self) -> str:
        """The name of its row."""
        return self.file.stem

    @property
    def sha256(self) -> str:
        """The content that a row is of."""
        return hashlib.sha256(self.file.read_bytes()).hexdigest()


def read(file: Path) -> Entry:
    """The statements of a file about itself. Raises InputError for a file that cannot come in."""
    shown = f"{file.parent.name}/{file.name}"
    if not re.fullmatch(r"[a-z][a-z0-9_]*", file.stem):
        raise InputError(f"{shown}: its name must have small letters, digits and underscores alone")
    try:
        tree = ast.parse(file.read_text(encoding="utf-8"))
    except (SyntaxError, UnicodeDecodeError) as error:
        raise InputError(f"{shown}: is no Python: {error}") from None
    docstring = ast.get_docstring(tree)
    if not docstring:
        raise InputError(f"{shown}: has no docstring; it must have a title, and the lines {_lines(FIELDS)}")
    stated = {name: _field(docstring, name) for name in FIELDS}
    if missing := [name for name in FIELDS if not stated[name]]:
        raise InputError(f"{shown}: the docstring lacks the line {_lines(missing)}")
    if wrong := sorted(_imported(tree) - set(MODULES)):
        raise InputError(f'{shown}: imports "{wrong[0]}"; it may import {", ".join(MODULES[1:])} alone')
    classes = [
        each.name for each in tree.body if isinstance(each, ast.ClassDef) and _methods(each) >= METHODS
    ]
    if len(classes) != 1:
        found = f"the classes {', '.join(classes)}" if classes else "no class"
        raise InputError(f"{shown}: has {found} with on_ack and on_congestion; it must have exactly one")
    title = docstring.splitlines()[0].rstrip(".")
    return Entry(file, title, stated["Author"], stated["Source"], stated["Licence"], classes[0])


def _lines(names: Sequence[str]) -> str:
    return ", ".join(f'"{name}: .."' for name in names)


def _field(docstring: str, name: str) -> str:
    found = re.search(rf"^{name}: *(\S.*)$", docstring, re.MULTILINE)
    return found[1].strip() if found else ""


def _methods(node: ast.ClassDef) -> set[str]:
    return {each.name for each in node.body if isinstance(each, ast.FunctionDef)}


def _imported(tree: ast.Module) -> set[str]:
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {each.name.partition(".")[0] for each in node.names}
        if isinstance(node, ast.ImportFrom):
            names.add("." * node.level + (node.module or "").partition(".")[0])
    return names


def entries(folder: Path = FOLDER) -> list[Entry]:
    """All files, in the order of their names."""
    return [read(file) for file in sorted(folder.glob("*.py"))]


def row_of(entry: Entry, done: Evaluation) -> dict[str, object]:
    """The row of an evaluated file."""
    return {
        "schema": SCHEMA,
        "name": entry.name,
        "title": entry.title,
        "author": entry.author,
        "source": entry.source,
        "licence": entry.licence,
        "algorithm": f"community/{entry.file.name}:{entry.cls}",
        "sha256": entry.sha256,
        "version": provenance.version(),
        "quick": done.quick,
        "seeds": list(done.seeds),
        "criteria": {
            judged.criterion.key: {
                "class": judged.verdict,
                "times_worse": float(f"{judged.whole.times_worse.estimate:.4g}"),
                "outcome": worst(judged, done.label),
            }
            for judged in done.judged
        },
    }


def rows(folder: Path = PUBLISHED) -> dict[str, dict[str, Any]]:
    """The published rows by name."""
    return {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in sorted(folder.glob("*.json"))}


def stale(found: Sequence[Entry], published: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """A sentence for each file without a row of its content, and for each row without a file."""
    said = [
        f"community/{entry.file.name} has no row of this content: make community NAME={entry.name}"
        for entry in found
        if published.get(entry.name, {}).get("sha256") != entry.sha256
    ]
    left = sorted(set(published) - {entry.name for entry in found})
    return said + [f"published/community/{name}.json has no file community/{name}.py" for name in left]


def tables(published: Mapping[str, Mapping[str, Any]]) -> dict[str, list[list[str]]]:
    """Who is there and how it did, and how many times the standards' cost by criterion."""
    who = [["algorithm", "what it is", "author, licence", "criteria"]]
    times = [["RFC 9743", "criterion", *published]]
    for name, row in published.items():
        counts = Counter(each["class"] for each in row["criteria"].values())
        found = ", ".join(f"{counts[each]} {each}" for each in CLASSES if counts[each])
        who.append([name, row["title"], f"{row['author']}, {row['licence']}", found])
    for criterion in SUITES[DEFAULT].criteria:
        cells = (row["criteria"].get(criterion.key) for row in published.values())
        shown = (f"{cell['times_worse']:.2f}, {cell['class']}" if cell else "" for cell in cells)
        times.append([criterion.section, criterion.title, *shown])
    return {"table": who, "criteria": times}


def publish(entry: Entry, *, workers: int | None) -> None:
    """Evaluates a file and writes its row."""
    algorithm = f"{entry.file}:{entry.cls}"
    done = evaluate(algorithm, STORE, against=DEFAULT_AGAINST, quick=True, workers=workers)
    PUBLISHED.mkdir(parents=True, exist_ok=True)
    text = json.dumps(row_of(entry, done), indent=1, ensure_ascii=False)
    (PUBLISHED / f"{entry.name}.json").write_text(f"{text}\n", encoding="utf-8")


def main(arguments: Sequence[str]) -> int:
    """Returns 0; 1 if `--check` finds a row missing, 2 for a file that cannot come in."""
    parser = argparse.ArgumentParser(prog="python -m verification.community", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="files of community/, without .py")
    parser.add_argument("--check", action="store_true", help="evaluate nothing; fail if a row is missing")
    parser.add_argument("--workers", type=int, help="how many runs at once; as many as processors otherwise")
    chosen = parser.parse_args(arguments)
    try:
        found = entries()
        known = {entry.name: entry for entry in found}
        if unknown := [name for name in chosen.names if name not in known]:
            raise InputError(f"no file community/{unknown[0]}.py; there are {', '.join(known) or 'none'}")
        if chosen.check:
            said = stale(found, rows())
            print("\n".join(said) or f"{len(found)} files, each with its row")
            return 1 if said else 0
        old = [entry.name for entry in found if rows().get(entry.name, {}).get("sha256") != entry.sha256]
        for name in chosen.names or old:
            publish(known[name], workers=chosen.workers)
    except InputError as error:
        print(f"community: {error}", file=sys.stderr)
        return 2
    for name in set(rows()) - set(known):
        (PUBLISHED / f"{name}.json").unlink()
    for name, lines in tables(rows()).items():
        write_rows(lines, PUBLISHED / f"{name}.csv")
    print(f"The rows: {PUBLISHED}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
