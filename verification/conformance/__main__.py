"""Judges every algorithm by the specifications that name it."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

from ackclock.provenance import git_commit, version
from verification.conformance.verdicts import PUBLISHED, as_row, judged

SEEDS = 3


def main(arguments: Sequence[str]) -> int:
    """Prints a line for each algorithm and specification."""
    parser = argparse.ArgumentParser(prog="python -m verification.conformance", description=__doc__)
    parser.add_argument("--publish", action="store_true", help="renew what the documentation shows")
    chosen = parser.parse_args(arguments)
    rows = []
    for done in judged(seeds=SEEDS):
        row = as_row(done)
        rows.append(row)
        print(
            f"{row['algorithm']} by {row['specification']}: {row['hold']} of {row['cases']} hold", flush=True
        )
    if chosen.publish:
        document = {"version": version(), "commit": git_commit(), "seeds": SEEDS, "rows": rows}
        PUBLISHED.parent.mkdir(parents=True, exist_ok=True)
        PUBLISHED.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
