"""A directive that shows a command's own help, so that the page cannot say anything else than the program.

```{command-help} compare
```
"""

import json
import os
import subprocess
import sys
from functools import cache

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

PROGRAM = """
import json
from typer.testing import CliRunner
from ackclock import cli
from ackclock.cli.app import COMMANDS

def shown(words):
    return CliRunner().invoke(cli.app, [*words, "--help"], prog_name="ackclock").output

print(json.dumps({"": shown([]), **{name: shown([name]) for name in COMMANDS}}))
"""


@cache
def helps() -> dict[str, str]:
    """The help of every command, from one start of the interpreter, as wide as a page."""
    plain = {"COLUMNS": "84", "TERMINAL_WIDTH": "84", "NO_COLOR": "1", "TERM": "dumb"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, **plain},
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, str] = json.loads(done.stdout)
    return found


class CommandHelp(SphinxDirective):
    """Shows what `ackclock <command> --help` prints."""

    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        """The literal block. An unknown command is an error of the page."""
        command = self.arguments[0] if self.arguments else ""
        if command not in helps():
            raise self.error(f"no command {command} (there are: {', '.join(filter(None, helps()))})")
        text = "\n".join(line.rstrip() for line in helps()[command].strip("\n").splitlines())
        block = nodes.literal_block(text, text)
        block["language"] = "none"
        return [block]


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_directive("command-help", CommandHelp)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
