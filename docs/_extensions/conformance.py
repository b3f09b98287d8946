"""Directives that show the specifications of `ackclock conform`: gauges, cases, and who conforms.

The verdicts are those that `python -m verification.conformance --publish` has written.

```{conformance-gauges}
```
"""

import json
from pathlib import Path

from catalogue_table import Parameters
from docutils import nodes
from sphinx.application import Sphinx

from ackclock.conformance.specifications import specifications

PUBLISHED = Path(__file__).resolve().parents[2] / "published" / "conformance" / "verdicts.json"


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


class Verdicts(Parameters):
    """A row for each algorithm that a specification names: the cases that hold, and those that do not."""

    required_arguments = 0

    def run(self) -> list[nodes.Node]:
        """The table."""
        rows = [
            (
                f"`{row['algorithm']}`",
                row["specification"],
                f"{row['hold']} of {row['cases']}",
                " ".join(self._other(other) for other in row["others"]) or "none",
            )
            for row in json.loads(PUBLISHED.read_text(encoding="utf-8"))["rows"]
        ]
        return [self._table(("algorithm", "specification", "cases that hold", "other cases"), rows)]

    @staticmethod
    def _other(other: dict[str, str]) -> str:
        return f"`{other['case']}` {other['verdict']} ({other['finding']}). {other['reason']}"


class Counts(Parameters):
    """A sentence with the numbers of specifications and cases."""

    required_arguments = 0

    def run(self) -> list[nodes.Node]:
        """The sentence."""
        known = specifications().values()
        cases = sum(len(each.cases) for each in known)
        return [nodes.paragraph("", f"There are {len(known)} specifications with {cases} cases.")]


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_directive("conformance-gauges", Gauges)
    app.add_directive("conformance-cases", Cases)
    app.add_directive("conformance-verdicts", Verdicts)
    app.add_directive("conformance-counts", Counts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
