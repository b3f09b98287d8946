"""Runs a dumbbell in this simulator, in ns-2 and in ns-3, and brings what they note into one form."""

from __future__ import annotations

import datetime as dt
import hashlib
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

import ackclock
from verification.agents.dumbbell import HEADER_BYTES, STEP_S, WIRE_BYTES, Algorithm, Dumbbell

Floats = NDArray[np.float64]

REPOSITORY = Path(__file__).resolve().parents[2]
PEERS = Path(__file__).resolve().parent / "peers"
CACHE = REPOSITORY / ".cache" / "agents"
NS2, NS3 = "ns-2", "ns-3"
NS3_LIBRARIES = ("applications", "point-to-point", "traffic-control", "internet", "network", "core")


class NotInstalledError(Exception):
    """A simulator is not installed."""


@dataclass(frozen=True)
class Trace:
    """A run, sample by sample. Windows and thresholds have a column for each flow, all in packets."""

    time: Floats
    cwnd: Floats
    ssthresh: Floats
    delivered: Floats
    """So far."""
    queue: Floats
    drops: Floats
    """So far."""
    date: str
    """When it was run."""


Run = Callable[[Dumbbell], Trace]


def runs(algorithm: Algorithm) -> dict[str, Run]:
    """Every way in which an algorithm is run, by the name that it has in tables."""
    paper, *others = algorithm.ours
    return {
        f"acknak+{paper}": lambda dumbbell: ours("acknak", dumbbell, paper),
        paper: lambda dumbbell: ours("rack", dumbbell, paper),
        **{other: partial(ours, "rack", avoidance=other) for other in others},
        NS2: lambda dumbbell: ns2(dumbbell, algorithm),
        NS3: lambda dumbbell: ns3(dumbbell, algorithm),
    }


def ours(transport: str, dumbbell: Dumbbell, avoidance: str) -> Trace:
    """One run here. The abstract transport knows no headers: its packets are all payload."""
    header = 0 if transport == "acknak" else HEADER_BYTES
    result = ackclock.run(
        {
            "name": "high-speed-agents",
            "duration": f"{dumbbell.end_s:g} s",
            "warm_up": f"{dumbbell.second_s:g} s",
            "topology": {
                "dumbbell": {
                    "pairs": 2,
                    "bottleneck": {
                        "rate": f"{dumbbell.rate_bit_per_s} bit/s",
                        "delay": f"{dumbbell.delay_s * 1e3:g} ms",
                        "buffer": f"{dumbbell.limit} packets",
                    },
                    "access": {"rate": f"{dumbbell.access_bit_per_s} bit/s", "delay": "0 ms"},
                }
            },
            "tcp": {
                "algorithm": f"{transport}+standard+{avoidance}",
                "mss": f"{WIRE_BYTES - header} bytes",
                "header": f"{HEADER_BYTES} bytes",
                "initial_window": "2 packets",
                "ack_every": 1,
            },
            "trace": {"interval": f"{STEP_S * 1e3:g} ms"},
            "flow": [{"name": "first"}, {"name": "second", "start": f"{dumbbell.second_s:g} s"}],
        }
    )
    flows = [result.flow_series.filter(pl.col("flow") == flow) for flow in (0, 1)]
    link = result.links.row(by_predicate=pl.col("name") == "left->right", named=True)["link"]
    bottleneck = result.link_series.filter(pl.col("link") == link)

    def both(column: str) -> Floats:
        return np.column_stack([rows[column].to_numpy().astype(np.float64) for rows in flows])

    return Trace(
        time=flows[0]["time_s"].to_numpy().astype(np.float64),
        cwnd=both("cwnd_packets"),
        ssthresh=both("ssthresh_packets"),
        delivered=np.cumsum(both("goodput_bit_per_s"), axis=0) * STEP_S / (8 * (WIRE_BYTES - header)),
        queue=bottleneck["queue_packets"].to_numpy().astype(np.float64),
        drops=np.cumsum(bottleneck["drops"].to_numpy().astype(np.float64)),
        date=today(),
    )


def ns2(dumbbell: Dumbbell, algorithm: Algorithm) -> Trace:
    """One run in ns-2, with the algorithm that it took from Linux."""
    script = PEERS / "ns2.tcl"
    return kept([ns2_program(), str(script), algorithm.ns2, *numbers(dumbbell)], script)


def ns3(dumbbell: Dumbbell, algorithm: Algorithm) -> Trace:
    """One run in ns-3."""
    return kept([ns3_program(), f"ns3::{algorithm.ns3}", *numbers(dumbbell)], PEERS / "ns3.cpp")


def numbers(dumbbell: Dumbbell) -> list[str]:
    """A dumbbell as the arguments of the programs in `peers/`."""
    values = (
        dumbbell.rate_bit_per_s,
        dumbbell.delay_s,
        dumbbell.access_bit_per_s,
        dumbbell.limit,
        dumbbell.second_s,
        dumbbell.end_s,
        STEP_S,
    )
    return [f"{value:.12g}" for value in values]


def kept(command: list[str], source: Path) -> Trace:
    """What a command noted; it is run only where that is not known yet, since ns-3 takes minutes."""
    arguments = command[-8:]
    key = hashlib.sha256(repr((versions(), arguments, source.read_bytes())).encode()).hexdigest()[:16]
    file = CACHE / f"{source.stem}-{key}.txt"
    if not file.is_file():
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        CACHE.mkdir(parents=True, exist_ok=True)
        file.write_text(f"date {today()}\n{done.stdout}", encoding="utf-8")
    return samples(file.read_text(encoding="utf-8"))


def today() -> str:
    """In UTC."""
    return f"{dt.datetime.now(dt.UTC):%Y-%m-%d}"


def samples(text: str) -> Trace:
    """The date, and the lines that begin with `sample`: the sources in `peers/` say what those hold."""
    rows = np.array(
        [line.split()[1:] for line in text.splitlines() if line.startswith("sample ")], dtype=float
    )
    return Trace(
        time=rows[:, 0],
        cwnd=rows[:, (1, 4)],
        ssthresh=rows[:, (2, 5)],
        delivered=rows[:, (3, 6)],
        queue=rows[:, 7],
        drops=rows[:, 8],
        date=text.split("\n", 1)[0].removeprefix("date "),
    )


def ns2_program() -> str:
    """Where ns-2 is."""
    program = shutil.which("ns")
    if program is None:
        raise NotInstalledError("ns-2 is not installed (Debian's package ns2)")
    return program


@cache
def ns3_program() -> str:
    """Compiles `peers/ns3.cpp`, where that is not done, and returns its path."""
    compiler = shutil.which("g++")
    if compiler is None or not Path("/usr/include/ns3/core-module.h").is_file():
        raise NotInstalledError("ns-3 or a compiler is not installed (Debian's packages libns3-dev and g++)")
    source = PEERS / "ns3.cpp"
    program = CACHE / f"ns3-{hashlib.sha256(source.read_bytes()).hexdigest()[:16]}"
    if not program.is_file():
        program.parent.mkdir(parents=True, exist_ok=True)
        libraries = [f"-lns3-{library}" for library in NS3_LIBRARIES]
        command = [compiler, "-std=c++17", "-O3", "-DNDEBUG", str(source), "-o", str(program)]
        # The libraries name others of which Debian does not install the headers.
        subprocess.run([*command, *libraries, "-Wl,--allow-shlib-undefined"], check=True)
    return str(program)


@cache
def versions() -> tuple[str, ...]:
    """The other simulators that are installed, with their versions."""
    found = []
    if program := shutil.which("ns"):
        said = subprocess.run(
            [program],
            input="puts [ns-version]\nexit 0\n",
            check=False,
            stdout=subprocess.PIPE,
            text=True,
        )
        found.append(f"ns-2 {said.stdout.strip()}")
    libraries = Path("/usr/lib").glob("*/libns3-core.so.*")
    return (*found, *(f"ns-3.{re.sub(r'.*[.]', '', library.name)}" for library in libraries))
