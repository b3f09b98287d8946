"""`python -m benches.instructions`: instructions per packet of small runs, and those recorded.

Times on shared machines drift; the number of instructions does not. Counted by valgrind's callgrind over
whole runs of the example `measure`, less those of a run that ends at once, so that reading the scenario does
not count. Fails when a case takes more than 2 % more than in `benches/instructions.json`; `--record` writes
that file anew, for the present compiler and processor: others yield other numbers. `--fast` counts a few
cases in the program that tests compile too; `benches/instructions-as-tests.json` has those.
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
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benches.cases import CASES, LARGE, PATHS, UNTUNED, Case
from benches.simulators import Ackclock

RECORD = Path(__file__).resolve().parent / "instructions.json"
"""The counts of the program as it is shipped."""
FAST_RECORD = RECORD.with_name("instructions-as-tests.json")
"""Those of the program as tests compile it, with checks of its own."""
WINDOW, LOST = 30_000, 5_000
"""Packets in flight of one flow, and how many of its second window are lost."""
SECONDS = {
    "S10": 5,
    "D10": 5,
    "M42": 10,
    "S1000": 2,
    "D1000": 3,
    "large window": 8,
    "30,000 in flight": 5,
    "5,000 lost at once": 5,
    "5,000 holes": 5,
    "few datagrams": 2,
    "few requests": 5,
    "few calls": 5,
    "few pages": 10,
    "few films": 10,
    **{case.key: 5 for case in UNTUNED},
    "S1000 bbr3": 2,
    "jitter": 5,
    "l4s-home": 20,
    "lte-driving": 60,
    "wifi-home": 5,
    "S10000 paced": 1,
}
"""The cases counted, with their simulated seconds: some ninety seconds under valgrind in total."""


def long_window(key: str, lost: Sequence[int]) -> Case:
    """A file of four windows of 30,000 packets; those that `lost` names are lost once, counted from 1."""
    changes = {
        "topology.graph.link.0.rate": "2160 Mbit/s",
        "topology.graph.link.0.delay": "100 ms",
        "topology.graph.link.0.buffer": "400% bdp",
        "tcp.initial_window": f"{WINDOW} packets",
        "tcp.receive_window": f"{WINDOW} packets",
        "flow.0.count": "1",
        "flow.0.packets": str(4 * WINDOW),
        "flow.0.start_jitter": "0 s",
    }
    if lost:
        script = f"{{ scripted = {{ flow = 0, packets = {list(lost)} }} }}"
        changes["topology.graph.link.0.loss"] = script
    return Case(key, "ten-flows-shared", changes)


RARER = (
    # One flow whose slow start loses some thousand packets of a window of several thousand.
    Case(
        "large window",
        "ten-flows-shared",
        {"flow.0.count": "1", "topology.graph.link.0.delay": "200 ms", "tcp.algorithm": "sack+hstcp"},
    ),
    long_window("30,000 in flight", ()),
    long_window("5,000 lost at once", range(WINDOW + 1, WINDOW + LOST + 1)),
    long_window("5,000 holes", range(WINDOW + 1, 2 * WINDOW + 1, WINDOW // LOST)),
    Case("few datagrams", "datagrams", {"udp.0.count": "1000"}, folder="benches"),
    Case("few requests", "requests", {"flow.0.count": "100"}, folder="benches"),
    Case("few calls", "calls", {f"call.{group}.count": "10" for group in range(3)}, folder="benches"),
    Case("few pages", "browsers", {f"flow.{group}.count": "20" for group in range(3)}, folder="benches"),
    Case("few films", "films", {f"flow.{group}.count": "5" for group in range(4)}, folder="benches"),
)
"""Cases without a measured speed, whose cost is guarded all the same."""

FAST = ("S10", "D10", "S1000", "newreno+cubic", "rack", "bbr3", "FQ-CoDel", "ramps", "qlog")
"""The cases of `--fast`: each of them has code that the others have not."""

AT_ONCE = 0.001
"""Simulated seconds of a run that only reads its scenario."""
TOLERANCE = 1.02
FAST_TOLERANCE = 1.05
"""For `--fast`, which runs on whatever processor there is: libraries choose other code on another one."""


def counted(case: Case, seconds: float, *, release: bool) -> tuple[int, int]:
    """Instructions and packets of a run."""
    # A scenario has to make sense after every change: a warm-up ends before the run does.
    others = {path: value for path, value in case.changes.items() if path not in {"warm_up", "duration"}}
    changes = {"warm_up": "0 s", **others, "duration": f"{seconds} s"}
    if seconds == AT_ONCE and "flow.0.packets" in changes:
        changes["flow.0.packets"] = "1"
    if case.key == "M42":
        # The second flow begins within the run.
        changes = {"flow.1.start": "1 us", **changes}
    command = Ackclock(release=release).command(replace(case, changes=changes))
    with tempfile.TemporaryDirectory() as folder:
        callgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out"]
        done = subprocess.run([*callgrind, *command], check=True, capture_output=True, text=True)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if found is None:
        raise ValueError(f"valgrind said nothing of instructions: {done.stderr}")
    return int(found[1]), int(json.loads(done.stdout)["packets"])


def per_packet(case: Case, *, release: bool) -> float:
    """Instructions per packet delivered."""
    (base, none), (all_of_it, packets) = (
        counted(case, seconds, release=release) for seconds in (AT_ONCE, SECONDS[case.key])
    )
    return (all_of_it - base) / (packets - none)


def main(arguments: Sequence[str]) -> int:
    """Returns 0, or 1 where something has become dearer than it may."""
    parser = argparse.ArgumentParser(prog="python -m benches.instructions", description=__doc__)
    parser.add_argument("--record", action="store_true", help="write the file of counts")
    parser.add_argument("--fast", action="store_true", help=f"count {', '.join(FAST)} alone")
    parser.add_argument("cases", nargs="*", metavar="case", help="cases to count; default: all")
    chosen = parser.parse_args(arguments)
    if unknown := set(chosen.cases) - set(SECONDS):
        parser.error(f"no case is called {min(unknown)}; there are {', '.join(SECONDS)}")
    if shutil.which("valgrind") is None:
        Console().print("valgrind is not installed: nothing is counted")
        return 0
    record = FAST_RECORD if chosen.fast else RECORD
    recorded: dict[str, Any] = json.loads(record.read_text(encoding="utf-8")) if record.is_file() else {}
    wanted = chosen.cases or (FAST if chosen.fast else SECONDS)
    now = {
        case.key: round(per_packet(case, release=not chosen.fast))
        for case in (*CASES, *RARER, *UNTUNED, *PATHS, *LARGE)
        if case.key in wanted
    }
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("case", "instructions per packet", "recorded", "ratio"):
        table.add_column(heading, justify="left" if heading == "case" else "right")
    for key, count in now.items():
        before = recorded.get(key)
        table.add_row(key, str(count), str(before or "-"), f"{count / before:.3f}" if before else "-")
    Console().print(table)
    if chosen.record:
        known = {**recorded, **now}
        kept = {key: known[key] for key in SECONDS if key in known}
        record.write_text(json.dumps(kept, indent=2) + "\n", encoding="utf-8")
        return 0
    most = FAST_TOLERANCE if chosen.fast else TOLERANCE
    dearer = [key for key, count in now.items() if key in recorded and count > most * recorded[key]]
    if dearer:
        Console().print(f"More than recorded: {', '.join(dearer)}.")
    return 1 if dearer else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
