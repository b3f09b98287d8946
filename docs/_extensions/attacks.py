"""Directives that show the changes of paths that `ackclock attack` makes, and the gallery of its findings.

```{attack-changes}
```
"""

from catalogue_table import Parameters
from docutils import nodes
from sphinx.application import Sphinx

from ackclock.attacks.space import CHANGES, Key
from ackclock.attacks.words import changes, question, shown
from verification.attacks.gallery import gallery, replayed


class Changes(Parameters):
    """A row for each change, with the bounds of its keys."""

    required_arguments = 0

    def run(self) -> list[nodes.Node]:
        """The table."""
        rows = [
            (
                f"`{each.name}`",
                each.words.replace("{", "*").replace("}", "*"),
                "; ".join(map(bounds, each.keys)),
            )
            for each in CHANGES
        ]
        return [self._table(("change", "meaning", "bounds"), rows)]


def bounds(key: Key) -> str:
    """The bounds of a key in words."""
    if key.choices:
        return f"`{key.name}`: {', '.join(key.choices)}"
    unit = f" {key.unit}" if key.unit else ""
    return f"`{key.name}`: {shown(key.low)} to {shown(key.high)}{unit}"


class Gallery(Parameters):
    """A row for each finding of the gallery, with what it leaves now: all are run when the page is built."""

    required_arguments = 0

    def run(self) -> list[nodes.Node]:
        """The table."""
        rows = []
        for each in gallery():
            share = replayed(each)
            problem = each.problem
            rows.append(
                (
                    f"`{each.name}`",
                    f"`{', '.join(problem.contenders)}`",
                    "; ".join(changes(each.path)),
                    question(problem),
                    f"{share:.2f}, {each.state}",
                    each.source,
                )
            )
        heads = ("file", "algorithm", "path", "sought", "what is left", "known from")
        return [self._table(heads, rows)]


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_directive("attack-changes", Changes)
    app.add_directive("attack-gallery", Gallery)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
