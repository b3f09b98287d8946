"""The suites that `ackclock evaluate --suite` takes."""

from __future__ import annotations

from ackclock.errors import InputError, unknown
from ackclock.evaluation import rmcat, tcpeval
from ackclock.evaluation.criteria import CRITERIA, NOT_EVALUATED
from ackclock.evaluation.suite import Suite
from ackclock.scenarios import media
from ackclock.scenarios.algorithms import is_built_in, name_of

__all__ = ["DEFAULT", "OF_CALLS", "SUITES", "suite_of"]


RFC_9743 = Suite(
    "rfc9743",
    "RFC 9743",
    CRITERIA,
    NOT_EVALUATED,
    "RFC 9743 has no thresholds; these are Ackclock's.",
)

DEFAULT = RFC_9743.key

SUITES = {suite.key: suite for suite in (RFC_9743, tcpeval.SUITE)}
"""The suites for congestion controls of TCP, by key."""

OF_CALLS = {rmcat.SUITE.key: rmcat.SUITE}
"""The suites for congestion controls of calls, by key."""


def suite_of(algorithm: str, key: str | None, *, trust: bool = False) -> Suite:
    """The suite of this key, by default the one for the kind of the algorithm.

    Raises InputError for an unknown key, and for a suite of the other kind.
    """
    own, other = (OF_CALLS, SUITES) if media.is_media(algorithm, trust=trust) else (SUITES, OF_CALLS)
    if key is None:
        return next(iter(own.values()))
    if key in own:
        return own[key]
    if key not in other:
        raise unknown("suite", key, (*SUITES, *OF_CALLS))
    if own is SUITES and not is_built_in(name_of(algorithm.strip())):
        raise unknown("congestion control of calls", algorithm, media.known())
    kind, takes = ("calls", "TCP") if own is OF_CALLS else ("TCP", "calls")
    raise InputError(
        f"--suite {key}: it evaluates congestion controls of {takes}, and {algorithm} is one of {kind}; "
        f"for {algorithm} there is {', '.join(own)}"
    )
