"""The laws of specifications that hold on every path, and the rest of them in a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications import specification, specifications
from ackclock.conformance.trace import MissingGaugeError, NotSeenError, Trace
from ackclock.errors import InputError
from ackclock.runs.result import Result

__all__ = ["PREFIX", "SAMPLE", "broken", "laws", "refuse_what_it_does_not_show"]

SAMPLE = "20 ms"
"""The interval of the series by which laws are judged."""

PREFIX = "law_"
"""The beginning of the names of facts that say what is left of a law."""

MOST = 2.0
"""The most that is left of a law: what is far from its bound is not sought further away."""


def laws(spec: str) -> tuple[Case, ...]:
    """The cases of a specification that have a law. Raises InputError if there is none."""
    found = tuple(case for case in specification(spec).cases if case.law is not None)
    if not found:
        some = [key for key, each in specifications().items() if any(case.law for case in each.cases)]
        raise InputError(f'break: "{spec}" has no law for every path; there are laws of {", ".join(some)}')
    return found


def broken(spec: str, result: Result) -> Mapping[str, float]:
    """The rest of each law in a run, and of the one that it breaks most: below 1 a law is broken."""
    left = {}
    trace = Trace(result)
    for case in laws(spec):
        bounds = [MOST, *(_left(share) for share in _shares(case, trace))]
        left[f"{PREFIX}{case.key}"] = min(bounds)
    return {"objective": min(left.values()), **left}


def _shares(case: Case, trace: Trace) -> Iterator[float]:
    """The shares of their bounds that verdicts use; none for a law that the run does not show."""
    try:
        for verdict in case.law.observe(trace) if case.law else ():
            yield verdict.share if np.isfinite(verdict.share) else 0.0
    except (NotSeenError, MissingGaugeError):
        return


def _left(share: float) -> float:
    return 1 / share if share > 1 / MOST else MOST


def refuse_what_it_does_not_show(spec: str, label: str, result: Result) -> None:
    """Raises InputError for an algorithm that lacks the gauges of every law."""
    missing = ""
    for case in laws(spec):
        try:
            tuple(case.law.observe(Trace(result)) if case.law else ())
        except MissingGaugeError as error:
            missing = str(error.args[0])
        except NotSeenError:
            return
        else:
            return
    raise InputError(f"break: {label} offers no gauge {missing}, by which the laws of {spec} are judged")
