"""Runs programs in turn, A B A B and not A A B B: a machine whose speed changes is as fast for each."""

from __future__ import annotations

import json
import math
import os
import resource
import signal
import statistics
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benches.cases import Case
from benches.simulators import Simulator
from verification.peers.harness import NotInstalledError

__all__ = ["NotFinishedError", "OthersLoad", "Range", "digits", "measure", "ranged", "run", "spent"]

ENOUGH_S = 60.0
"""CPU-seconds per case and program after which it is not run once more."""

Range = Mapping[str, float]
"""The `median` of some rounds, their `low` and their `high`."""


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


def measure(
    case: Case, programs: Sequence[Simulator], rounds: int, patience: int
) -> dict[str, dict[str, Any]]:
    """A case by every program, by name: each runs once in every round, and stops after a minute of CPU time.

    The first program is the one that the others are compared with; only its errors are raised. Another
    that is not installed, fails or takes more than `patience` CPU-seconds has `skipped` alone.
    """
    ours, *peers = programs
    runs: dict[str, list[tuple[float, dict[str, Any]]]] = {program.name: [] for program in programs}
    left_out: dict[str, dict[str, Any]] = {}
    for program in list(programs) * rounds:
        so_far = runs[program.name]
        if program.name in left_out or sum(cpu for cpu, _ in so_far) > ENOUGH_S:
            continue
        try:
            so_far.append(run(program.command(case), patience))
        except (NotInstalledError, NotFinishedError, subprocess.CalledProcessError) as reason:
            if program is ours:
                raise
            left_out[program.name] = {"skipped": f"{program.name}: {reason}"}
    found = {name: _facts(case, each) for name, each in runs.items() if name not in left_out}
    for peer in peers:
        if peer.name in found:
            found[peer.name] |= _ratios(runs[ours.name], runs[peer.name])
    return found | left_out


def _facts(case: Case, runs: Sequence[tuple[float, dict[str, Any]]]) -> dict[str, Any]:
    """What came of the runs of a program. Each does the same, so what the first says holds for all."""
    network, facts = case.network(), runs[0][1]
    packets, events = facts["packets"], facts.get("events")
    return {
        "title": case.title,
        "flows": network.flows,
        "simulated_s": network.seconds,
        "packets": packets,
        "utilisation": round(packets / network.capacity, 4) if network.capacity > 0 else None,
        "events": events,
        "events_per_packet": None if events is None else round(events / packets, 3),
        "cpu_s_of_runs": [round(cpu, 4) for cpu, _ in runs],
        "set_up_cpu_s": facts.get("set_up_cpu_s"),
        "packets_per_cpu_s": _range([packets / cpu for cpu, _ in runs]),
        "packets_per_cpu_s_without_set_up": _range([packets / _without_set_up(each) for each in runs]),
        **{key: facts.get(key) for key in ("peak_memory_bytes", "data_bytes", "bytes_per_flow")},
    }


def _without_set_up(one: tuple[float, Mapping[str, Any]]) -> float:
    """The CPU time of a run after its network stands; the whole, if the program does not tell it."""
    cpu, facts = one
    return cpu - (facts.get("set_up_cpu_s") or 0.0)


def _ratios(
    ours: Sequence[tuple[float, dict[str, Any]]], theirs: Sequence[tuple[float, dict[str, Any]]]
) -> dict[str, Range]:
    """Our speed over another program's, by the rounds in which both ran."""
    pairs = list(zip(ours, theirs, strict=False))
    packets = ours[0][1]["packets"] / theirs[0][1]["packets"]
    return {
        "ratio": _range([packets * other[0] / own[0] for own, other in pairs]),
        "ratio_without_set_up": _range(
            [packets * _without_set_up(other) / _without_set_up(own) for own, other in pairs]
        ),
    }


def _range(values: Sequence[float]) -> Range:
    each = {"median": statistics.median(values), "low": min(values), "high": max(values)}
    return {key: float(f"{value:.4g}") for key, value in each.items()}


def digits(values: Range) -> int:
    """The decimals that mean something: the first that differs within the range, of three digits at most.

    Of a single run, whose noise nobody knows, two digits.
    """
    spread, middle = values["high"] - values["low"], abs(values["median"])
    of_value = math.floor(math.log10(middle)) if middle > 0 else 0
    if spread <= 0:
        return max(1 - of_value, 0)
    return max(min(-math.floor(math.log10(spread)), 2 - of_value), 0)


def ranged(values: Range, scale: float = 1.0) -> str:
    """A median with its range, over `scale`: "17.0 (16.5 to 17.3)"; without a range if there was one run."""
    scaled = {key: value / scale for key, value in values.items()}
    places = digits(scaled)
    median, low, high = (f"{scaled[key]:.{places}f}" for key in ("median", "low", "high"))
    return median if values["low"] == values["high"] else f"{median} ({low} to {high})"


class OthersLoad:
    """The share of the machine's processors that other programs have used since it was made."""

    def __init__(self) -> None:
        self._begun, self._used, self._busy = time.monotonic(), _own_cpu_s(), _busy_cpu_s()

    def share(self) -> float | None:
        """From 0 to 1; None if the system does not tell."""
        elapsed, used, busy = time.monotonic() - self._begun, _own_cpu_s() - self._used, _busy_cpu_s()
        if busy is None or self._busy is None:
            return None
        others = max(busy - self._busy - used, 0.0)
        return round(others / (elapsed * (os.cpu_count() or 1)), 3)


def _own_cpu_s() -> float:
    """The CPU seconds of this process and of all that it has run."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def _busy_cpu_s() -> float | None:
    """The CPU seconds of all programs since the machine began; None if the system does not tell."""
    try:
        words = Path("/proc/stat").read_text(encoding="utf-8").split("\n", 1)[0].split()
    except OSError:
        return None
    user, nice, system, _idle, _wait, interrupts, soft = map(int, words[1:8])
    return (user + nice + system + interrupts + soft) / os.sysconf("SC_CLK_TCK")
