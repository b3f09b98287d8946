"""Draws the figures of the documentation while it is built, and makes a page of the figures of each paper.

```{drawn} algorithms/cubic
:alt: two CUBIC flows over time

A caption, if there is one.
```

shows a figure of `verification.figures` by its key. What was drawn stays in `.cache/figures/` until the data
or the program changes, so that a second build draws nothing.
"""

import json
import os
import re
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst.directives.images import Figure
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from ackclock.errors import InputError
from verification.figures import PUBLISHED, drawn


class Drawn(SphinxDirective, Figure):
    """A figure by its key, with the options of `figure`."""

    def run(self) -> list[nodes.Node]:
        """The figure."""
        key = self.arguments[0]
        try:
            file = drawn(key)
        except InputError as error:
            raise self.error(str(error)) from None
        data = PUBLISHED / f"{key}.json"
        if data.is_file():
            self.env.note_dependency(str(data))
        here = Path(self.env.doc2path(self.env.docname)).parent
        self.arguments[0] = os.path.relpath(file, here)
        return Figure.run(self)


def write_pages(app: Sphinx) -> None:
    """Writes the page of figures of each paper where it has changed."""
    folder = Path(app.srcdir) / "papers"
    folder.mkdir(exist_ok=True)
    for paper in sorted((PUBLISHED / "papers").iterdir()):
        page = folder / f"{paper.name}.md"
        text = page_of(paper)
        if not page.is_file() or page.read_text(encoding="utf-8") != text:
            page.write_text(text, encoding="utf-8")


def page_of(paper: Path) -> str:
    """The page of a paper: what `figures.md` lists, with the figures."""
    listed = (paper / "figures.md").read_text(encoding="utf-8")
    (title,) = re.findall(r"^# (.*)$", listed, re.MULTILINE)
    parts = [f"# {title}", f"{{doc}}`../papers` says what was found. The figures of `{paper.name}`:"]
    for name in re.findall(r"^## (.*)$", listed, re.MULTILINE):
        about = json.loads((paper / "figures" / f"{name}.json").read_text(encoding="utf-8"))["description"]
        caption = about.partition(" ackclock ")[0]
        key = f"papers/{paper.name}/figures/{name}"
        parts.append(f"## {name}\n\n```{{drawn}} {key}\n:alt: {name}\n\n{caption}\n```")
    return "\n\n".join(parts) + "\n"


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_directive("drawn", Drawn)
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
