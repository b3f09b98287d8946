"""Directives that show the specifications of `ackclock conform`: gauges, cases, and who conforms.

The verdicts are those that `python -m verification.conformance --publish` has written.

```{conformance-gauges}
```

The page of an algorithm shows the verdicts on it, by the name of a specification and, where that has several
algorithms, by its own:

```{conformance} vivace vivace-linux
```
"""

from catalogue_table import Parameters
from docutils import nodes
from playground_files import BUILT
from sphinx.application import Sphinx

from ackclock.conformance import playground
from ackclock.conformance.case import Case, Specification
from ackclock.conformance.judge import scenario_of, with_parameters
from ackclock.conformance.specifications import specification, specifications
from verification.league.conformance import Conforming, published


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
            rows = [(key_of(case, each), case.section, case.statement, case.rule) for case in each.cases]
            shown.append(self._table(("case", "section", "statement", "rule"), rows))
        return shown


def key_of(case: Case, by: Specification) -> str:
    """The key of a case, and a link to the playground, if that was built, with the first algorithm."""
    fragment = None
    if (BUILT / "index.html").is_file():
        algorithm = with_parameters(by.algorithms[0], by) if by.algorithms else "newreno"
        fragment = playground.fragment(scenario_of(case, algorithm, algorithm)[0])
    link = f' <a href="playground/index.html{fragment}">play</a>' if fragment else ""
    return f"`{case.key}`{link}"


class Judged(Parameters):
    """A block for each case of a specification: verdict, statement, rule and finding for an algorithm."""

    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        """A sentence with the count, and the blocks; those that do not hold come first."""
        row = self._published()
        cases = {case.key: case for case in specification(row.specification).cases}
        if len(cases) != len(row.findings) + len(row.others):
            raise self.error(f"{row.specification} was not judged since its cases changed: publish it")
        others = [
            self._block(cases[one.case], one.verdict, f"{one.finding}. {one.reason}") for one in row.others
        ]
        holds = [
            self._block(case, "holds", row.findings[key])
            for key, case in cases.items()
            if key in row.findings
        ]
        spec = specification(row.specification)
        command = f"ackclock conform {row.algorithm} --spec {row.specification}"
        sentence = nodes.paragraph(
            "", f"{row.held} cases of “{spec.title}” hold, by {spec.source}, with three seeds: "
        )
        sentence += [nodes.literal("", command), nodes.Text(".")]
        heads = ("case", "verdict", "statement", "rule", "finding", "section")
        return [sentence, nodes.container("", self._table(heads, [*others, *holds]), classes=["verdicts"])]

    def _published(self) -> Conforming:
        """The row of the algorithm; of several, the first that the specification names."""
        key, *algorithm = self.arguments
        rows = [row for row in published() if row.specification == key]
        found = [row for row in rows if not algorithm or row.algorithm == algorithm[0]]
        if not found:
            known = ", ".join(f"{row.specification} {row.algorithm}" for row in published())
            raise self.error(f"nothing was judged by {' '.join(self.arguments)} (there are: {known})")
        names = specification(key).algorithms
        return min(found, key=lambda row: names.index(row.algorithm) if row.algorithm in names else 0)

    def _block(self, case: Case, verdict: str, finding: str) -> tuple[str, ...]:
        return (f"`{case.key}`", verdict, case.statement, case.rule, finding, case.section)


class Verdicts(Parameters):
    """A row for each algorithm that a specification names: the cases that hold, and those that do not."""

    required_arguments = 0

    def run(self) -> list[nodes.Node]:
        """The table."""
        rows = [
            (
                f"`{row.algorithm}`",
                row.specification,
                row.held,
                " ".join(f"`{one.case}` {one.verdict} ({one.finding}). {one.reason}" for one in row.others)
                or "none",
            )
            for row in published()
        ]
        return [self._table(("algorithm", "specification", "cases that hold", "other cases"), rows)]


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
    app.add_directive("conformance", Judged)
    app.add_directive("conformance-gauges", Gauges)
    app.add_directive("conformance-cases", Cases)
    app.add_directive("conformance-verdicts", Verdicts)
    app.add_directive("conformance-counts", Counts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
