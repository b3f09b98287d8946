"""Directives that show the changes of paths that `ackclock attack` makes, and the gallery of its findings.

```{attack-changes}
```
"""

import json

from catalogue_table import Parameters
from docutils import nodes
from sphinx.application import Sphinx

from ackclock.attacks.space import CHANGES, Key
from ackclock.attacks.words import changes, question, shown
from verification.attacks.gallery import gallery, replayed
from verification.attacks.known import KNOWN, PUBLISHED, published


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


class Again(Parameters):
    """A row for each known weakness, with what the last published search found."""

    required_arguments = 0

    def run(self) -> list[nodes.Node]:
        """The table."""
        rows = []
        for each in KNOWN:
            row = published(each)
            found = "no search is published"
            if row is not None:
                found = f"{row['share']:.2f}: {row['words']}" if row["found"] else "not found"
            asked = ", ".join(f"{name} {value}" for name, value in each.options.items())
            rows.append(
                (f"`{each.key}`", f"`{each.algorithm}`", asked, each.source, f"{each.below:g}", found)
            )
        heads = ("weakness", "algorithm", "sought", "known from", "threshold", "found")
        return [self._table(heads, rows)]


NAMES = {"evolution": "differential evolution", "chance": "chance", "covariance": "CMA-ES"}
"""The optimisers of the comparison, in words."""


class Optimisers(Parameters):
    """A row for each known weakness, with the simulated time after which each optimiser had it."""

    required_arguments = 0

    def run(self) -> list[nodes.Node]:
        """The table."""
        document = json.loads((PUBLISHED / "optimisers.json").read_text(encoding="utf-8"))
        times = {(row["weakness"], row["optimiser"]): row["simulated_s"] for row in document["rows"]}
        keys = dict.fromkeys(row["weakness"] for row in document["rows"])
        rows = [(f"`{key}`", *(", ".join(map(seconds, times[key, name])) for name in NAMES)) for key in keys]
        return [self._table(("weakness", *NAMES.values()), rows)]


def seconds(time_s: float | None) -> str:
    """A simulated time in words."""
    return "not found" if time_s is None else f"{time_s:,.0f} s"


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
    app.add_directive("attack-known", Again)
    app.add_directive("attack-optimisers", Optimisers)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
