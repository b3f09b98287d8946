"""A directive that shows a command's own help, so that the page cannot say anything else than the program.

```{command-help} compare
```
"""

import os
import subprocess
import sys
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


class CommandHelp(SphinxDirective):
    """Runs `ackclock <arguments> --help` and shows what it prints."""

    optional_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """The literal block. A command that fails is an error of the page."""
        words = self.arguments[0].split() if self.arguments else []
        plain = {"COLUMNS": "84", "TERMINAL_WIDTH": "84", "NO_COLOR": "1", "TERM": "dumb"}
        done = subprocess.run(
            [str(Path(sys.executable).with_name("ackclock")), *words, "--help"],
            env={**os.environ, **plain},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise self.error(f"ackclock {' '.join(words)} --help: {done.stderr}")
        text = "\n".join(line.rstrip() for line in done.stdout.strip("\n").splitlines())
        block = nodes.literal_block(text, text)
        block["language"] = "none"
        return [block]


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_directive("command-help", CommandHelp)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
