"""Algorithms of others: what each file of community/ says of itself, and its row in the community's table.

`python -m verification.community NAME` evaluates `community/NAME.py` by RFC 9743, quick, and publishes its
row; without a name, each file whose row is missing or is of another content. `--check` evaluates nothing, and
fails for such a file. Finished runs are kept in `results/community/store`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ackclock import provenance
from ackclock.errors import InputError
from ackclock.evaluation.class_files import Entry, read
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
