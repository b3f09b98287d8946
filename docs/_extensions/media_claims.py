"""A directive that shows the statements of a source about a congestion control of calls.

Each is measured in simulated runs when the documentation is built.

```{media-claims} nada
```
"""

from catalogue_table import Parameters
from docutils import nodes
from sphinx.application import Sphinx

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


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_directive("media-claims", MediaClaims)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
