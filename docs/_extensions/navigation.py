"""Renders the navigation once for each folder, and marks the current page in it.

Sphinx resolves and renders the tree of all pages anew for every page, and the theme parses it to add its
elements: most of the time of a build.
"""

import re
from functools import cache
from typing import Any

from docutils import nodes
from furo.navigation import get_navigation_tree
from sphinx.application import Sphinx
from sphinx.environment.adapters.toctree import TocTree

BEFORE_THE_THEME, AFTER_THE_THEME = 100, 600
TAG = re.compile(r"<(/?)(ul|li)(?: class=\"([^\"]*)\")?>")
CHECKBOX = ' class="toctree-checkbox"'
HERE = '<a class="current reference internal" href="#">'


def leave_out(
    app: Sphinx, page: str, template: str, context: dict[str, Any], tree: nodes.document | None
) -> None:
    """Replaces the function by which the theme asks for the navigation of a page: it has nothing to parse."""
    del app, page, template, tree
    if "toctree" in context:
        context["toctree"] = lambda **_: ""


def navigate(
    app: Sphinx, page: str, template: str, context: dict[str, Any], tree: nodes.document | None
) -> None:
    """Gives the page its navigation."""
    del template, tree
    if "toctree" in context:
        context["furo_navigation_tree"] = of_page(app, page)


def of_page(app: Sphinx, page: str) -> str:
    """The navigation as it is on a page."""
    nobody = f"{page.rpartition('/')[0]}/-".lstrip("/")
    return marked(of_folder(app, nobody), app.builder.get_relative_uri(nobody, page))


@cache
def of_folder(app: Sphinx, nobody: str) -> str:
    """The navigation as it would be on a page that it does not list, with the elements of the theme."""
    found = TocTree(app.env).get_toctree_for(
        nobody, app.builder, collapse=False, titles_only=True, maxdepth=-1, includehidden=True
    )
    return get_navigation_tree(app.builder.render_partial(found)["fragment"])  # type: ignore[attr-defined]


def marked(html: str, address: str) -> str:
    """The same with the classes of the current page, which is at an address."""
    link = html.find(f'<a class="reference internal" href="{address}">')
    if link < 0:
        return html
    around: list[re.Match[str]] = []
    for tag in TAG.finditer(html, 0, link):
        if tag[1]:
            around.pop()
        else:
            around.append(tag)
    innermost = [tag for tag in around if tag[2] == "li"][-1]
    edits = [(link, html.index(">", link) + 1, HERE)]
    for tag in around:
        classes = (tag[3] or "").split()
        if "has-children" in classes:
            box = html.index(CHECKBOX, tag.end())
            edits.append((box, box, ' checked=""'))
        written = [*classes[:1], "current", *classes[1:], *(["current-page"] if tag is innermost else [])]
        edits.append((tag.start(), tag.end(), f'<{tag[2]} class="{" ".join(written)}">'))
    parts, done = [], 0
    for start, end, text in sorted(edits):
        parts += [html[done:start], text]
        done = end
    return "".join([*parts, html[done:]])


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("html-page-context", leave_out, priority=BEFORE_THE_THEME)
    app.connect("html-page-context", navigate, priority=AFTER_THE_THEME)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
