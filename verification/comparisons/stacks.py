"""The simulator's TCP and QUIC endpoints, quinn and noq: the same controllers and paths."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence

from verification.comparisons.publication import ROOT, parser, print_and_publish

COMMAND = (
    *("cargo", "test", "--locked", "--package", "ackclock-quic", "--features", "simulation"),
    *("--test", "crosscheck", "--", "--ignored", "--nocapture"),
)
"""The runs, which are a test, since it checks their tolerances and the contract of each call of a
controller."""

HEADINGS = (
    *("algorithm", "Mbit/s", "RTT, ms", "buffer, packets", "stack", "goodput, Mbit/s"),
    *("of the simulator's, %", "loss period, s", "retransmissions", "mean RTT, ms"),
)


def table() -> Iterator[list[str]]:
    """A row for each algorithm, path and stack. The runs have no randomness, and so no intervals."""
    yield list(HEADINGS)
    ran = subprocess.run(COMMAND, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    for line in ran.stdout.splitlines():
        cells = line.split(",")
        if len(cells) == len(HEADINGS) and cells[1].isdigit():
            yield cells


def stacks() -> list[str]:
    """The versions of the stacks, from the lock file."""
    packages = tomllib.loads((ROOT / "Cargo.lock").read_text(encoding="utf-8"))["package"]
    names = ("quinn-proto", "noq-proto")
    return [f"{package['name']} {package['version']}" for package in packages if package["name"] in names]


def main(arguments: Sequence[str]) -> int:
    """Prints the table, and publishes it if asked."""
    chosen = parser("stacks", __doc__).parse_args(arguments)
    print_and_publish("stacks", {"stacks": table()}, chosen.publish, *stacks())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
