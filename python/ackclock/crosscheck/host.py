"""Programs next to this one: their places, their start and their end."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ackclock.errors import InputError

__all__ = ["Program", "find", "needs", "running", "versions", "within"]

PATIENCE_S = 20.0
"""The time that a program has to end after it was asked to."""

_CHECKOUT = Path(__file__).resolve().parents[3] / "target" / "release"


def find(program: str) -> str | None:
    """The program of this name: on the path, or as a checkout builds it."""
    built = _CHECKOUT / program
    return shutil.which(program) or (str(built) if built.is_file() else None)


def needs(*programs: str) -> str | None:
    """The missing requirements of these programs on an emulated link; empty if nothing is missing."""
    if not sys.platform.startswith("linux"):
        return "Linux"
    if os.geteuid() != 0:
        return "root, for name spaces and devices"
    missing = [program for program in programs if find(program) is None]
    if missing:
        return f"the program {missing[0]}"
    return None if Path("/dev/net/tun").exists() else "/dev/net/tun"


def versions(*programs: str) -> dict[str, str]:
    """The first line of each program's version output."""
    found = {program: find(program) for program in programs}
    said = {
        program: subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout
        for program, path in found.items()
        if path is not None
    }
    return {program: text.splitlines()[0] for program, text in said.items() if text}


def within(name_space: str, arguments: Sequence[str]) -> list[str]:
    """A command in a name space, with real-time priority, so that the machine's load does not delay it."""
    priority = ["chrt", "--fifo", "20"] if shutil.which("chrt") else []
    return ["ip", "netns", "exec", name_space, *priority, *arguments]


class Program:
    """A program that runs."""

    def __init__(self, arguments: Sequence[str]) -> None:
        self.name = Path(arguments[0]).name
        self._process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def come_up(self, expected: str) -> None:
        """Waits for the line on standard error with which the program reports that it is up."""
        line = self._process.stderr.readline() if self._process.stderr else ""
        if expected not in line:
            raise InputError(line.strip() or f"{self.name} has not come up")

    def interrupt(self) -> str:
        """Ends the program by Ctrl-C, and returns what it has printed."""
        self._process.send_signal(signal.SIGINT)
        return self.output(PATIENCE_S)

    def output(self, timeout_s: float) -> str:
        """The output of the program until it ends by itself."""
        try:
            output, errors = self._process.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            raise InputError(f"{self.name} has not ended in {timeout_s:g} s") from None
        if self._process.returncode != 0:
            said = " ".join((errors or output).split())[:300]
            raise InputError(f"{self.name} ended with {self._process.returncode}: {said}")
        return output

    def close(self) -> None:
        """Ends the program if it has not ended: by Ctrl-C, and if that does not help, by force."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            try:
                self._process.communicate(timeout=PATIENCE_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.communicate()


@contextmanager
def running(arguments: Sequence[str]) -> Iterator[Program]:
    """A program that ends with the block."""
    program = Program(arguments)
    try:
        yield program
    finally:
        program.close()
