"""Directives that show the specifications of `ackclock conform`: their gauges, and their cases.

```{conformance-gauges}
```
"""

from catalogue_table import Parameters
from docutils import nodes
from sphinx.application import Sphinx

from ackclock.conformance.specifications import specifications


class Gauges(Parameters):
    """A row for each gauge that cases read."""

    required_arguments = 0

    def run(self) -> list[nodes.Node]:
        """The table."""
        rows = [
            (f"`{each.key}`", f"`{gauge.name}`", gauge.unit, gauge.meaning)
            for each in specifications().values()
            for gauge in each.gauges
        ]
        return [self._table(("specification", "gauge", "unit", "meaning"), rows)]


class Cases(Parameters):
    """For each specification its source and a row for each case."""

    required_arguments = 0

    def run(self) -> list[nodes.Node]:
        """The tables, each after a paragraph."""
        shown: list[nodes.Node] = []
        for each in specifications().values():
            shown.append(nodes.rubric("", each.key))
            named = f"It specifies {', '.join(each.algorithms)}." if each.algorithms else ""
            shown.append(nodes.paragraph("", f"{each.title}, by {each.source}. {named}"))
            rows = [(f"`{case.key}`", case.section, case.statement, case.rule) for case in each.cases]
            shown.append(self._table(("case", "section", "statement", "rule"), rows))
        return shown


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_directive("conformance-gauges", Gauges)
    app.add_directive("conformance-cases", Cases)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
