"""What tshark says of the captures of `drawn`: `python -m tests.captures.answers` writes `answers.csv` anew.

A row has a seed, and the packets and bytes of IP between the hosts with most bytes, in that direction; zeros
where tshark finds none. A capture in which packets were recorded twice is shown to it without the copies.
"""

from __future__ import annotations

import csv
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from tests.captures.drawn import draw

FILE = Path(__file__).with_name("answers.csv")
SEEDS = range(2000)
FIELDS = (
    "ip.src", "ip.dst", "ip.len", "ip.proto", "ipv6.src", "ipv6.dst", "ipv6.plen", "frame.protocols",
)  # fmt: skip


def answer(file: Path) -> tuple[int, int]:
    """Packets and bytes, by the innermost headers."""
    fields = [part for field in FIELDS for part in ("-e", field)]
    form = ["-T", "fields", "-E", "occurrence=l", "-E", "separator=,"]
    done = subprocess.run(["tshark", "-r", file, *form, *fields], capture_output=True, text=True, check=False)
    packets: Counter[tuple[str, str]] = Counter()
    sizes: Counter[tuple[str, str]] = Counter()
    for line in done.stdout.splitlines():
        source, destination, length, _, source_6, destination_6, length_6, layers = line.split(",")
        inner = layers.rpartition(":ip")[2]
        if inner.startswith("v6") and length_6:
            ends, size = (source_6, destination_6), int(length_6) + 40
        elif source and length and not inner.startswith("v6"):
            ends, size = (source, destination), int(length)
        else:
            continue
        packets[ends] += 1
        sizes[ends] += size
    if not sizes:
        return 0, 0
    most = max(sizes, key=lambda ends: sizes[ends])
    return packets[most], sizes[most]


def answers(seed: int) -> tuple[int, int, int]:
    """A row: the seed, the packets and the bytes."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "drawn.pcap"
        file.write_bytes(draw(seed).once)
        return seed, *answer(file)


def main() -> None:
    """Writes the answers."""
    with ProcessPoolExecutor() as pool, FILE.open("w", newline="", encoding="utf-8") as opened:
        writer = csv.writer(opened, lineterminator="\n")
        writer.writerow(("seed", "packets", "bytes"))
        for row in pool.map(answers, SEEDS, chunksize=10):
            writer.writerow(row)
            print(f"\r{row[0] + 1} of {len(SEEDS)}", end="", file=sys.stderr)


if __name__ == "__main__":
    main()
