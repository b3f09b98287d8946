"""`python -m benches`: runs every case in processes of their own, prints one table, writes JSON on request.

CPU time is what the operating system charges to a process from its start to its end, user and system,
setting up included; the median of several runs, and the fastest, which others disturbed least. A packet
counts when it is delivered to the application. Peak memory is the peak of the resident set; the part of it
that is data excludes the pages of the program's file, of which a larger program has more.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from ackclock.provenance import command_line, git_commit, now, version
from benches import commands
from benches.cases import CASES, LARGE, UNTUNED, Case
from benches.simulators import Ackclock, BareLoop, Htsim, Ns2, Ns3, Simulator
from verification.peers.harness import NotInstalledError

ENOUGH = 20.0
"""CPU-seconds per case and simulator after which it is not run once more."""


class NotFinishedError(Exception):
    """A run took longer than is worth waiting for."""


def run(command: Sequence[str], patience: int) -> tuple[float, dict[str, Any]]:
    """Runs a command: the CPU time it took in seconds, and what it says of itself."""
    cpu, said = spent(command, patience)
    facts: dict[str, Any] = json.loads(said)
    return cpu, facts


def spent(command: Sequence[str], patience: int) -> tuple[float, bytes]:
    """Runs a command: the CPU time of it and of its processes in seconds, and what it printed."""

    def limit() -> None:
        # The soft limit sends SIGXCPU; at the hard one a process is killed as by anybody else.
        resource.setrlimit(resource.RLIMIT_CPU, (patience, patience + 1))

    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, stdout=output, preexec_fn=limit)  # noqa: PLW1509 - no threads here
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            process.kill()
            raise
        process.returncode = os.waitstatus_to_exitcode(status)
        cpu = usage.ru_utime + usage.ru_stime
        if process.returncode == -signal.SIGXCPU:
            raise NotFinishedError(f"not finished after {patience} s of CPU time")
        if process.returncode != 0:
            raise subprocess.CalledProcessError(process.returncode, list(command))
        output.seek(0)
        return cpu, output.read()


def measure(simulator: Simulator, case: Case, runs: int, patience: int) -> dict[str, Any]:
    """Runs a case several times; what came of it, per CPU-second of the median run."""
    command = simulator.command(case)
    # Every run does the same, so the description of any run holds for all.
    first, facts = run(command, patience)
    times = [first]
    while len(times) < runs and sum(times) < ENOUGH:
        times.append(run(command, patience)[0])
    network, cpu = case.network(), statistics.median(times)
    events = facts.get("events")
    return {
        "title": case.title,
        "flows": network.flows,
        "simulated_s": network.seconds,
        "packets": facts["packets"],
        "at_least": case.at_least * 1e6 or None,
        "go_for": case.go_for * 1e6 or None,
        "utilisation": None if network.has_frames else facts["packets"] / network.capacity,
        "events": events,
        "cpu_s": cpu,
        "cpu_s_of_runs": times,
        "set_up_cpu_s": facts.get("set_up_cpu_s"),
        "packets_per_cpu_s": facts["packets"] / cpu,
        "packets_per_cpu_s_at_best": facts["packets"] / min(times),
        "events_per_cpu_s": events / cpu if events is not None else None,
        "events_per_packet": events / facts["packets"] if events is not None else None,
        "peak_memory_bytes": facts.get("peak_memory_bytes"),
        "data_bytes": facts.get("data_bytes"),
        "bytes_per_flow": facts.get("bytes_per_flow"),
    }


def measure_all(cases: Sequence[Case], chosen: argparse.Namespace, console: Console) -> dict[str, Any]:
    """All cases by all programs, by case; others under `peers`, with our speed over theirs."""
    ours, bare = Ackclock(release=not chosen.debug), BareLoop()
    peers: list[Simulator] = [] if chosen.without_peers else [Htsim(), Ns2(), Ns3()]
    others = [bare, *peers]
    tasks = [
        (case, program) for case in cases for program in (ours, *(o for o in others if o.name in case.peers))
    ]
    results: dict[str, Any] = {}
    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        bar = progress.add_task("", total=len(tasks) + 2)
        for case, simulator in tasks:
            progress.update(bar, description=f"{case.key} on {simulator.name}")
            try:
                result = measure(simulator, case, chosen.runs, chosen.patience)
            except (NotInstalledError, NotFinishedError, subprocess.CalledProcessError) as reason:
                if simulator is ours:
                    raise
                result = {"skipped": f"{simulator.name}: {reason}"}
            if simulator is ours:
                results[case.key] = {**result, "peers": {}}
            else:
                if "skipped" not in result:
                    mine = results[case.key]["packets_per_cpu_s"]
                    result["ratio"] = mine / result["packets_per_cpu_s"]
                    if simulator is bare:
                        results[case.key]["share_of_bare_loop"] = result["ratio"]
                results[case.key]["peers"][simulator.name] = result
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
    results["machine"] = {"system": platform.platform(), "processor": processor(), "cores": os.cpu_count()}
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

        return commands.measure(timed, fresh, chosen.runs, seeds)


def processor() -> str:
    """The processor's name, where the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "")


def table(results: dict[str, Any]) -> Table:
    """One row per case and simulator."""
    shown = Table(box=None, pad_edge=False, header_style="bold")
    shown.add_column("case\n")
    shown.add_column("simulator\n")
    for heading in (
        "flows\n",
        "simulated\ns",
        "utilisation\n%",
        "CPU time\ns",
        "packets/CPU-s\nmillion",
        "fastest\nrun",
        "aim, at\nleast",
        "aim, go\nfor",
        "events per\npacket",
        "peak memory\nMB",
        "of it data\nMB",
        "per flow\nkB",
        "of the bare\nloop, %",
        "we are faster\ntimes",
    ):
        shown.add_column(heading, justify="right")
    for key, case in results.items():
        if "peers" not in case:
            continue
        shown.add_row(key, "Ackclock", *cells(case, ours=True))
        for name, result in case["peers"].items():
            shown.add_row("", name, *(cells(result, ours=False) if "skipped" not in result else ()))
    return shown


def cells(result: dict[str, Any], *, ours: bool) -> list[str]:
    """A row's numbers; the aims are ours alone."""

    def number(key: str, scale: float, digits: int) -> str:
        value = result.get(key)
        return "-" if value is None else f"{value / scale:.{digits}f}"

    return [
        str(result["flows"]),
        number("simulated_s", 1, 0),
        number("utilisation", 0.01, 1),
        number("cpu_s", 1, 2),
        number("packets_per_cpu_s", 1e6, 3),
        number("packets_per_cpu_s_at_best", 1e6, 3),
        number("at_least", 1e6, 1) if ours else "",
        number("go_for", 1e6, 0) if ours else "",
        number("events_per_packet", 1, 2),
        number("peak_memory_bytes", 1e6, 1),
        number("data_bytes", 1e6, 1),
        number("bytes_per_flow", 1e3, 1),
        number("share_of_bare_loop", 0.01, 0) if ours else "",
        number("ratio", 1, 1) if "ratio" in result else "",
    ]


def remarks(results: dict[str, Any]) -> list[str]:
    """Facts for which the table has no column."""
    idle, whole = results["idle"], results["commands"]
    said = [
        (
            f"A comparison of five algorithms takes {whole['comparison_cpu_s']:.2f} CPU-s,"
            f" {whole['simulating_cpu_s']:.3f} of them for the simulations;"
            f" a sweep takes {1e3 * whole['sweep_cpu_s_per_run']:.2f} CPU-ms per run,"
            f" {1e3 * whole['sweep_simulating_cpu_s_per_run']:.2f} of them for the simulation,"
            f" and {1e3 * whole['sweep_elapsed_s_per_run']:.2f} ms of elapsed time."
        ),
    ]
    if idle["bytes_per_connection"] is not None:
        said.append(
            f"An established idle connection takes {idle['bytes_per_connection']} bytes"
            f" (mean of {idle['connections']})."
        )
    skipped: dict[str, list[str]] = {}
    for key, case in results.items():
        for result in case.get("peers", {}).values():
            if "skipped" in result:
                skipped.setdefault(result["skipped"], []).append(key)
            elif result.get("set_up_cpu_s") and result["set_up_cpu_s"] > 0.1 * result["cpu_s"]:
                name = next(name for name, other in case["peers"].items() if other is result)
                said.append(
                    f"{name} spends {result['set_up_cpu_s']:.1f} s of {result['cpu_s']:.1f} s"
                    f" on setting up {key}."
                )
    said += [f"{reason}; left out: {', '.join(keys)}." for reason, keys in skipped.items()]
    return said


def main(arguments: Sequence[str]) -> int:
    """Returns 0."""
    offered = (*CASES, *UNTUNED, *LARGE)
    names = [case.key for case in offered]
    parser = argparse.ArgumentParser(prog="python -m benches", description=__doc__)
    parser.add_argument("cases", nargs="*", metavar="case", help=f"any of {', '.join(names)}; default: all")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results there too")
    parser.add_argument("--runs", type=int, default=5, help="runs per case; fewer where they take long")
    parser.add_argument("--patience", type=int, default=600, help="the most CPU-seconds that a run may take")
    parser.add_argument("--seconds", type=int, help="simulate so long instead of the case's own time")
    parser.add_argument("--connections", type=int, default=100_000, help="idle connections to hold")
    parser.add_argument("--without-peers", action="store_true", help="leave htsim, ns-2 and ns-3 out")
    parser.add_argument("--debug", action="store_true", help="as tests are compiled, to try this program")
    chosen = parser.parse_args(arguments)
    unknown = [name for name in chosen.cases if name not in names]
    if unknown:
        parser.error(f"no case is called {unknown[0]}; there are {', '.join(names)}")
    if chosen.runs < 1:
        parser.error(f"--runs {chosen.runs}: there is nothing to measure in less than one run")
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
        chosen.json.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
