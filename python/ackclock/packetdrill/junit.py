"""Outcomes of scripts as test cases of JUnit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ackclock.packetdrill.scripts import FAILED, NOT_RUNNABLE, Outcome
from ackclock.report.junit import TestCase

__all__ = ["test_cases"]


def test_cases(outcomes: Sequence[Outcome]) -> Iterator[TestCase]:
    """A test case for each script; one that is not run counts as skipped."""
    for outcome in outcomes:
        failed = outcome.verdict == FAILED
        seen = f"line {outcome.line}: expected {outcome.expected}, seen {outcome.seen}"
        yield TestCase(
            suite="packetdrill",
            name=outcome.script,
            wall_s=outcome.wall_s,
            failure=seen if failed else None,
            details="\n".join(outcome.context) if failed else "",
            skipped=f"line {outcome.line}: {outcome.reason}" if outcome.verdict == NOT_RUNNABLE else None,
        )
