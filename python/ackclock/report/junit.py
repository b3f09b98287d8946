"""Test cases in the XML of JUnit, which programs for continuous integration read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

from ackclock.errors import OutputError
from ackclock.own_files import HOLE, refuse_foreign, sealed
from ackclock.report.text import printable

__all__ = ["TestCase", "to_xml", "write"]


@dataclass(frozen=True)
class TestCase:
    """One case: it passed unless it has a failure, or a reason for which it was skipped."""

    suite: str
    name: str
    wall_s: float
    failure: str | None = None
    """The failure in a sentence."""
    details: str = ""
    """More lines about the failure."""
    skipped: str | None = None
    """The reason for which there is no verdict."""


def to_xml(name: str, cases: Iterable[TestCase]) -> str:
    """One test suite with its cases."""
    found = list(cases)
    suite = ET.Element(
        "testsuite",
        name=name,
        tests=str(len(found)),
        failures=str(sum(case.failure is not None for case in found)),
        skipped=str(sum(case.skipped is not None for case in found)),
        time=f"{sum(case.wall_s for case in found):.3f}",
    )
    for case in found:
        element = ET.SubElement(
            suite,
            "testcase",
            classname=printable(case.suite),
            name=printable(case.name),
            time=f"{case.wall_s:.3f}",
        )
        if case.failure is not None:
            ET.SubElement(element, "failure", message=printable(case.failure)).text = _lines(case.details)
        elif case.skipped is not None:
            ET.SubElement(element, "skipped", message=printable(case.skipped))
    ET.indent(suite)
    return ET.tostring(suite, encoding="unicode") + "\n"


def _lines(text: str) -> str:
    return "\n".join(map(printable, text.splitlines()))


def write(path: Path, name: str, cases: Iterable[TestCase]) -> None:
    """Writes the report with a checksum, by which the next command knows that it may replace it.

    Raises OutputError.
    """
    refuse_foreign(path)
    try:
        path.write_bytes(sealed(f"{to_xml(name, cases).rstrip()}\n<!-- {HOLE} -->\n".encode()))
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror}") from error
