"""Renders the navigation once for each folder, and marks the current page in it.

Sphinx resolves and renders the tree of all pages anew for every page: most of the time of a build.
"""

import re
from functools import cache, partial
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment.adapters.toctree import TocTree

BEFORE_THE_THEME = 100
TAG = re.compile(r"<(/?)(ul|li)(?: class=\"([^\"]*)\")?>")


def navigate(
    app: Sphinx, page: str, template: str, context: dict[str, Any], tree: nodes.document | None
) -> None:
    """Replaces the function by which the theme asks for the navigation of a page."""
    del template, tree
    if "toctree" in context:
        context["toctree"] = partial(of_page, app, page)


def of_page(app: Sphinx, page: str, **options: object) -> str:
    """The navigation as it is on a page."""
    nobody = f"{page.rpartition('/')[0]}/-".lstrip("/")
    html = of_folder(app, nobody, tuple(options.items()))
    return marked(html, app.builder.get_relative_uri(nobody, page))


@cache
def of_folder(app: Sphinx, nobody: str, options: tuple[tuple[str, object], ...]) -> str:
    """The navigation as it would be on a page that it does not list."""
    found = TocTree(app.env).get_toctree_for(nobody, app.builder, **dict(options))  # type: ignore[arg-type]
    return str(app.builder.render_partial(found)["fragment"])  # type: ignore[attr-defined]


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
    parts, done = [], 0
    for tag in around:
        classes = f"{tag[3]} current" if tag[3] else "current"
        parts += [html[done : tag.start()], f'<{tag[2]} class="{classes}">']
        done = tag.end()
    here = '<a class="current reference internal" href="#">'
    return "".join([*parts, html[done:link], here, html[html.index(">", link) + 1 :]])


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("html-page-context", navigate, priority=BEFORE_THE_THEME)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
