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


def escaped(text: str) -> str:
    """The text as LaTeX prints it."""
    return "".join(SIGNS.get(letter, letter) for letter in printable(text))


def table(view: View) -> str:
    r"""The table as a `tabular` of booktabs with its note below; its title, the caption, is a comment above.

    The best of a column and differences whose sign is certain are bold.
    """
    heads = " & ".join(escaped(heading) for heading, _ in view.columns)
    lines = [f"% {view.title}"] if view.title else []
    lines += [r"\begin{tabular}{l" + "r" * (len(view.columns) - 1) + "}", r"\toprule", rf"{heads} \\"]
    if any(unit for _, unit in view.columns):
        units = " & ".join(f"[{escaped(unit)}]" if unit else "" for _, unit in view.columns)
        lines.append(rf"{units} \\")
    lines.append(r"\midrule")
    for row in view.rows:
        cells = (
            rf"\textbf{{{escaped(cell.text)}}}" if cell.is_best or cell.is_decided else escaped(cell.text)
            for cell in row
        )
        lines.append(rf"{' & '.join(cells)} \\")
    lines.append(r"\bottomrule")
    if view.note:
        whole = rf"\multicolumn{{{len(view.columns)}}}{{p{{0.9\linewidth}}}}"
        lines.append(rf"{whole}{{\footnotesize {escaped(view.note)}}} \\")
    return "\n".join([*lines, r"\end{tabular}", ""])
