"""Writes formulas as MathML, which browsers typeset themselves: nothing is loaded, screen readers read it."""

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator


def inline(translator: HTML5Translator, node: nodes.math) -> None:
    """A formula in a line."""
    translator.body.append(_written(node.astext()))
    raise nodes.SkipNode


def block(translator: HTML5Translator, node: nodes.math_block) -> None:
    """A formula of its own, which is scrolled where it is wider than the page."""
    formula = _written(node.astext(), as_block=True)
    translator.body.append(f'<div class="math" tabindex="0">{formula}</div>\n')
    raise nodes.SkipNode


def _written(formula: str, *, as_block: bool = False) -> str:
    """The formula, on one line: in a line a break would be a space."""
    return "".join(line.strip() for line in tex2mathml(formula, as_block=as_block).splitlines())


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
