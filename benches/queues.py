"""`python -m benches.queues`: what a packet costs in every queue discipline at 10, 1000 and 10,000 flows.

The example `queue` of the network crate fills a buffer of two packets per flow at time zero, then offers
packets of random flows at 1.1 times the link's rate, so that about every eleventh is dropped or pushes
another out. Every fiftieth is marked to be dropped first, every seventh is a retransmission. Instructions are
counted by valgrind's callgrind, as the difference of two runs. Fails when a discipline needs more than three
times as many instructions at 10,000 flows as at 10: a walk over flows or packets needs tens or hundreds of
times as many, a tree or a heap about twice as many. It also shows the CPU time of a packet at 10,000 flows,
the median of three differences of longer runs, which decides nothing.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import statistics
import subprocess
import sys
from collections.abc import Sequence

from rich.console import Console
from rich.progress import track
from rich.table import Table

from ackclock import list_queues
from benches.rounds import run
from verification.examples import example

FLOWS = (10, 1_000, 10_000)
MANY = 65_536
"""Queues or buckets of disciplines that hash flows."""
LATE = 1_000_000
"""A target delay in milliseconds that no packet exceeds, so that only the full buffer drops packets."""
VARIANTS = (
    f"codel(target={LATE})",
    f"cobalt(target={LATE})",
    f"fq-codel(target={LATE})",
    f"fq-codel(target={LATE},flows={MANY})",
    f"fq-pie(target={LATE})",
    f"fq-pie(target={LATE},flows={MANY})",
    f"drr(flows={MANY})",
    f"sfq(buckets={MANY})",
    f"protect(buckets={MANY})",
    f"protect(buckets={MANY},pushout=1)",
    "protect(pushout=1)",
    "classes(transmission=1)",
    "rio(short=10)",
    "rio(marked=1)",
)
"""Disciplines with other parameters: more of their code runs, or has more queues to choose from."""
PACKETS = (5_000, 25_000)
"""Packets of the two runs, in addition to those that fill the buffer; their difference counts."""
TIMED = (200_000, 2_200_000)
"""Packets of the two runs whose CPU times are compared."""
FAST = (
    "drop-priority",
    "sfq",
    "budgets",
    "protect(pushout=1)",
    "classes(transmission=1)",
    f"fq-codel(target={LATE})",
)
"""Disciplines of `--fast`: each finds the packet to drop or serve in a way of its own.

They are counted in the program that tests compile too.
"""
GROWTH = 3.0
"""The most instructions per packet at the most flows, relative to those at the fewest."""


def disciplines() -> list[str]:
    """Every discipline of the catalogue by default, and the variants."""
    return [*(entry.name for entry in list_queues()), *VARIANTS]


def program(*, release: bool = True) -> str:
    """The example, as it is shipped or as tests are compiled."""
    return example("ackclock-network", "queue", release=release)


def counted(queue: str, flows: int, packets: int, *, release: bool) -> int:
    """Instructions of one run."""
    callgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    command = [*callgrind, program(release=release), queue, str(flows), str(packets)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if found is None:
        raise ValueError(f"valgrind did not report instructions: {done.stderr}")
    return int(found[1])


def per_packet(queue: str, flows: int, *, release: bool) -> float:
    """Instructions per packet offered."""
    short, long = (counted(queue, flows, packets, release=release) for packets in PACKETS)
    return (long - short) / (PACKETS[1] - PACKETS[0])


def nanoseconds(queue: str, flows: int) -> float:
    """CPU time per packet offered; the median of three."""

    def cpu_s(packets: int) -> float:
        return run([program(), queue, str(flows), str(packets)], patience=600)[0]

    short, long = TIMED
    return 1e9 * statistics.median((cpu_s(long) - cpu_s(short)) / (long - short) for _ in range(3))


def outcome(queue: str, flows: int, packets: int, *, release: bool) -> dict[str, int]:
    """Packets delivered, refused at a full buffer, pushed out for others, and dropped early."""
    command = [program(release=release), queue, str(flows), str(packets)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, int] = json.loads(done.stdout)
    return found


def main(arguments: Sequence[str] = ()) -> int:
    """Returns 0, or 1 if the cost of a discipline grows with the flows."""
    parser = argparse.ArgumentParser(prog="python -m benches.queues", description=__doc__)
    parser.add_argument("queues", nargs="*", metavar="queue", help="disciplines; default: all, with variants")
    parser.add_argument(
        "--fast", action="store_true", help="count a few of them, at the fewest and most flows"
    )
    chosen = parser.parse_args(arguments)
    flows = FLOWS[:: len(FLOWS) - 1] if chosen.fast else FLOWS
    wanted = chosen.queues or (FAST if chosen.fast else disciplines())
    if shutil.which("valgrind") is None:
        Console().print("valgrind is not installed: nothing is counted")
        return 0
    table = Table(box=None, pad_edge=False, header_style="bold")
    timed = [] if chosen.fast else ["ns"]
    for heading in ("discipline", *(f"{count:,} flows" for count in flows), "ratio", *timed):
        table.add_column(heading, justify="left" if heading == "discipline" else "right")
    growing = []
    shown = Console(stderr=True)
    for queue in track(wanted, "counting", console=shown, transient=True):
        counts = [per_packet(queue, count, release=not chosen.fast) for count in flows]
        growth = counts[-1] / counts[0]
        cells = [f"{nanoseconds(queue, flows[-1]):.0f}" for _ in timed]
        table.add_row(queue, *(f"{count:.0f}" for count in counts), f"{growth:.2f}", *cells)
        growing += [queue] if growth > GROWTH else []
    Console().print(
        f"Instructions per packet offered{', and CPU time with the most flows' if timed else ''}", table
    )
    if growing:
        Console().print(f"The cost grows with the flows: {', '.join(growing)}.")
    return 1 if growing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
