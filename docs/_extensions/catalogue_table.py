"""A directive that shows the parameters of a catalogue entry.

```{parameters} avoidance/bic
```

The argument is the kind and the name of the entry; the rows are those of `ackclock list KIND --json`. Keys
of a scenario's table, where the entry has some, follow in a table of their own.
"""

from math import isinf

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from ackclock.scenarios.catalogue import KINDS, Entry, Parameter, list_entries


class Parameters(SphinxDirective):
    """Shows the parameters and the keys of one entry."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """The tables. An entry that does not exist is an error of the page."""
        entry = self._entry()
        tables = []
        if entry.parameters:
            rows = [parameter_row(parameter) for parameter in entry.parameters]
            tables.append(self._table(("name", "default", "range", "meaning"), rows))
        if entry.keys:
            keys = [
                (f"`{key.name}`", "required" if key.required else "", f"`{key.example}`", key.meaning)
                for key in entry.keys
            ]
            tables.append(self._table(("key", "", "such as", "meaning"), keys))
        return tables or [nodes.paragraph("", "None.")]

    def _entry(self) -> Entry:
        kind, _, name = self.arguments[0].partition("/")
        entries = [entry for what in KINDS for entry in list_entries(what)]
        for entry in entries:
            if (entry.kind.replace(" ", "-"), entry.name) == (kind, name):
                return entry
        known = sorted({f"{entry.kind.replace(' ', '-')}/{entry.name}" for entry in entries})
        raise self.error(f"no entry {self.arguments[0]} (there are: {', '.join(known)})")

    def _table(self, headings: tuple[str, ...], rows: list[tuple[str, ...]]) -> nodes.table:
        group = nodes.tgroup("", cols=len(headings))
        widths = [max(len(cell) for cell in column) for column in zip(headings, *rows, strict=True)]
        group += [nodes.colspec("", colwidth=width) for width in widths]
        head, body = nodes.thead(), nodes.tbody()
        head += self._row(headings)
        body += [self._row(row) for row in rows]
        group += [head, body]
        return nodes.table("", group, classes=["colwidths-auto"])

    def _row(self, cells: tuple[str, ...]) -> nodes.row:
        row = nodes.row()
        for text in cells:
            cell = nodes.entry()
            if text:
                self.state.nested_parse(StringList([text], source=""), 0, cell)
            row += cell
        return row


def parameter_row(parameter: Parameter) -> tuple[str, str, str, str]:
    """Name, default with its unit, range and meaning."""
    unit = f" {parameter.unit}" if parameter.unit not in ("", "count", "0 or 1") else ""
    default = "required" if parameter.default is None else f"{parameter.default:,.10g}{unit}"
    if parameter.names and parameter.default is not None:
        default = parameter.names[int(parameter.default)]
    if parameter.names:
        span = ", ".join(parameter.names)
    elif parameter.unit == "0 or 1":
        span = "0 or 1"
    elif isinf(parameter.maximum):
        span = f"at least {parameter.minimum:,.10g}"
    else:
        span = f"{parameter.minimum:,.10g} to {parameter.maximum:,.10g}"
    return f"`{parameter.name}`", default, span, parameter.meaning


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_directive("parameters", Parameters)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
