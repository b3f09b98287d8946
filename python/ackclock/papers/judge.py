"""Judges claims by measurements. The rules are fixed in `claims.toml` before anything is measured."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import cast

from ackclock.measures import statistics
from ackclock.measures.verdict import Outcome, Verdict
from ackclock.papers.claims import Claim
from ackclock.papers.measurements import (
    Each,
    Holds,
    Measured,
    NotRun,
    Ordered,
    Reported,
    Undecidable,
    Values,
    written,
)

__all__ = [
    "ELSEWHERE",
    "NOT_RUN",
    "STATEMENT_VERDICTS",
    "VERDICTS",
    "WORDS",
    "ClaimVerdict",
    "judge",
]

WORDS = {
    Outcome.HOLDS: "reproduced",
    Outcome.FAILS: "not reproduced",
    Outcome.UNDECIDED: "inconclusive",
}
VERDICTS = tuple(WORDS.values())
"""The outcomes as verdicts on a reproduction."""
ELSEWHERE = "under another setting"
"""The verdict on a statement that is not reproduced under the chosen setting, but is under another one."""
STATEMENT_VERDICTS = (VERDICTS[0], ELSEWHERE, *VERDICTS[1:])
"""The verdicts on statements."""
NOT_RUN = "not run"
"""The mark, instead of a verdict, of a claim that the quick check leaves out."""

NAMED = 5
"""The most loads that a verdict names; it counts the others."""
EXCEPTION_OF = 5
"""With at least this many loads, a single load that breaks the rule leaves the verdict open: see
`_judge_each`."""


@dataclass(frozen=True, kw_only=True)
class ClaimVerdict(Verdict):
    """The verdict on a claim, with the numbers on which it rests."""

    claim: Claim
    measured: float | Mapping[str, float] | None
    """The mean; means by name; the share of trials, or the number given with them.

    None if nothing was measured.
    """
    interval: tuple[float, float] | None
    """The 95 % interval; for an order, of the smallest adjacent difference. None for a single measurement."""
    n: int = 0
    """The number of independent measurements or trials; for an order, of each name."""
    intervals: Mapping[str, tuple[float, float] | None] = field(default_factory=dict)
    """For an order, the intervals of each name's mean."""
    measurement: Measured | None = None
    """The measurements themselves; None if there are none."""

    @property
    def verdict(self) -> str:
        """The outcome as one of `VERDICTS`, or `NOT_RUN`."""
        return NOT_RUN if isinstance(self.measurement, NotRun) else WORDS[self.outcome]

    def document(self) -> dict[str, object]:
        """The verdict as a JSON object."""
        claim = self.claim
        return {
            "id": claim.id,
            "place": claim.place,
            "statement": claim.statement,
            "expected": claim.expected if isinstance(claim.expected, float | str) else list(claim.expected),
            "expectation": claim.expectation,
            "unit": claim.unit,
            "tolerance": claim.tolerance,
            "why": claim.why,
            "class": str(claim.claim_class),
            "statement_id": claim.statement_id,
            "measured": dict(self.measured) if isinstance(self.measured, Mapping) else self.measured,
            "interval": list(self.interval) if self.interval else None,
            "intervals": {name: list(interval) for name, interval in self.intervals.items() if interval},
            "n": self.n,
            "verdict": self.verdict,
            "note": self.note,
            "measurement": None if self.measurement is None else written(self.measurement),
        }


def _verdict(
    claim: Claim,
    outcome: Outcome,
    measured: float | Mapping[str, float] | None,
    interval: tuple[float, float] | None,
    note: str = "",
    words: str = "",
    n: int = 0,
    intervals: Mapping[str, tuple[float, float] | None] | None = None,
) -> ClaimVerdict:
    """The verdict with its finding in words; `words` replaces the number if a number is not enough."""
    known = intervals or {}
    found = "–" if measured is None else words or _found(claim, measured, interval, known)
    return ClaimVerdict(
        claim.id,
        found + (f"; n = {n}" if n > 1 and measured is not None else ""),
        claim.expectation,
        outcome,
        note=note,
        claim=claim,
        measured=measured,
        interval=interval,
        n=n,
        intervals=known,
    )


def _found(
    claim: Claim,
    measured: float | Mapping[str, float],
    interval: tuple[float, float] | None,
    intervals: Mapping[str, tuple[float, float] | None],
) -> str:
    """The measurements, with 95 % intervals in brackets."""
    unit = f" {claim.unit}" if claim.unit else ""
    if not isinstance(measured, Mapping):
        return _bracketed(measured, interval) + unit
    ranked = sorted(measured.items(), key=lambda item: -item[1])
    means = ", ".join(f"{name} {_bracketed(mean, intervals.get(name))}" for name, mean in ranked)
    if interval is None:
        return means + unit
    names = cast("tuple[str, ...]", claim.expected)
    least = min(measured[above] - measured[below] for above, below in pairwise(names))
    which = "least difference" if len(names) > 2 else "difference"
    return f"{means}{unit}; {which} {_bracketed(least, interval)}"


def _short(value: float) -> str:
    return f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"


def _bracketed(value: float, interval: tuple[float, float] | None) -> str:
    """A number, with its interval unless that is a point."""
    if interval is None or interval[0] == interval[1]:
        return _short(value)
    return f"{_short(value)} [{_short(interval[0])}, {_short(interval[1])}]"


def judge(claim: Claim, measured: Measured | None) -> ClaimVerdict:
    """The verdict on a claim. Raises TypeError if the measurement is not of the claim's kind.

    A claim is reproduced if the whole 95 % interval meets its rule, not reproduced if the whole interval
    breaks it, and undecided otherwise; more seeds would narrow the interval.
    """
    if measured is None:
        return _verdict(claim, Outcome.UNDECIDED, None, None, "nothing was measured for this claim")
    return replace(_judged(claim, measured), measurement=measured)


def _judged(claim: Claim, measured: Measured) -> ClaimVerdict:
    if isinstance(measured, Undecidable | NotRun):
        return _verdict(claim, Outcome.UNDECIDED, None, None, measured.note)
    if isinstance(measured, Reported):
        return _judge_reported(claim, measured)
    if isinstance(measured, Values) and claim.kind in ("value", "range"):
        return _judge_values(claim, measured)
    if isinstance(measured, Each) and claim.kind == "each":
        return _judge_each(claim, measured)
    if isinstance(measured, Ordered) and claim.kind == "order":
        return _judge_order(claim, measured)
    if isinstance(measured, Holds) and claim.kind == "predicate":
        return _judge_predicate(claim, measured)
    raise TypeError(f"claim {claim.id} is a {claim.kind}; it cannot be judged by {type(measured).__name__}")


def _bounds(interval: statistics.Interval) -> tuple[float, float] | None:
    return None if math.isnan(interval.low) else (interval.low, interval.high)


def _judge_values(claim: Claim, measured: Values) -> ClaimVerdict:
    if claim.kind == "value":
        expected = cast("float", claim.expected)
        least, most = _printed(claim, expected - claim.tolerance), _printed(claim, expected + claim.tolerance)
    else:
        least, most = cast("tuple[float, float]", claim.expected)
    if claim.is_log and min(measured.samples) <= 0:
        return _without_logarithm(claim, measured.note)
    interval = _mean(claim, measured.samples)
    low, high = (_printed(claim, bound) for bound in _bounds(interval) or (interval.estimate,) * 2)
    note = _both(_range_of(measured.spread), measured.note)
    inside = least <= low and high <= most
    outside = high < least or low > most
    if not inside and not outside:
        note = _both("the interval reaches over a bound; more seeds would tell", note)
    return _verdict(
        claim,
        Outcome.HOLDS if inside else Outcome.FAILS if outside else Outcome.UNDECIDED,
        interval.estimate,
        _bounds(interval),
        note,
        n=len(measured.samples),
    )


def _mean(claim: Claim, samples: Sequence[float], confidence: float = 0.95) -> statistics.Interval:
    """The mean with its interval, on the claim's scale."""
    interval = statistics.geometric_interval if claim.is_log else statistics.mean_interval
    return interval(samples, confidence)


def _without_logarithm(claim: Claim, note: str) -> ClaimVerdict:
    why = "a ratio is zero or less, and has no logarithm"
    return _verdict(claim, Outcome.UNDECIDED, None, None, _both(why, note))


def _printed(claim: Claim, value: float) -> float:
    """A number rounded to the decimals that the paper prints."""
    return value if claim.decimals is None else round(value, claim.decimals)


def _range_of(spread: Sequence[float]) -> str:
    if not spread:
        return ""
    return f"{_short(min(spread))} to {_short(max(spread))} over {len(spread)} varied runs"


def _both(first: str, second: str) -> str:
    return "; ".join(text for text in (first, second) if text)


def _judge_each(claim: Claim, measured: Each) -> ClaimVerdict:
    """The verdict on a rule for every load, by intervals that hold for all loads together.

    The intervals are simultaneous ones (Bonferroni): with 95 % confidence all of them contain their means,
    so that a failure by chance is no more likely with more loads. A load with a single run is judged by
    its value. A single load that breaks the rule, of five or more, leaves the verdict open: whether "always"
    admits an exception is a matter of definition.
    """
    low, high = cast("tuple[float, float]", claim.expected)
    count, seeds = len(measured.samples), min(map(len, measured.samples.values()))
    if claim.is_log and min(map(min, measured.samples.values())) <= 0:
        return _without_logarithm(claim, measured.note)
    spans = {name: _mean(claim, samples, 1 - 0.05 / count) for name, samples in measured.samples.items()}
    bounds = {name: _bounds(span) or (span.estimate, span.estimate) for name, span in spans.items()}
    inside = [name for name, (least, most) in bounds.items() if low <= least and most <= high]
    outside = [name for name, (least, most) in bounds.items() if most < low or least > high]
    worst = min(bounds, key=lambda name: min(bounds[name][0] - low, high - bounds[name][1]))
    note = ""
    if len(inside) == count:
        outcome = Outcome.HOLDS
    elif len(outside) > 1 or (outside and count < EXCEPTION_OF):
        outcome, note = Outcome.FAILS, f"not at {_some(outside)}"
    elif outside and len(inside) == count - 1:
        outcome, note = Outcome.UNDECIDED, f"at every load but one, {outside[0]}"
    else:
        open_ = [name for name in spans if name not in inside]
        outcome, note = Outcome.UNDECIDED, f"open at {_some(open_)}; more seeds would tell"
    unit = f" {claim.unit}" if claim.unit else ""
    words = f"at worst {_bracketed(spans[worst].estimate, _bounds(spans[worst]))}{unit} ({worst})"
    words += f"; at {len(inside)} of {count} loads"
    mean = math.fsum(span.estimate for span in spans.values()) / count
    return _verdict(claim, outcome, mean, _bounds(spans[worst]), _both(note, measured.note), words, n=seeds)


def _some(names: Sequence[str]) -> str:
    """The first names, and the number of others; all names if only one would be left out."""
    if len(names) <= NAMED + 1:
        return ", ".join(names)
    return f"{', '.join(names[:NAMED])} and {len(names) - NAMED} others"


def _judge_order(claim: Claim, measured: Ordered) -> ClaimVerdict:
    names = cast("tuple[str, ...]", claim.expected)
    missing = [name for name in names if name not in measured.samples]
    if missing:
        raise TypeError(f"claim {claim.id} orders {', '.join(missing)}, for which nothing was measured")
    means = {name: statistics.mean_interval(measured.samples[name]) for name in names}
    steps = [
        (statistics.paired_difference(measured.samples[above], measured.samples[below]), above, below)
        for above, below in pairwise(names)
    ]
    smallest = min(steps, key=lambda step: step[0].estimate)[0]
    spans = [(_bounds(step) or (step.estimate, step.estimate), above, below) for step, above, below in steps]
    wrong = [f"{above} is not above {below}" for (_, high), above, below in spans if high <= claim.tolerance]
    open_ = [f"{above} and {below}" for (low, high), above, below in spans if low <= claim.tolerance < high]
    apart = f"not told apart at 95 %: {', '.join(open_)}" if open_ else ""
    return _verdict(
        claim,
        Outcome.FAILS if wrong else Outcome.UNDECIDED if open_ else Outcome.HOLDS,
        {name: mean.estimate for name, mean in means.items()},
        _bounds(smallest),
        _both("; ".join(wrong) or apart, measured.note),
        n=smallest.n,
        intervals={name: _bounds(mean) for name, mean in means.items()},
    )


def _judge_predicate(claim: Claim, measured: Holds) -> ClaimVerdict:
    n = len(measured.outcomes)
    held = sum(bool(outcome) for outcome in measured.outcomes)
    share = statistics.proportion_interval(held, n)
    number = share.estimate if measured.number is None else measured.number
    verdict = Outcome.HOLDS if held >= claim.at_least * n else Outcome.FAILS
    words = "held" if held else "did not hold"
    if n > 1:
        words = f"held in {held} of {n} trials"
    if measured.number is not None:
        words = f"{_short(number)}{f' {claim.unit}' if claim.unit else ''}, {words}"
    interval = (share.low, share.high) if n > 1 else None
    if interval:
        words += f", {share.estimate:.0%} [{share.low:.0%}, {share.high:.0%}]"
    return _verdict(claim, verdict, number, interval, measured.note, words)


def _judge_reported(claim: Claim, measured: Reported) -> ClaimVerdict:
    if measured.rule != claim.expectation:
        note = f"judged before by another rule ({measured.rule}): {measured.finding}; run the paper again"
        return _verdict(claim, Outcome.UNDECIDED, None, None, note)
    outcome = {True: Outcome.HOLDS, False: Outcome.FAILS, None: Outcome.UNDECIDED}[measured.holds]
    return replace(_verdict(claim, outcome, None, None, measured.note), finding=measured.finding)
