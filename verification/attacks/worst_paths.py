"""The worst path found for every contender of the league: `python -m verification.attacks.worst_paths`.

It attacks all contenders, or those whose keys are given, as `ackclock evaluate --attack` does: thirty seconds
of a processor for each. Finished runs are kept in `results/attacks/worst-paths`, from which a stopped command
continues. `--publish` renews the rows that the documentation shows.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ackclock import provenance
from ackclock.attacks import words
from ackclock.attacks.attack import Attack, AttackInterrupted, attack_problem
from ackclock.attacks.problem import Problem
from ackclock.attacks.runner import Runner
from ackclock.attacks.space import Path as Changes
from ackclock.errors import NoMarksWarning
from ackclock.evaluation.worst_paths import BUDGET, OTHERS, SEED, SEEDS, aims, worst_paths
from verification.league.contenders import Contender, contenders
from verification.sources import source_trees

__all__ = ["FILE", "Row", "as_row", "published", "write"]

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "results" / "attacks" / "worst-paths"
FILE = ROOT / "published" / "attacks" / "worst-paths.json"


@dataclass(frozen=True)
class Row:
    """The worst path of a contender with one aim."""

    contender: str
    algorithm: str
    aim: str
    share: float
    """The share that is left; without a finding, on the worst path that was tried."""
    words: str
    """The path in words; empty if nothing was found that holds on other seeds."""
    path: Changes
    duration_s: float
    below: float
    """The share below which the path does the same damage."""
    held: int
    """The other seeds on which it holds."""

    @property
    def is_found(self) -> bool:
        """False if no path does damage that holds on other seeds."""
        return bool(self.words)

    @property
    def problem(self) -> Problem:
        """The question that the attack asked."""
        options = aims(self.algorithm)[self.aim]
        return attack_problem([self.algorithm], options["hurt"], than=options.get("than"))

    def replayed(self) -> float:
        """The share that the path leaves now."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NoMarksWarning)
            judged = self.problem.judge(Runner(workers=1), [self.path], (SEED,), self.duration_s)
        return judged[0][SEED].share


def published(file: Path = FILE) -> dict[str, tuple[Row, ...]]:
    """The rows by contender; none before the first publication."""
    if not file.is_file():
        return {}
    rows = json.loads(file.read_text(encoding="utf-8"))["rows"]
    found: dict[str, tuple[Row, ...]] = {}
    for row in rows:
        found[row["contender"]] = (*found.get(row["contender"], ()), Row(**row))
    return found


def as_row(contender: Contender, aim: str, done: Attack) -> dict[str, object]:
    """The outcome of an attack as a row."""
    finding = done.finding
    return {
        "contender": contender.key,
        "algorithm": contender.algorithm,
        "aim": aim,
        "share": round(done.share, 4),
        "words": ", ".join(words.changes(finding.path)) if finding else "",
        "path": finding.path if finding else {},
        "duration_s": finding.duration_s if finding else 0.0,
        "below": round(finding.bar, 4) if finding else 0.0,
        "held": finding.held if finding else 0,
    }


def main(arguments: Sequence[str]) -> int:
    """Returns 0, or 130 if Ctrl-C ended the program."""
    known = {contender.key: contender for contender in contenders()}
    chosen = _parsed(arguments, known)
    file = FILE if chosen.publish else RESULTS / FILE.name
    for key in chosen.contenders or known:
        begun = time.monotonic()
        try:
            found = worst_paths(
                known[key].algorithm, known[key].algorithm, RESULTS / key, quick=False, workers=chosen.workers
            )
        except AttackInterrupted as interrupt:
            print(f"{interrupt}; the same command goes on from there", file=sys.stderr)
            return 130
        rows = [as_row(known[key], each.aim, each.attack) for each in found]
        write(file, known, key, rows)
        shares = ", ".join(
            f"{row['aim']} {row['share']:.2f} {row['words'] or 'nothing found'}" for row in rows
        )
        print(f"{key}: {shares} ({time.monotonic() - begun:.0f} s)", file=sys.stderr, flush=True)
    print(f"The worst paths: {file}")
    return 0


def _parsed(arguments: Sequence[str], known: Mapping[str, Contender]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m verification.attacks.worst_paths", description=__doc__)
    parser.add_argument("contenders", nargs="*", metavar="contender", help="keys, as controller-bbr3; or all")
    parser.add_argument("--workers", type=int, help="how many runs at once; as many as processors otherwise")
    parser.add_argument("--publish", action="store_true", help="renew what the documentation shows")
    chosen = parser.parse_args(arguments)
    for key in chosen.contenders:
        if key not in known:
            parser.error(f"no contender is called {key}; there are {', '.join(known)}")
    return chosen


def write(file: Path, known: Mapping[str, Contender], key: str, rows: list[dict[str, object]]) -> None:
    """Puts the rows of a contender in the place of its old ones, a row in a line."""
    old: list[dict[str, Any]] = []
    if file.is_file():
        old = json.loads(file.read_text(encoding="utf-8"))["rows"]
    kept = [row for row in old if row["contender"] in known and row["contender"] != key]
    order = list(known)
    every = sorted((*kept, *rows), key=lambda row: (order.index(str(row["contender"])), row["aim"] == OTHERS))
    head = {
        "version": provenance.version(),
        "sources": source_trees(),
        "budget": BUDGET,
        "seed": SEED,
        "seeds": SEEDS,
    }
    lines = ",\n".join(f"  {json.dumps(row, separators=(',', ':'))}" for row in every)
    said = "".join(f" {json.dumps(name)}: {json.dumps(value)},\n" for name, value in head.items())
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f'{{\n{said} "rows": [\n{lines}\n ]\n}}\n', encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
