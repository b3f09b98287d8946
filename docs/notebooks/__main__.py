"""Draws the figures of the gallery: `python docs/notebooks` runs every notebook, or those that are named.

A notebook leaves its figure in the variable `figure`; it becomes published/gallery/<name>.svg. What else its
cells show becomes published/gallery/<name>.json: by the number of the cell, a fragment of HTML or a text.
"""

from __future__ import annotations

import ast
import io
import json
import sys
from contextlib import redirect_stdout
from pathlib import Path
from pprint import pformat
from typing import Any

import matplotlib as mpl
import polars as pl
from matplotlib.figure import Figure

from ackclock.provenance import version
from ackclock.report.figure_svg import figure_svg
from ackclock.report.figures import image
from ackclock.report.json_text import dumps

FOLDER = Path(__file__).resolve().parent
GALLERY = FOLDER.parents[1] / "published" / "gallery"


def run(path: Path) -> tuple[dict[str, Any], dict[str, dict[str, str]]]:
    """Executes the code of a notebook, cell by cell.

    Returns its variables, and what its cells show besides the figure, by their numbers.
    """
    names: dict[str, Any] = {"__name__": "__main__"}
    outputs = {}
    for number, cell in enumerate(json.loads(path.read_text(encoding="utf-8"))["cells"]):
        if cell["cell_type"] == "code":
            printed = io.StringIO()
            with redirect_stdout(printed):
                value = _value("".join(cell["source"]), f"{path.name}, cell {number}", names)
            if value is not names.get("figure") and value is not None:
                outputs[str(number)] = _shown(value, "".join(cell["source"]))
            elif printed.getvalue():
                outputs[str(number)] = {"text": printed.getvalue()}
    return names, outputs


def _value(text: str, place: str, names: dict[str, Any]) -> object:
    """The value of the last expression of a cell, None if it ends in a statement."""
    tree = ast.parse(text)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, place, "exec"), names)  # noqa: S102
    return eval(compile(ast.Expression(last.value), place, "eval"), names) if last else None  # noqa: S307


def _shown(value: object, code: str) -> dict[str, str]:
    """The form in which a notebook shows a value: its HTML, the picture of a figure, or its text."""
    if isinstance(value, Figure):
        return {
            "html": figure_svg(
                json.loads(image(value, "json", {"Title": code.splitlines()[-1], "Description": "Figure"}))
            )
        }
    if isinstance(value, pl.DataFrame):
        return {"text": str(value)}
    if hasattr(value, "_repr_html_"):
        return {"html": value._repr_html_()}
    return {"text": pformat(value, width=100, sort_dicts=False)}


def main() -> None:
    """Draws the figures."""
    mpl.use("agg")
    chosen = sys.argv[1:] or sorted(path.stem for path in FOLDER.glob("*.ipynb"))
    GALLERY.mkdir(exist_ok=True)
    for name in chosen:
        names, outputs = run(FOLDER / f"{name}.ipynb")
        about = {"Title": name, "Description": f"docs/notebooks/{name}.ipynb; ackclock {version()}"}
        # Drawn from its data, a picture is half as large, and differs where something in it does.
        data = json.loads(image(names["figure"], "json", about))
        (GALLERY / f"{name}.svg").write_text(figure_svg(data), encoding="utf-8")
        if outputs:
            (GALLERY / f"{name}.json").write_text(f"{dumps(outputs)}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
