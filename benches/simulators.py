"""The programs that run the cases: this simulator, a bare loop, and other simulators where installed."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Protocol

from benches.cases import BARE_LOOP, EARLIER, REPOSITORY, Case, Network
from verification.examples import example
from verification.peers.harness import HTSIM, NS2, NS3, compiled, htsim_command, ns2_command, ns3_command

EXPERIMENT = "long_flows"
"""The script and the program of the other simulators."""


MEASURE = ("ackclock-simulation", "measure")
"""The example that runs a case of this simulator."""


class Simulator(Protocol):
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
        return measured(example(*MEASURE, release=self.release), case)

    def idle_command(self, connections: int) -> list[str]:
        """A network of this many established idle connections."""
        return [example(*MEASURE, release=self.release), "idle", str(connections)]


class Earlier:
    """Another build of this simulator, by the path of its example `measure`."""

    name = EARLIER

    def __init__(self, program: Path) -> None:
        self.program = program

    def command(self, case: Case) -> list[str]:
        return measured(str(self.program), case)


class Ns2:
    """ns-2, by a script in its own language."""

    name = NS2

    def command(self, case: Case) -> list[str]:
        return ns2_command(EXPERIMENT, *numbers(case.network()))


class Ns3:
    """ns-3, by a program compiled with optimisation against the installed libraries."""

    name = NS3

    def command(self, case: Case) -> list[str]:
        return ns3_command(EXPERIMENT, *numbers(case.network()))


class Htsim:
    """htsim, by a program compiled with optimisation against its source."""

    name = HTSIM

    def command(self, case: Case) -> list[str]:
        return htsim_command(EXPERIMENT, *numbers(case.network()))


class BareLoop:
    """Windows and links without anything that a simulator is used for, by `bare_loop.rs`."""

    name = BARE_LOOP

    def command(self, case: Case) -> list[str]:
        compiler = [shutil.which("rustc") or "rustc", "--edition=2024", "-Copt-level=3", "-Ccodegen-units=1"]
        source = REPOSITORY / "benches" / "bare_loop.rs"
        return [compiled(source, compiler), *numbers(case.network())]


def measured(program: str, case: Case) -> list[str]:
    """The command by which a build of the example `measure` runs a case."""
    return [program, "run", str(case.path), *(f"{path}={value}" for path, value in case.changes.items())]


def numbers(network: Network) -> list[str]:
    """A case as the arguments of the experiment in the other simulators."""
    real = (network.rate, network.delay, network.access_rate, network.access_delay)
    return [
        network.layout,
        str(network.flows),
        *(f"{value:.12g}" for value in real),
        str(network.limit),
        f"{network.seconds:g}",
    ]
