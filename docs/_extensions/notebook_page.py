"""Makes each notebook of docs/notebooks a page: its text, its code, and what its cells show.

The figure is the one of `published/gallery/`, behind the first cell that assigns to `figure`, and the outputs
of other cells are in the JSON file next to it. Nothing is run here: `python docs/notebooks` does that, and a
test runs every cell.
"""

import json
from pathlib import Path
from typing import Any

from docutils import nodes
from myst_parser.parsers.sphinx_ import MystParser
from sphinx.application import Sphinx

GALLERY = Path(__file__).resolve().parents[2] / "published" / "gallery"


class NotebookParser(MystParser):
    """Reads a notebook as the Markdown that it stands for."""

    supported = ("notebook",)

    def parse(self, inputstring: str, document: nodes.document) -> None:
        """Parses the text of an .ipynb file."""
        name = Path(document["source"]).stem
        super().parse(as_markdown(json.loads(inputstring), name), document)


def as_markdown(notebook: dict[str, Any], name: str) -> str:
    """The cells as Markdown, the figure behind the cell that draws it, and a link to the file."""
    parts: list[str] = []
    drawn = False
    saved = GALLERY / f"{name}.json"
    outputs = json.loads(saved.read_text(encoding="utf-8")) if saved.exists() else {}
    for number, cell in enumerate(notebook["cells"]):
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(text)
            continue
        parts.append(f"```python\n{text}\n```")
        if not drawn and ("figure = " in text or "figure, " in text):
            alternative = notebook["metadata"]["ackclock"]["alternative"]
            parts.append(f"![{alternative}](../../published/gallery/{name}.svg)")
            drawn = True
        if output := outputs.get(str(number)):
            language = "{raw} html" if "html" in output else "text"
            (shown,) = output.values()
            parts.append(f"`````{language}\n{shown.strip()}\n`````")
    title, _, rest = parts[0].partition("\n")
    download = f"[This lesson as a notebook](path:{name}.ipynb), to be run and changed."
    sought = ", ".join(f"! {words}" for words in notebook["metadata"]["ackclock"].get("sought", []))
    index = f"```{{index}} {sought}\n```" if sought else ""
    return "\n\n".join((title, index, download, rest.strip(), *parts[1:]))


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_source_suffix(".ipynb", "notebook")
    app.add_source_parser(NotebookParser)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
