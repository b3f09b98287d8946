"""Makes pages accessible where the theme leaves something out.

Captions of the navigation have a level, and code that is wider than the page can be scrolled by the keyboard.
"""

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

AFTER_THE_THEME = 900


def mend(app: Sphinx, page: str, template: str, context: dict[str, Any], tree: nodes.document | None) -> None:
    """Adds the attributes to a page that is about to be written."""
    del app, page, template, tree
    replaced = (('role="heading"', 'role="heading" aria-level="2"'), ("<pre>", '<pre tabindex="0">'))
    for part in ("furo_navigation_tree", "body"):
        for without, whole in replaced:
            if isinstance(context.get(part), str):
                context[part] = context[part].replace(without, whole)


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("html-page-context", mend, priority=AFTER_THE_THEME)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
