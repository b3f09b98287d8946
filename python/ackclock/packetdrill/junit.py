"""Outcomes of scripts in the XML of JUnit, which programs for continuous integration read."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree as ET

from ackclock.packetdrill.scripts import FAILED, NOT_RUNNABLE, Outcome

__all__ = ["to_xml"]


def to_xml(outcomes: Sequence[Outcome]) -> str:
    """One test suite with a test case for each script; what is not run counts as skipped."""
    suite = ET.Element(
        "testsuite",
        name="packetdrill",
        tests=str(len(outcomes)),
        failures=str(sum(outcome.verdict == FAILED for outcome in outcomes)),
        skipped=str(sum(outcome.verdict == NOT_RUNNABLE for outcome in outcomes)),
        time=f"{sum(outcome.wall_s for outcome in outcomes):.3f}",
    )
    for outcome in outcomes:
        case = ET.SubElement(
            suite, "testcase", classname="packetdrill", name=outcome.script, time=f"{outcome.wall_s:.3f}"
        )
        if outcome.verdict == FAILED:
            message = f"line {outcome.line}: expected {outcome.expected}, seen {outcome.seen}"
            failure = ET.SubElement(case, "failure", message=message)
            failure.text = "\n".join(outcome.context)
        elif outcome.verdict == NOT_RUNNABLE:
            ET.SubElement(case, "skipped", message=f"line {outcome.line}: {outcome.reason}")
    ET.indent(suite)
    return ET.tostring(suite, encoding="unicode") + "\n"
