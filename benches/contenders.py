"""Who runs the cases: this simulator, and ns-2 and ns-3 where they are installed."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Protocol

from benches.cases import REPOSITORY, Case, Network

PEERS = Path(__file__).resolve().parent / "peers"
NS3_LIBRARIES = ("applications", "point-to-point", "traffic-control", "internet", "network", "core")


class NotInstalledError(Exception):
    """A simulator is not installed."""


class Contender(Protocol):
    """A simulator: its command for a case prints what came of it as one line of JSON."""

    name: str

    def command(self, case: Case) -> list[str]:
        """The command; raises `NotInstalledError` where the simulator is not installed."""
        ...


class Ackclock:
    """This simulator, by the example `measure` of the simulation crate."""

    name = "Ackclock"

    def __init__(self, *, release: bool = True) -> None:
        self.release = release

    def command(self, case: Case) -> list[str]:
        changes = [f"{path}={value}" for path, value in case.changes.items()]
        return [executable(release=self.release), "run", str(case.path), *changes]

    def idle_command(self, connections: int) -> list[str]:
        """A network of so many established idle connections."""
        return [executable(release=self.release), "idle", str(connections)]


class Ns2:
    """ns-2, by a script in its own language."""

    name = "ns-2"

    def command(self, case: Case) -> list[str]:
        simulator = shutil.which("ns")
        if simulator is None:
            raise NotInstalledError("not installed")
        return [simulator, str(PEERS / "ns2.tcl"), *numbers(case.network())]


class Ns3:
    """ns-3, by a program compiled with optimisation against the installed libraries."""

    name = "ns-3"

    def command(self, case: Case) -> list[str]:
        return [ns3_program(), *numbers(case.network())]


def numbers(network: Network) -> list[str]:
    """A case as the arguments of the programs in `peers/`."""
    real = (network.rate, network.delay, network.access_rate, network.access_delay)
    return [
        network.layout,
        str(network.flows),
        *(f"{value:.12g}" for value in real),
        str(network.limit),
        f"{network.seconds:g}",
    ]


@cache
def executable(*, release: bool) -> str:
    """Compiles the example `measure`, where that is not done, and returns its path."""
    command = ["cargo", "build", "--quiet", "--locked", "--message-format=json-render-diagnostics"]
    command += ["--package", "ackclock-simulation", "--example", "measure"]
    command += ["--release"] if release else []
    done = subprocess.run(command, cwd=REPOSITORY, check=True, stdout=subprocess.PIPE, text=True)
    for line in done.stdout.splitlines():
        artifact = json.loads(line)
        if artifact.get("executable") and artifact["target"]["name"] == "measure":
            return str(artifact["executable"])
    raise RuntimeError("cargo built no executable")


@cache
def ns3_program() -> str:
    """Compiles `peers/ns3.cpp`, where that is not done, and returns its path."""
    compiler = shutil.which("g++")
    if compiler is None or not Path("/usr/include/ns3/core-module.h").is_file():
        raise NotInstalledError("the library or a compiler is not installed")
    source = PEERS / "ns3.cpp"
    version = hashlib.sha256(source.read_bytes()).hexdigest()[:16]
    program = REPOSITORY / ".cache" / "benches" / f"ns3-{version}"
    if not program.is_file():
        program.parent.mkdir(parents=True, exist_ok=True)
        libraries = [f"-lns3-{library}" for library in NS3_LIBRARIES]
        command = [compiler, "-std=c++17", "-O3", "-DNDEBUG", str(source), "-o", str(program)]
        # The libraries name others of which Debian does not install the headers.
        subprocess.run([*command, *libraries, "-Wl,--allow-shlib-undefined"], check=True)
    return str(program)
