"""Draws the figures of the gallery: `python docs/notebooks` runs every notebook, or those that are named.

A notebook leaves its figure in the variable `figure`; it becomes published/gallery/<name>.svg.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl

from ackclock.provenance import version
from ackclock.report.figure_svg import figure_svg
from ackclock.report.figures import image

FOLDER = Path(__file__).resolve().parent
GALLERY = FOLDER.parents[1] / "published" / "gallery"


def run(path: Path) -> dict[str, Any]:
    """Executes the code of a notebook, cell by cell, and returns its variables."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for number, cell in enumerate(json.loads(path.read_text(encoding="utf-8"))["cells"]):
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), f"{path.name}, cell {number}", "exec"), names)  # noqa: S102
    return names


def main() -> None:
    """Draws the figures."""
    mpl.use("agg")
    chosen = sys.argv[1:] or sorted(path.stem for path in FOLDER.glob("*.ipynb"))
    GALLERY.mkdir(exist_ok=True)
    for name in chosen:
        figure = run(FOLDER / f"{name}.ipynb")["figure"]
        about = {"Title": name, "Description": f"docs/notebooks/{name}.ipynb; ackclock {version()}"}
        # Drawn from its data, a picture is half as large, and differs where something in it does.
        data = json.loads(image(figure, "json", about))
        (GALLERY / f"{name}.svg").write_text(figure_svg(data), encoding="utf-8")


if __name__ == "__main__":
    main()
