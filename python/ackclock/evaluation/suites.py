"""The suites that `ackclock evaluate --suite` takes."""

from __future__ import annotations

from ackclock.evaluation import tcpeval
from ackclock.evaluation.criteria import CRITERIA, NEWER, NOT_EVALUATED
from ackclock.evaluation.criterion import Criterion
from ackclock.evaluation.suite import Suite

__all__ = ["DEFAULT", "SUITES"]


def _section(criterion: Criterion) -> list[int]:
    """The first of its sections."""
    return [int(part) for part in criterion.section.split(",")[0].split(".")]


RFC_9743 = Suite(
    "rfc9743",
    "RFC 9743",
    tuple(sorted((*CRITERIA, *NEWER), key=_section)),
    NOT_EVALUATED,
    "RFC 9743 has no thresholds; these are Ackclock's.",
)

DEFAULT = RFC_9743.key

SUITES = {suite.key: suite for suite in (RFC_9743, tcpeval.SUITE)}
"""By key."""
