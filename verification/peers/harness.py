"""Finds ns-2 and ns-3, compiles programs for ns-3, runs an experiment and keeps what it printed."""

from __future__ import annotations

import datetime as dt
import hashlib
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

__all__ = [
    "NS2",
    "NS3",
    "NotInstalledError",
    "cached_output",
    "is_ns3_installed",
    "ns2_command",
    "ns3_command",
    "today",
    "versions",
]

HERE = Path(__file__).resolve().parent
CACHE = HERE.parents[1] / ".cache" / "peers"
NS2, NS3 = "ns-2", "ns-3"
NS3_HEADER = Path("/usr/include/ns3/core-module.h")
NS3_LIBRARIES = ("applications", "point-to-point", "traffic-control", "internet", "network", "core")


class NotInstalledError(Exception):
    """A simulator is not installed."""


def ns2_command(script: str, *arguments: str) -> list[str]:
    """The command that runs `ns2/<script>.tcl`. Raises `NotInstalledError`."""
    program = shutil.which("ns")
    if program is None:
        raise NotInstalledError("ns-2 is not installed (Debian's package ns2)")
    return [program, str(_source(NS2, script)), *arguments]


def ns3_command(program: str, *arguments: str) -> list[str]:
    """The command that runs `ns3/<program>.cpp`, compiled with optimisation. Raises `NotInstalledError`."""
    return [_compiled(_source(NS3, program)), *arguments]


def is_ns3_installed() -> bool:
    """Whether ns-3's libraries and a compiler are installed."""
    return shutil.which("g++") is not None and NS3_HEADER.is_file()


def cached_output(simulator: str, experiment: str, *arguments: str) -> str:
    """The output of an experiment after a line with its date; it runs only if the cache does not have it.

    The cache depends on the arguments, the source and the versions of the simulators. Raises
    `NotInstalledError`.
    """
    command = (ns2_command if simulator == NS2 else ns3_command)(experiment, *arguments)
    source = _source(simulator, experiment).read_bytes()
    if simulator == NS2:
        source += _source(NS2, "settings").read_bytes()
    key = hashlib.sha256(repr((versions(), arguments, source)).encode()).hexdigest()[:16]
    file = CACHE / f"{simulator}-{experiment}-{key}.txt"
    if not file.is_file():
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        CACHE.mkdir(parents=True, exist_ok=True)
        file.write_text(f"date {today()}\n{done.stdout}", encoding="utf-8")
    return file.read_text(encoding="utf-8")


def today() -> str:
    """The date in UTC."""
    return f"{dt.datetime.now(dt.UTC):%Y-%m-%d}"


@cache
def versions() -> tuple[str, ...]:
    """The simulators that are installed, with their versions."""
    found = []
    if program := shutil.which("ns"):
        asked = "puts [ns-version]\nexit 0\n"
        said = subprocess.run([program], input=asked, check=False, stdout=subprocess.PIPE, text=True)
        found.append(f"ns-2 {said.stdout.strip()}")
    libraries = Path("/usr/lib").glob("*/libns3-core.so.*")
    return (*found, *(f"ns-3.{re.sub(r'.*[.]', '', library.name)}" for library in libraries))


def _source(simulator: str, experiment: str) -> Path:
    return (
        HERE / ("ns2" if simulator == NS2 else "ns3") / f"{experiment}.{'tcl' if simulator == NS2 else 'cpp'}"
    )


def _compiled(source: Path) -> str:
    """Compiles a program for ns-3, unless the cache has it."""
    compiler = shutil.which("g++")
    if compiler is None or not NS3_HEADER.is_file():
        raise NotInstalledError("ns-3 or a compiler is not installed (Debian's packages libns3-dev and g++)")
    digest = hashlib.sha256(source.read_bytes()).hexdigest()[:16]
    program = CACHE / f"{source.stem}-{digest}"
    if not program.is_file():
        program.parent.mkdir(parents=True, exist_ok=True)
        libraries = [f"-lns3-{library}" for library in NS3_LIBRARIES]
        command = [compiler, "-std=c++17", "-O3", "-DNDEBUG", str(source), "-o", str(program)]
        # The libraries name others of which Debian does not install the headers.
        subprocess.run([*command, *libraries, "-Wl,--allow-shlib-undefined"], check=True)
    return str(program)
