"""`python -m benches`: runs every case in processes of their own, prints one table, writes JSON on request.

The programs run in turn, several rounds of them. CPU time is what the operating system charges to a process
from its start to its end, user and system, setting up included: the median of the rounds, and their range. A
packet counts when it is delivered to the application. Peak memory is the peak of the resident set.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from ackclock.provenance import command_line, git_commit, now, version
from benches import commands
from benches.cases import CASES, EARLIER, LARGE, PATHS, UNTUNED, Case
from benches.rounds import OthersLoad, measure, run, spent
from benches.simulators import Ackclock, BareLoop, Earlier, Htsim, Ns2, Ns3, Simulator
from benches.tables import remarks, table


def measure_all(cases: Sequence[Case], chosen: argparse.Namespace, console: Console) -> dict[str, Any]:
    """All cases by all programs, by case; others under `peers`, with our speed over theirs."""
    ours = Ackclock(release=not chosen.debug)
    others: list[Simulator] = [BareLoop()]
    if chosen.earlier is not None:
        others = [Earlier(chosen.earlier)]
    elif not chosen.without_peers:
        others += [Htsim(), Ns2(), Ns3()]
    results: dict[str, Any] = {}
    load = OthersLoad()
    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        bar = progress.add_task("", total=len(cases) + 2)
        for case in cases:
            progress.update(bar, description=case.key)
            programs = [ours, *(other for other in others if other.name in {EARLIER, *case.peers})]
            found = measure(case, programs, chosen.rounds, chosen.patience)
            aims = {"at_least": case.at_least * 1e6 or None, "go_for": case.go_for * 1e6 or None}
            results[case.key] = found.pop(ours.name) | aims | {"peers": found}
            progress.advance(bar)
        progress.update(bar, description="idle connections")
        results["idle"] = run(ours.idle_command(chosen.connections), chosen.patience)[1]
        progress.advance(bar)
        progress.update(bar, description="a comparison and a sweep")
        results["commands"] = measure_commands(chosen)
        progress.advance(bar)
    results["provenance"] = {
        "version": version(),
        "commit": git_commit(),
        "command": command_line(),
        "date": now(),
    }
    results["machine"] = {
        "system": platform.platform(),
        "processor": processor(),
        "cores": os.cpu_count(),
        "others_share": load.share(),
    }
    return results


def measure_commands(chosen: argparse.Namespace) -> dict[str, Any]:
    """The costs of a comparison and of a sweep."""
    seeds = (1, 2) if chosen.debug else commands.SEEDS
    with tempfile.TemporaryDirectory() as folder:

        def fresh() -> Path:
            return Path(tempfile.mkdtemp(dir=folder))

        def timed(words: Sequence[str]) -> commands.Cost:
            begun = time.monotonic()
            cpu, _ = spent(words, chosen.patience)
            return commands.Cost(cpu, time.monotonic() - begun)

        return commands.measure(timed, fresh, chosen.rounds, seeds)


def processor() -> str:
    """The processor's name, where the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "")


def main(arguments: Sequence[str]) -> int:
    """Returns 0."""
    offered = (*CASES, *UNTUNED, *PATHS, *LARGE)
    names = [case.key for case in offered]
    shown = ", ".join(names).replace("%", "%%")
    parser = argparse.ArgumentParser(prog="python -m benches", description=__doc__)
    parser.add_argument("cases", nargs="*", metavar="case", help=f"any of {shown}; default: all")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results there too")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each program, in turn; fewer if long")
    parser.add_argument("--patience", type=int, default=600, help="the most CPU-seconds that a run may take")
    parser.add_argument("--seconds", type=int, help="simulate so long instead of the case's own time")
    parser.add_argument("--connections", type=int, default=100_000, help="idle connections to hold")
    parser.add_argument("--without-peers", action="store_true", help="leave htsim, ns-2 and ns-3 out")
    parser.add_argument(
        "--earlier",
        type=Path,
        metavar="PROGRAM",
        help="the example `measure` of another build, in place of all peers",
    )
    parser.add_argument("--debug", action="store_true", help="as tests are compiled, to try this program")
    chosen = parser.parse_args(arguments)
    unknown = [name for name in chosen.cases if name not in names]
    if unknown:
        parser.error(f"no case is called {unknown[0]}; there are {', '.join(names)}")
    if chosen.rounds < 1:
        parser.error(f"--rounds {chosen.rounds}: there is nothing to measure in less than one round")
    if chosen.earlier is not None and not os.access(chosen.earlier, os.X_OK):
        parser.error(f"--earlier {chosen.earlier}: there is no such program")
    if chosen.json is not None and not chosen.json.parent.is_dir():
        parser.error(f"--json {chosen.json}: there is no folder {chosen.json.parent}")
    cases = [case for case in offered if case.key in (chosen.cases or names)]
    if chosen.seconds is not None:
        duration = {"warm_up": "0 s", "duration": f"{chosen.seconds} s"}
        cases = [replace(case, changes={**case.changes, **duration}) for case in cases]
    results = measure_all(cases, chosen, Console(stderr=True))
    console = Console()
    console = console if console.is_terminal else Console(width=150)
    console.print(table(results))
    for remark in remarks(results):
        console.print(remark)
    if chosen.json is not None:
        rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(row)}" for name, row in results.items())
        chosen.json.write_text(f"{{\n{rows}\n}}\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
