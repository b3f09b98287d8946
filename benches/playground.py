"""`python -m benches.playground [SCENARIO]...`: the playground's engine in node beside the native one.

CPU seconds of the same scenarios in one process each, the fastest of several runs, since the first compiles
the module. Nothing is asserted, and the ratio means something only on an otherwise idle machine.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

from rich.console import Console
from rich.table import Table

import ackclock
from ackclock.cli.playground import folder
from ackclock.errors import InputError
from benches.cases import REPOSITORY

SCENARIOS = ("single-flow", "ten-flows-shared", "ten-flows-dumbbell", "parking-lot")
RUNS = 5


def in_node(names: list[str]) -> list[float]:
    """The least CPU seconds of each scenario in WebAssembly. Raises InputError where it is not built."""
    scenarios = [ackclock.load_scenario(name).to_json() for name in names]
    script = REPOSITORY / "playground" / "tests" / "speed.mjs"
    done = subprocess.run(
        ["node", str(script), str(folder()), str(RUNS)],
        input=json.dumps(scenarios),
        capture_output=True,
        text=True,
        check=True,
    )
    seconds: list[float] = json.loads(done.stdout)
    return seconds


def main() -> None:
    """Prints a table."""
    names = sys.argv[1:] or list(SCENARIOS)
    if shutil.which("node") is None:
        print("node is not installed: nothing is measured")
        return
    try:
        wasm = in_node(names)
    except InputError as error:
        print(f"nothing is measured: {error}")
        return
    table = Table("scenario", "native, s", "WebAssembly, s", "ratio")
    for name, seconds in zip(names, wasm, strict=True):
        native = min(ackclock.run(name).cpu_s for _ in range(RUNS))
        table.add_row(name, f"{native:.3f}", f"{seconds:.3f}", f"{seconds / native:.2f}")
    Console().print(table)


if __name__ == "__main__":
    main()
