"""A directive that shows what `make bench JSON=published/bench.json` measured: no number is copied by hand.

```{bench} shares
| case | ... |
```

`shares` has speeds with the shares of the bare loop; `ratios` our speed over that of others;
`utilisations` how busy each keeps the bottleneck; `costs` speed, events and memory of this simulator;
`commands` a comparison and a sweep; `machine` the machine of the measurement. The content is for readers of
the Markdown; a test holds it to what is shown.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from benches import tables

PUBLISHED = Path(__file__).resolve().parents[2] / "published" / "bench.json"
SHOWN: Mapping[str, Callable[[Any], Iterator[str]]] = {
    "shares": tables.shares,
    "ratios": tables.ratios,
    "utilisations": tables.utilisations,
    "costs": tables.costs,
    "commands": tables.commands,
    "machine": tables.machine,
}


class Bench(SphinxDirective):
    """Shows one part of the published run."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        """The table or the sentence."""
        show = SHOWN.get(self.arguments[0])
        if show is None:
            raise self.error(f"no table {self.arguments[0]} (there are: {', '.join(SHOWN)})")
        self.env.note_dependency(str(PUBLISHED))
        results = json.loads(PUBLISHED.read_text(encoding="utf-8"))
        text = StringList(list(show(results)), source="")
        holder = nodes.container()
        self.state.nested_parse(text, self.content_offset, holder)
        return holder.children


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_directive("bench", Bench)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
