"""A directive that shows the columns of a table of results, as `ackclock.columns` declares them.

```{columns} flows
```

It shows the meaning of a row, and a row for each column: name, unit and meaning.
"""

from catalogue_table import Parameters
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx

from ackclock.columns import TABLES


class Columns(Parameters):
    """The columns of one table."""

    def run(self) -> list[nodes.Node]:
        """A sentence, and the columns that are declared. An unknown table is an error of the page."""
        name = self.arguments[0]
        if name not in TABLES:
            raise self.error(f"no table {name} (there are: {', '.join(TABLES)})")
        kind = TABLES[name]
        holder = nodes.container()
        self.state.nested_parse(StringList([f"{kind.row[0].upper()}{kind.row[1:]}."], source=""), 0, holder)
        shown: list[nodes.Node] = list(holder.children)
        if kind.columns:
            columns = ((each, kind.column(each)) for each in kind.columns)
            rows: list[tuple[str, ...]] = [
                (f"`{each}`", column.unit, column.meaning) for each, column in columns
            ]
            headings = ["column", "unit", "meaning"]
            if kind.of_linux:
                headings.append("in Linux")
                names = (kind.of_linux.get(each) for each in kind.columns)
                rows = [(*row, f"`{name}`" if name else "") for row, name in zip(rows, names, strict=True)]
            shown.append(self._table(tuple(headings), rows))
        return shown


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_directive("columns", Columns)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
