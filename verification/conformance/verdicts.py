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

CHANCE = "Chance changes the losses of an interval by more than the trials do."
NOISE = "Growth of the delay by less than 3 % is noise to the module, so that queues grow."
LOSSES = "The module's utility rises with the rate up to a loss rate of 9 %, and hardly falls above it."
ANOTHER = "The module has another rule, which the page of vivace-linux describes."
REPAIRS = "Repairs without an end measure hardly a round trip, and without one an interval has no results."

REASONS: dict[tuple[str, str, str], str] = {
    ("allegro", "allegro", "cliff"): CHANCE,
    ("allegro", "allegro", "equal-rates"): "The shares of two flows wander for minutes.",
    ("allegro", "allegro", "latecomer"): (
        "The first flow spaces its packets evenly, and takes each place of a full buffer that becomes free."
    ),
    ("allegro", "allegro", "loss-of-four"): (
        "Where chance ends the start at a few packets in a round trip, one loss is a tenth of an interval."
    ),
    ("bbr3", "bbr", "decrease-deep-buffer"): PSEUDOCODE,
    ("bbr3", "bbr", "spurious-fast-recovery"): PSEUDOCODE,
    ("c4", "c4", "spike"): (
        "The rate is overestimated as the path becomes shorter, and keeps a queue. "
        "Its delay is then taken for the path's."
    ),
    ("cdg", "cdg", "loss-tolerance"): (
        "The tolerance of losses is off by default, as in Linux. With use_tolerance the goodput is 1.2 to "
        "1.4 times that of standard TCP."
    ),
    ("copa", "copa", "two-flows"): (
        "On some paths two flows take each other for flows that fill the buffer, and compete."
    ),
    ("prague", "prague", "small-windows"): "Two packets are the smallest window.",
    ("prague", "prague", "classic-queue"): "The fall-back for queues of classic ECN is off, as in Linux.",
    ("reno", "reno", "once"): "The recovery of 1990 answers a second loss of a window a second time.",
    ("vivace", "vivace", "equal-rates"): (
        "Each takes the others' trials for its own, so that the buffer fills at times."
    ),
    ("vivace", "vivace", "loss-of-four"): CHANCE,
    ("vivace", "vivace", "slower-link"): REPAIRS,
    ("vivace", "vivace", "with-many"): (
        "The others' queue grows for most of a cycle. Without the price of delays it has more than half of "
        "the link."
    ),
    ("vivace-linux", "vivace", "base-delay"): NOISE,
    ("vivace-linux", "vivace", "boundary"): ANOTHER,
    ("vivace-linux", "vivace", "boundary-widens"): ANOTHER,
    ("vivace-linux", "vivace", "equal-rates"): NOISE,
    ("vivace-linux", "vivace", "loss-of-four"): CHANCE,
    ("vivace-linux", "vivace", "loss-of-ten"): LOSSES,
    ("vivace-linux", "vivace", "slower-link"): "Its rate falls by a quarter in 14 s.",
    ("vivace-linux", "vivace", "starting"): ANOTHER,
    ("vivace-linux", "vivace", "starting-exit"): ANOTHER,
    ("vivace-linux", "vivace", "timeout"): ANOTHER,
    ("vivace-linux", "vivace", "trials"): ANOTHER,
    ("vivace-linux", "vivace", "with-cubic"): LOSSES,
    ("vivace-linux", "vivace", "with-many"): LOSSES,
}
"""Why a case does not hold, by the algorithm, the specification and the case."""


def judged(*, seeds: int) -> Iterator[Conformance]:
    """Each algorithm by each specification that names it."""
    for key, each in specifications().items():
        for algorithm in each.algorithms or (ANY,):
            yield conform(algorithm, key, seeds=seeds)


def as_row(done: Conformance) -> dict[str, object]:
    """The counts, each case that does not hold with its finding and its reason, and what was found else."""
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
        "findings": {one.what: one.finding for one in done.verdicts if one.outcome is Outcome.HOLDS},
    }
