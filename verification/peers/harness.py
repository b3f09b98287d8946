"""Finds ns-2, ns-3 and htsim, compiles programs for them, runs an experiment and keeps its output."""

from __future__ import annotations

import datetime as dt
import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path

__all__ = [
    "HTSIM",
    "NS2",
    "NS3",
    "NotInstalledError",
    "cached_output",
    "compiled",
    "htsim_command",
    "is_ns3_installed",
    "ns2_command",
    "ns3_command",
    "today",
    "versions",
]

HERE = Path(__file__).resolve().parent
HEADER = HERE / "resources.h"
CACHE = HERE.parents[1] / ".cache" / "peers"
NS2, NS3, HTSIM = "ns-2", "ns-3", "htsim"
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
    compiler = shutil.which("g++")
    if compiler is None or not NS3_HEADER.is_file():
        raise NotInstalledError("ns-3 or a compiler is not installed (Debian's packages libns3-dev and g++)")
    libraries = [f"-lns3-{library}" for library in NS3_LIBRARIES]
    # The libraries refer to others whose headers Debian does not install.
    libraries.append("-Wl,--allow-shlib-undefined")
    return [
        compiled(_source(NS3, program), [compiler, "-std=c++17", "-O3", "-DNDEBUG"], libraries),
        *arguments,
    ]


HTSIM_PARTS = (
    "config", "eventlist", "loggers", "mtcp", "network", "pipe", "queue", "route", "tcp", "tcppacket",
)  # fmt: skip
"""The files of htsim's library that TCP over queues and pipes needs."""

HTSIM_FLAGS = ("-std=c++17", "-O3", "-DNDEBUG", "-flto=auto")
"""Optimised, also across files, without assertions: more than htsim's own makefile asks for."""


def htsim_command(program: str, *arguments: str) -> list[str]:
    """The command that runs `htsim/<program>.cpp`, compiled with htsim's source in the folder `$HTSIM`.

    Raises `NotInstalledError`.
    """
    folder = Path(os.environ.get("HTSIM", "")) / "sim"
    if "HTSIM" not in os.environ or not (folder / "tcp.h").is_file():
        raise NotInstalledError("htsim's source is not given (HTSIM=folder of a clone of Broadcom/csg-htsim)")
    parts = [str(folder / f"{part}.cpp") for part in HTSIM_PARTS]
    source = HERE / HTSIM / f"{program}.cpp"
    return [compiled(source, ["g++", *HTSIM_FLAGS, f"-I{folder}"], parts), *arguments]


def is_ns3_installed() -> bool:
    """True if ns-3's libraries and a compiler are installed."""
    return shutil.which("g++") is not None and NS3_HEADER.is_file()


def cached_output(simulator: str, experiment: str, *arguments: str) -> str:
    """The output of an experiment after a line with its date; it runs only if the cache lacks it.

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


def compiled(source: Path, compiler: Sequence[str], libraries: Sequence[str] = ()) -> str:
    """The program of a source file, compiled unless the cache has it."""
    parts = (source.read_bytes(), HEADER.read_bytes(), compiler, libraries)
    digest = hashlib.sha256(repr(parts).encode()).hexdigest()[:16]
    program = CACHE / f"{source.stem}-{digest}"
    if not program.is_file():
        program.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([*compiler, str(source), "-o", str(program), *libraries], check=True)
    return str(program)
