"""Directives on congestion controls of calls: statements of sources, and the cases of RFC 8867 and 8869.

Both are measured in simulated runs when the documentation is built.

```{media-claims} nada
```

```{media-cases} nada
```
"""

from tempfile import TemporaryDirectory

from catalogue_table import Parameters
from docutils import nodes
from sphinx.application import Sphinx

from ackclock.evaluation.rmcat.evaluate import evaluate_calls
from verification.media.claim import judged
from verification.media.claims import CLAIMS


class MediaClaims(Parameters):
    """A row for each claim: section, statement, the quantity with its value and bounds, the verdict."""

    def run(self) -> list[nodes.Node]:
        """The table."""
        rows = [
            (
                each.claim.section,
                each.claim.statement,
                each.claim.quantity,
                each.found,
                each.claim.bounds,
                f"{each.verdict}. {each.claim.reason}" if not each.holds else each.verdict,
            )
            for each in judged(CLAIMS[self.arguments[0]])
        ]
        heads = ("section", "statement", "measured", "value", "bound", "verdict")
        return [self._table(heads, rows)]


class MediaCases(Parameters):
    """A row for each expectation of the RFCs: its words, the outcome over three seeds, and the verdict."""

    def run(self) -> list[nodes.Node]:
        """The table."""
        with TemporaryDirectory() as store:
            done = evaluate_calls(self.arguments[0], store, quick=True)
        rows = [
            (
                each.expectation.section,
                each.expectation.quote,
                f"{each.cell.name}: {each.words}",
                each.verdict,
            )
            for case in done.judged
            for each in case.found
        ]
        return [self._table(("section", "the RFC expects", "measured", "verdict"), rows)]


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_directive("media-claims", MediaClaims)
    app.add_directive("media-cases", MediaCases)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
