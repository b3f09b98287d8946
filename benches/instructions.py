"""`python -m benches.instructions`: instructions per packet of fixed small runs, beside those recorded.

Times on shared machines drift; the number of instructions does not. Counted by valgrind's callgrind over
whole runs of the example `measure`, less those of a run that ends at once, so that reading the scenario does
not count. Fails when a case takes more than a fiftieth above what `benches/instructions.json` has; `--record`
writes that anew, for the compiler and processor at hand: other ones give other numbers.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benches.cases import CASES, Case
from benches.contenders import Ackclock

RECORD = Path(__file__).resolve().parent / "instructions.json"
SECONDS = {"S10": 5, "D10": 5, "M42": 10, "D1000": 3, "RACK": 5, "large window": 8}
"""What is counted, and for how many simulated seconds: some ten seconds under valgrind all together."""

RARER = (
    Case("RACK", "ten-flows-shared", {"tcp.algorithm": "rack"}),
    # One flow whose slow start loses some thousand packets of a window of several thousand.
    Case(
        "large window",
        "ten-flows-shared",
        {"flow.0.count": "1", "topology.graph.link.0.delay": "200 ms", "tcp.algorithm": "sack+hstcp"},
    ),
)
"""What speed is not measured of, but what must not become dearer unnoticed."""

TOLERANCE = 1.02


def counted(case: Case, seconds: str) -> tuple[int, int]:
    """Instructions and packets of a run."""
    changes = {**case.changes, "warm_up": "0 s", "duration": seconds}
    if case.key == "M42":
        # The second flow begins within the run. First, for a scenario has to make sense after every change.
        changes = {"flow.1.start": "1 us", **changes}
    command = Ackclock().command(Case(case.key, case.scenario, changes))
    with tempfile.TemporaryDirectory() as folder:
        callgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out"]
        done = subprocess.run([*callgrind, *command], check=True, capture_output=True, text=True)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if found is None:
        raise ValueError(f"valgrind said nothing of instructions: {done.stderr}")
    return int(found[1]), int(json.loads(done.stdout)["packets"])


def per_packet(case: Case) -> float:
    """Instructions per packet delivered."""
    (base, none), (all_of_it, packets) = counted(case, "1 ms"), counted(case, f"{SECONDS[case.key]} s")
    return (all_of_it - base) / (packets - none)


def main(arguments: Sequence[str]) -> int:
    """Returns 0, or 1 where something has become dearer than it may."""
    parser = argparse.ArgumentParser(prog="python -m benches.instructions", description=__doc__)
    parser.add_argument("--record", action="store_true", help="write benches/instructions.json")
    chosen = parser.parse_args(arguments)
    if shutil.which("valgrind") is None:
        Console().print("valgrind is not installed: nothing is counted")
        return 0
    recorded: dict[str, Any] = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.is_file() else {}
    now = {case.key: round(per_packet(case)) for case in (*CASES, *RARER) if case.key in SECONDS}
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("case", "instructions per packet", "recorded", "ratio"):
        table.add_column(heading, justify="left" if heading == "case" else "right")
    for key, count in now.items():
        before = recorded.get(key)
        table.add_row(key, str(count), str(before or "-"), f"{count / before:.3f}" if before else "-")
    Console().print(table)
    if chosen.record:
        RECORD.write_text(json.dumps(now, indent=2) + "\n", encoding="utf-8")
        return 0
    dearer = [key for key, count in now.items() if key in recorded and count > TOLERANCE * recorded[key]]
    if dearer:
        Console().print(f"More than recorded: {', '.join(dearer)}.")
    return 1 if dearer else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
