"""Searches every known weakness again, and compares optimisers: `make attacks`.

`python -m verification.attacks` searches all, or those whose keys are given, and writes `results/attacks/`.
`--optimiser NAME` searches by another one; `--publish` renews what the documentation shows.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from ackclock.attacks import words
from ackclock.attacks.attack import attack
from ackclock.attacks.optimisers import OPTIMISERS
from verification.attacks.known import BUDGET, FINDINGS, KNOWN, PUBLISHED, Known

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "results" / "attacks"


def main(arguments: Sequence[str]) -> int:
    """Returns 0 if every weakness was found."""
    parser = argparse.ArgumentParser(prog="python -m verification.attacks", description=__doc__)
    known = {each.key: each for each in KNOWN}
    parser.add_argument("keys", nargs="*", help=f"any of {', '.join(known)}; all where none is named")
    parser.add_argument("--optimiser", choices=tuple(OPTIMISERS), default="evolution")
    parser.add_argument("--workers", type=int, help="how many runs at once; as many as processors otherwise")
    parser.add_argument("--publish", action="store_true", help="also renew what the documentation shows")
    chosen = parser.parse_args(arguments)
    wrong = [key for key in chosen.keys if key not in known]
    if wrong:
        parser.error(f"no weakness has the key {wrong[0]}; there are {', '.join(known)}")
    missed = 0
    for key in chosen.keys or known:
        begun = time.monotonic()
        row = searched(known[key], chosen.optimiser, chosen.workers)
        missed += not row["found"]
        write(RESULTS / f"{key}-{chosen.optimiser}.json", row)
        if chosen.publish:
            write(PUBLISHED / f"{key}.json", row)
        print(f"{key}: {row['words']} ({time.monotonic() - begun:.0f} s)", file=sys.stderr, flush=True)
    print(f"{len(chosen.keys or known) - missed} of {len(chosen.keys or known)} found: {RESULTS}")
    return min(missed, 1)


def searched(known: Known, optimiser: str, workers: int | None) -> dict[str, object]:
    """The outcome of a search as a row."""
    done = attack(
        known.algorithm,
        RESULTS / "store" / f"{known.key}-{optimiser}",
        budget=BUDGET,
        findings=FINDINGS,
        optimiser=optimiser,
        workers=workers,
        **known.options,  # type: ignore[arg-type]
    )
    finding = known.found(done)
    return {
        "weakness": known.key,
        "source": known.source,
        "algorithm": known.algorithm,
        "objective": done.question,
        "optimiser": optimiser,
        "below": known.below,
        "found": finding is not None,
        "simulated_s": done.simulated_s,
        "share": finding.share if finding else None,
        "path": finding.path if finding else None,
        "words": ", ".join(words.changes(finding.path)) if finding else "not found",
        "all": [
            {"share": one.share, "path": one.path, "duration_s": one.duration_s} for one in done.findings
        ],
    }


def write(file: Path, row: object) -> None:
    """Writes a row as JSON."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(row, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
