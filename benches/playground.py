"""`python -m benches.playground [--publish]`: what the playground asks of a reader's machine and patience.

The bytes that a browser downloads; CPU seconds of the same scenarios in node and native, in one process
each, the fastest of several runs, since the first compiles the module; and in Chromium the time to the first
picture, and from the movement of a slider to the new one. Nothing is asserted, and times mean something
only on an otherwise idle machine.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ackclock
from ackclock.cli.playground_server import folder
from ackclock.errors import InputError
from verification.comparisons.publication import print_and_publish

ROOT = Path(__file__).resolve().parents[1]
TOOLS = ROOT / "playground" / "tests"

MOST_BYTES = {"simulator": 582_000, "all": 670_000}
"""The most that a browser may download, compressed by brotli: of the simulator, and of all files."""

SCENARIOS = ("single-flow", "ten-flows-shared", "ten-flows-dumbbell", "parking-lot")
RUNS = 7

Row = list[str]


def in_node(tool: str, *arguments: str, given: str = "") -> Any:
    """Runs a program next to the playground's tests, and returns the JSON that it prints."""
    command = ["node", str(TOOLS / tool), *arguments]
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def size() -> Iterator[Row]:
    """The download."""
    bytes_of = in_node("sizes.mjs", str(folder()))
    for part, title in (("simulator", "the simulator"), ("all", "all files")):
        most = f"{MOST_BYTES[part] / 1e3:.0f} kB"
        yield [f"download, {title}, brotli", f"{bytes_of[part] / 1e3:.0f} kB", most]


def speed() -> Iterator[Row]:
    """WebAssembly compared with the native engine."""
    scenarios = [ackclock.load_scenario(name).to_json() for name in SCENARIOS]
    wasm = in_node("speed.mjs", str(folder()), str(RUNS), given=json.dumps(scenarios))
    for name, seconds in zip(SCENARIOS, wasm, strict=True):
        native = min(ackclock.run(name).cpu_s for _ in range(RUNS))
        measured = f"{seconds / native:.2f} ({1e3 * seconds:.0f} and {1e3 * native:.0f} ms)"
        yield [f"CPU time of {name}, by the native engine's", measured, "2"]


def patience() -> Iterator[Row]:
    """A real browser."""
    seen = in_node("figures.mjs", str(RUNS))
    pictures, redraws = seen["first_picture_ms"], seen["redraw_ms"]
    middle = pictures[len(pictures) // 2]
    yield ["first picture, nothing kept", f"{middle:.0f} ms (slowest {pictures[-1]:.0f})", "2000 ms"]
    yield [
        "slider to picture, 30 s of two flows at 20 Mbit/s",
        f"{redraws['median']:.0f} ms (nine of ten within {redraws['ninth_of_ten']:.0f})",
        "100 ms",
    ]


def main() -> int:
    """Prints a table, and publishes it if asked."""
    parser = argparse.ArgumentParser(prog="python -m benches.playground", description=__doc__)
    parser.add_argument("--publish", action="store_true", help="renew what the documentation shows")
    chosen = parser.parse_args()
    if shutil.which("node") is None:
        print("node is not installed: nothing is measured")
        return 2
    try:
        rows = [["quantity", "measured", "bound"], *size(), *speed(), *patience()]
    except InputError as error:
        print(f"nothing is measured: {error}")
        return 2
    print_and_publish("playground", {"figures": rows}, chosen.publish)
    return 0


if __name__ == "__main__":
    sys.exit(main())
