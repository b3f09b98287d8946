"""Makes each notebook of docs/notebooks a page: its text, its code, and the figure that it draws.

The figure is the one of `published/gallery/`, behind the first cell that assigns to `figure`. Nothing is run
here: `python docs/notebooks` draws the figures, and a test runs every cell.
"""

import json
from pathlib import Path
from typing import Any

from docutils import nodes
from myst_parser.parsers.sphinx_ import MystParser
from sphinx.application import Sphinx


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
    for cell in notebook["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(text)
            continue
        parts.append(f"```python\n{text}\n```")
        if not drawn and ("figure = " in text or "figure, " in text):
            alternative = notebook["metadata"]["ackclock"]["alternative"]
            parts.append(f"![{alternative}](../../published/gallery/{name}.svg)")
            drawn = True
    title, _, rest = parts[0].partition("\n")
    download = f"[This lesson as a notebook](path:{name}.ipynb), to be run and changed."
    return "\n\n".join((title, download, rest.strip(), *parts[1:]))


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_source_suffix(".ipynb", "notebook")
    app.add_source_parser(NotebookParser)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
