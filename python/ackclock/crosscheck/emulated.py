"""An emulated link between two name spaces for one run: the program ackclock-link."""

from __future__ import annotations

import csv
import json
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ackclock.crosscheck import host
from ackclock.crosscheck.cases import Bottleneck

__all__ = ["ADDRESS", "PROGRAM", "Link", "link"]

PROGRAM = "ackclock-link"
ADDRESS = "10.77.0.2"
"""Of the receiver's end."""


class Link:
    """A link that is up; after its end, the record of its packets."""

    def __init__(self, near: str, far: str) -> None:
        self.near, self.far = near, far
        self.up_at = time.monotonic()
        self.drops_s: list[float] = []
        """The times of drops forward, in seconds since the link came up."""
        self.lateness_p99_s = 0.0
        self.on_time = True

    def age_s(self) -> float:
        """The time since the link came up."""
        return time.monotonic() - self.up_at


@contextmanager
def link(path: Bottleneck, *, calibrated: bool = False) -> Iterator[Link]:
    """A link for the block. Its name spaces are made and removed by the program.

    Where `calibrated`, its delay is shorter by what the host adds to a round trip between two programs.
    """
    near, far = (f"ackclock-{os.getpid()}-{end}" for end in "ab")
    with tempfile.TemporaryDirectory() as folder:
        drops = Path(folder) / "drops.csv"
        arguments = [
            str(host.find(PROGRAM)), near, far, "--json", "--drops", str(drops),
            "--rate", f"{path.megabits} Mbit/s", "--delay", f"{path.delay_ms} ms",
            "--buffer", f"{path.buffer_packets} packets", *(["--calibrate"] if calibrated else []),
        ]  # fmt: skip
        with host.running(arguments) as process:
            process.come_up("up: ")
            made = Link(near, far)
            yield made
            report = json.loads(process.interrupt())
        made.on_time = report["on_time"]
        made.lateness_p99_s = max(direction["lateness_p99_s"] for direction in report["directions"])
        with drops.open(encoding="utf-8", newline="") as rows:
            made.drops_s = [float(row["time_s"]) for row in csv.DictReader(rows) if row["from"] == near]
