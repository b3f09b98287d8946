"""Paths, quantities and findings in words."""

from __future__ import annotations

import re

from ackclock.attacks.laws import laws
from ackclock.attacks.objective import QUANTITIES
from ackclock.attacks.problem import Judged, Problem
from ackclock.attacks.shrink import Finding, Range
from ackclock.attacks.space import BY_NAME, CHANGES, Path, Value
from ackclock.conformance.specifications import specification

__all__ = ["changes", "of_range", "question", "sentence", "told"]

PLAIN = "the plain path: 10 Mbit/s, a round trip of 40 ms, a buffer of one bandwidth-delay product, one flow"


SINGLE = {change.name for change in CHANGES if len(change.keys) == 1}
"""The changes of one key, which needs no name."""


ONE = re.compile(r"\b1 (flow|segment)s\b")


def changes(path: Path) -> list[str]:
    """Each change of a path in words; the plain path if there is none."""
    found = [
        BY_NAME[name].words.format(**{key: in_words(key, value) for key, value in values.items()})
        for name, values in path.items()
    ]
    return [ONE.sub(r"1 \1", each) for each in found] or [PLAIN]


def shown(value: Value) -> str:
    """A value without a superfluous digit."""
    return value if isinstance(value, str) else f"{value:.10g}"


def in_words(key: str, value: Value) -> str:
    """A value of a key: shares in per cent."""
    return f"{100 * value:.10g} %" if key == "share" and not isinstance(value, str) else shown(value)


def told(judged: Judged | None) -> str:
    """The worst path so far on one line: a bar of ten cells, and the changes."""
    if judged is None:
        return ""
    cells = min(max(round(10 * judged.share), 0), 10)
    return f"{'█' * cells}{'·' * (10 - cells)} {judged.share:.2f} left: {', '.join(changes(judged.path))}"


def question(problem: Problem) -> str:
    """The objective of an attack: "the goodput of its flows, as a share of the omniscient sender's"."""
    if problem.own:
        return "your objective"
    if problem.law:
        titles = "; ".join(case.title.lower() for case in laws(problem.law))
        return f"the distance from the bounds of the laws of {specification(problem.law).title}: {titles}"
    if problem.where is not None:
        return problem.where.text
    if problem.victim:
        return f"the goodput of {problem.victim} next to it, as a share of the goodput next to its own kind"
    words = QUANTITIES[problem.quantity].words
    if problem.differ:
        first, second = problem.contenders
        return f"{words}, the worse of {first} and {second} as a share of the better"
    measure = f"what {problem.than} has" if problem.than else "what a sender that knows the path would have"
    return f"{words}, as a share of {measure}"


def of_range(one: Range) -> str:
    """The values with which a finding holds: "bursts, on: 25 to 800 ms"."""
    unit = f" {one.key.unit}" if one.key.unit else ""
    low, high = in_words(one.key.name, one.low), in_words(one.key.name, one.high)
    name = one.change if one.change in SINGLE else f"{one.change}, {one.key.name}"
    return f"{name}: {low.removesuffix(' %')} to {high}{unit}"


def sentence(finding: Finding) -> str:
    """The seeds and the neighbouring values with which a finding holds."""
    held = f"It holds on {finding.held} of {len(finding.seeds)} other seeds"
    ranges = "; ".join(map(of_range, finding.ranges))
    return f"{held}, and for these values: {ranges}." if ranges else f"{held}."
