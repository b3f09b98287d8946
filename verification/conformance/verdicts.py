"""The verdicts on every algorithm that a specification names, as the documentation shows them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ackclock.conformance.judge import Conformance, conform
from ackclock.conformance.specifications import specifications
from ackclock.measures.verdict import Outcome

__all__ = ["PUBLISHED", "REASONS", "as_row", "judged"]

PUBLISHED = Path(__file__).resolve().parents[2] / "published" / "conformance" / "verdicts.json"

ANY = "newreno"
"""The algorithm that is judged by a specification of the transport, which names none."""

PSEUDOCODE = "It computes the draft's pseudocode, which differs from its prose here."

REASONS: dict[tuple[str, str, str], str] = {
    ("bbr3", "bbr", "decrease-deep-buffer"): PSEUDOCODE,
    ("bbr3", "bbr", "spurious-fast-recovery"): PSEUDOCODE,
    ("copa", "copa", "two-flows"): (
        "On some paths two flows take each other for flows that fill the buffer, and compete."
    ),
    ("prague", "prague", "small-windows"): "Two packets are the smallest window.",
    ("prague", "prague", "classic-queue"): "The fall-back for queues of classic ECN is not implemented.",
    ("reno", "reno", "once"): "The recovery of 1990 answers a second loss of a window a second time.",
}
"""Why a case does not hold, by the algorithm, the specification and the case."""


def judged(*, seeds: int) -> Iterator[Conformance]:
    """Each algorithm by each specification that names it."""
    for key, each in specifications().items():
        for algorithm in each.algorithms or (ANY,):
            yield conform(algorithm, key, seeds=seeds)


def as_row(done: Conformance) -> dict[str, object]:
    """The counts, and each case that does not hold with its finding and its reason."""
    others = [verdict for verdict in done.verdicts if verdict.outcome is not Outcome.HOLDS]
    return {
        "algorithm": done.label,
        "specification": done.specification.key,
        "cases": len(done.verdicts),
        "hold": done.count(Outcome.HOLDS),
        "others": [
            {
                "case": one.what,
                "verdict": one.word,
                "finding": one.finding,
                "reason": REASONS.get((done.label, done.specification.key, one.what), ""),
            }
            for one in others
        ],
    }
