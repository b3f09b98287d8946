"""Tables as LaTeX, for the package booktabs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.report.text import printable

if TYPE_CHECKING:
    from ackclock.report.tables import View

__all__ = ["table"]

SIGNS = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{",
    "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "±": r"$\pm$", "–": "--",
    "\u2009": r"\,", "†": r"\dag{}", "−": "$-$", "µ": r"$\mu$",
}  # fmt: skip
"""Signs that LaTeX reads as commands, and signs that old engines lack."""

ROWS_OF_A_PAGE = 40


def escaped(text: str) -> str:
    """The text as LaTeX prints it."""
    return "".join(SIGNS.get(letter, letter) for letter in printable(text))


def table(view: View) -> str:
    r"""The table as a `tabular` of booktabs, or a `longtable` if it exceeds a page, with its note below.

    Its title, the caption, is a comment above. The best of a column and differences whose sign is certain are
    bold. Columns of names are at the left. The note is a paragraph of its own: within the table it would
    widen the columns.
    """
    heads = " & ".join(escaped(heading) for heading, _ in view.columns)
    lines = [f"% {view.title}"] if view.title else []
    is_long = len(view.rows) > ROWS_OF_A_PAGE
    kind = "longtable" if is_long else "tabular"
    if is_long:
        lines.append(r"% of the package longtable, since it is longer than a page; not within a table")
    lines += [rf"\begin{{{kind}}}{{{_alignment(view)}}}", r"\toprule", rf"{heads} \\"]
    if any(unit for _, unit in view.columns):
        units = " & ".join(f"[{escaped(unit)}]" if unit else "" for _, unit in view.columns)
        lines.append(rf"{units} \\")
    lines += [r"\midrule", *[r"\endhead", r"\bottomrule", r"\endfoot"] * is_long]
    for row in view.rows:
        cells = (
            rf"\textbf{{{escaped(cell.text)}}}" if cell.is_best or cell.is_decided else escaped(cell.text)
            for cell in row
        )
        lines.append(rf"{' & '.join(cells)} \\")
    lines += [*[r"\bottomrule"] * (not is_long), rf"\end{{{kind}}}"]
    if view.note:
        lines += ["", rf"{{\footnotesize {escaped(view.note)}\par}}"]
    return "\n".join([*lines, ""])


def _alignment(view: View) -> str:
    """Numbers at the right, the first column and names at the left."""
    texts = zip(*([cell.text for cell in row] for row in view.rows), strict=True)
    has_numbers = [any(text[:1] in "+-−0123456789" for text in column if text) for column in texts]
    return "l" + "".join("r" if numbers else "l" for numbers in has_numbers[1:])
