"""`python -m benches.queues`: instructions per packet of every queue discipline at 10, 1000 and 10,000 flows.

The example `queue` of the network crate offers packets of random flows at 1.1 times the link's rate, with a
buffer of two packets per flow. Counted by valgrind's callgrind, as the difference of two runs. Fails when a
discipline takes more than three times as many instructions at 10,000 flows as at 10: a walk over flows or
packets takes hundreds of times as many, a tree or a heap two times.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from functools import cache

from rich.console import Console
from rich.progress import track
from rich.table import Table

from ackclock import list_queues
from benches.cases import REPOSITORY

FLOWS = (10, 1_000, 10_000)
MANY = 65_536
"""Queues or buckets of the disciplines that hash flows, beside their defaults."""
HASHED = {"fq-codel": "flows", "fq-pie": "flows", "drr": "flows", "sfq": "buckets"}
PACKETS = (20_000, 60_000)
"""Packets of the two runs whose difference counts: the shorter one fills the buffer of 10,000 flows."""
GROWTH = 3.0
"""The most instructions per packet at the most flows, relative to those at the fewest."""


def disciplines() -> list[str]:
    """Every discipline of the catalogue, and those that hash flows with many queues as well."""
    names = [entry.name for entry in list_queues()]
    return [*names, *(f"{name}({parameter}={MANY})" for name, parameter in HASHED.items())]


@cache
def executable() -> str:
    """Compiles the example `queue`, if necessary, and returns its path."""
    command = [
        "cargo",
        "build",
        "--quiet",
        "--locked",
        "--release",
        "--message-format=json-render-diagnostics",
    ]
    command += ["--package", "ackclock-network", "--example", "queue"]
    done = subprocess.run(command, cwd=REPOSITORY, check=True, stdout=subprocess.PIPE, text=True)
    messages = map(json.loads, done.stdout.splitlines())
    return next(str(message["executable"]) for message in messages if message.get("executable"))


def counted(queue: str, flows: int, packets: int) -> int:
    """Instructions of one run."""
    callgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    command = [*callgrind, executable(), queue, str(flows), str(packets)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if found is None:
        raise ValueError(f"valgrind did not report instructions: {done.stderr}")
    return int(found[1])


def per_packet(queue: str, flows: int) -> float:
    """Instructions per packet offered."""
    short, long = PACKETS
    return (counted(queue, flows, long) - counted(queue, flows, short)) / (long - short)


def main() -> int:
    """Returns 0, or 1 if the cost of a discipline grows with the flows."""
    if shutil.which("valgrind") is None:
        Console().print("valgrind is not installed: nothing is counted")
        return 0
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("discipline", *(f"{flows:,} flows" for flows in FLOWS), "ratio"):
        table.add_column(heading, justify="left" if heading == "discipline" else "right")
    growing = []
    shown = Console(stderr=True)
    for queue in track(disciplines(), "counting", console=shown, transient=True):
        counts = [per_packet(queue, flows) for flows in FLOWS]
        growth = counts[-1] / counts[0]
        table.add_row(queue, *(f"{count:.0f}" for count in counts), f"{growth:.2f}")
        growing += [queue] if growth > GROWTH else []
    Console().print("Instructions per packet offered", table)
    if growing:
        Console().print(f"The cost grows with the flows: {', '.join(growing)}.")
    return 1 if growing else 0


if __name__ == "__main__":
    sys.exit(main())
