"""Makes pages accessible where the theme leaves something out.

Captions of the navigation have a level, code and tables that are wider than the page can be scrolled by the
keyboard, and the parameters of a signature of several lines are no list of definitions without terms.
"""

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

AFTER_THE_THEME = 900

REPLACED = (
    ('role="heading"', 'role="heading" aria-level="2"'),
    ("<pre>", '<pre tabindex="0">'),
    ('<div class="table-wrapper', '<div tabindex="0" class="table-wrapper'),
)
PARAMETERS = re.compile(r"<dl>\s*((?:<dd>(?:(?!<d[ld]\b).)*?</dd>\s*)+)</dl>", re.DOTALL)
"""The lines of a signature, as Sphinx writes them: descriptions alone."""


def _lines(found: re.Match[str]) -> str:
    inner = found[1].replace("<dd>", '<div class="sig-line">').replace("</dd>", "</div>")
    return f'<div class="sig-lines">{inner}</div>'


def mend(app: Sphinx, page: str, template: str, context: dict[str, Any], tree: nodes.document | None) -> None:
    """Adds the attributes to a page that is about to be written."""
    del app, page, template, tree
    for part in ("furo_navigation_tree", "body"):
        if not isinstance(context.get(part), str):
            continue
        for without, whole in REPLACED:
            context[part] = context[part].replace(without, whole)
        context[part] = PARAMETERS.sub(_lines, context[part])


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("html-page-context", mend, priority=AFTER_THE_THEME)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
