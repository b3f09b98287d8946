"""Draws the figures of the documentation while it is built.

```{drawn} algorithms/cubic
:alt: two CUBIC flows over time

A caption, if there is one.
```

shows a figure of `verification.figures` by its key. What was drawn stays in `.cache/figures/` until the data
or the program changes, so that a second build draws nothing.
"""

import os
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


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_directive("drawn", Drawn)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
