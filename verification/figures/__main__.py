"""Draws figures of the documentation into results/figures: `python -m verification.figures algorithms/cubic`.

A name selects all figures whose key begins with it; without a name, all figures are drawn. `--store FILE.svg
KEY` takes the data of a figure that matplotlib drew into `published/KEY.json`.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from ackclock.errors import InputError, unknown
from ackclock.report.figure_data import figure_data, written
from verification.figures import PUBLISHED, ROOT, drawn, keys

FOLDER = ROOT / "results" / "figures"


def main(arguments: Sequence[str]) -> int:
    """Returns 0, or 2 for a name that no figure has."""
    parser = argparse.ArgumentParser(prog="python -m verification.figures", description=__doc__)
    parser.add_argument("names", nargs="*", help="keys, or how they begin, such as papers/he-tcp")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the figures go")
    parser.add_argument("--store", type=Path, metavar="FILE.svg", help="take the data of this figure")
    chosen = parser.parse_args(arguments)
    if chosen.store:
        (key,) = chosen.names
        data = written(figure_data(chosen.store.read_text(encoding="utf-8")))
        (PUBLISHED / f"{key}.json").write_text(data, encoding="utf-8")
        return 0
    try:
        wanted = [key for name in chosen.names or [""] for key in _beginning(name)]
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    for key in wanted:
        target = chosen.folder / f"{key}.svg"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(drawn(key), target)
    print(f"{len(wanted)} figures: {chosen.folder}")
    return 0


def _beginning(name: str) -> list[str]:
    found = [key for key in keys() if key == name or key.startswith(name.rstrip("/") + "/") or not name]
    if not found:
        raise unknown("figure", name, keys())
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
