"""Directives that show the specifications of `ackclock conform`: gauges, cases, and who conforms.

```{conformance-gauges}
```
"""

from catalogue_table import Parameters
from docutils import nodes
from sphinx.application import Sphinx

from ackclock.conformance.judge import conform
from ackclock.conformance.specifications import specifications
from ackclock.measures.verdict import Outcome


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
    """A row for each algorithm that a specification names: the cases that hold, and those that do not.

    The algorithms are judged when the page is built, with one seed.
    """

    required_arguments = 0

    def run(self) -> list[nodes.Node]:
        """The table."""
        rows = []
        for each in specifications().values():
            for algorithm in each.algorithms:
                done = conform(algorithm, each.key, seeds=1)
                others = [verdict for verdict in done.verdicts if verdict.outcome is not Outcome.HOLDS]
                words = "; ".join(f"`{one.what}` {one.word}: {one.finding}" for one in others)
                held = f"{len(done.verdicts) - len(others)} of {len(done.verdicts)}"
                rows.append((f"`{algorithm}`", each.key, held, words or "none"))
        return [self._table(("algorithm", "specification", "cases that hold", "other cases"), rows)]


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_directive("conformance-gauges", Gauges)
    app.add_directive("conformance-cases", Cases)
    app.add_directive("conformance-verdicts", Verdicts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
