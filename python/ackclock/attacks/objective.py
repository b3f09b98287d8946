"""The quantities that an attack seeks to ruin, as shares: 1 is as good as can be, 0 is ruin."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ackclock.attacks.facts import WINDOW_S
from ackclock.attacks.networks import OTHER, OWN, number
from ackclock.attacks.yardstick import Yardstick
from ackclock.errors import InputError, unknown

__all__ = ["QUANTITIES", "Quantity", "Where", "difference", "harm_left", "others_share", "read_where"]

Facts = Mapping[str, float]


@dataclass(frozen=True)
class Quantity:
    """A quantity of the algorithm's own flows."""

    name: str
    words: str
    """Its meaning, in a sentence that begins with "the"."""
    share: Callable[[Facts, Yardstick], float]
    """The share that is left: 1 if the omniscient sender has no more, 0 for ruin."""
    column: str
    """The series that shows it."""
    needs: tuple[str, ...] = ()
    """Changes that each path has."""
    damage_below: float = 0.8
    """The share below which a path counts as found."""


def _goodput(row: Facts, stick: Yardstick) -> float:
    return row[f"{OWN}_bits"] / max(stick.bits(), 1.0)


def _delay(row: Facts, stick: Yardstick) -> float:
    measured = row[f"{OWN}_rtt_95_s"]
    return float(np.quantile(stick.rtt_s, 0.95)) / measured if measured > 0 else 1.0


def _loss(row: Facts, stick: Yardstick) -> float:
    sent = row[f"{OWN}_sent"]
    kept = 1 - row[f"{OWN}_lost"] / sent if sent else 1.0
    return kept / (1 - number(stick.path, "loss", "share", 0.0))


def _completion(row: Facts, stick: Yardstick) -> float:
    taken = row[f"{OWN}_transfer_s"]
    return float(stick.transfer_s().mean()) / taken if taken > 0 else 1.0


def _starvation(row: Facts, stick: Yardstick) -> float:
    shares = []
    for key, value in row.items():
        if key.startswith(f"{OWN}_low_") and math.isfinite(value):
            begin = float(key.rpartition("_")[2])
            expected = stick.during(begin, begin + WINDOW_S)
            if expected > 0 and begin + WINDOW_S <= stick.duration_s + 1e-9:
                shares.append(value / expected)
    return min(shares, default=math.nan)


def _state(row: Facts, stick: Yardstick) -> float:
    """The share of the run without the time that a flow loses in its longest stay in a state."""
    lost = [0.0]
    whole = stick.during(0.0, stick.duration_s)
    begin_of, prefix = "_begin_s", f"{OWN}_stay_"
    for key in row:
        if key.startswith(prefix) and key.endswith(begin_of):
            state = key.removesuffix(begin_of)
            begin, end, goodput = (row[f"{state}_{name}"] for name in ("begin_s", "end_s", "bit_per_s"))
            if math.isfinite(begin) and whole > 0:
                lost.append((end - begin) * max(stick.during(begin, end) - goodput, 0.0) / whole)
    return 1 - max(lost) / stick.duration_s


QUANTITIES = {
    each.name: each
    for each in (
        Quantity("goodput", "the goodput of its flows", _goodput, "goodput_bit_per_s"),
        Quantity("delay", "the round trip that 95 % of the samples do not exceed", _delay, "rtt_s"),
        Quantity("loss", "the packets that are not lost", _loss, "retransmissions", damage_below=0.95),
        Quantity("completion", "the mean time of its files", _completion, "goodput_bit_per_s", ("files",)),
        Quantity(
            "starvation",
            "the goodput in ten seconds of the flow that has least",
            _starvation,
            "goodput_bit_per_s",
        ),
        Quantity(
            "state",
            "the time without what a flow loses in its longest stay in a state that is meant to end",
            _state,
            "cwnd_packets",
        ),
    )
}
"""The quantities by name."""


def harm_left(row: Facts, own_kind: Facts) -> float:
    """The share that the others keep of their goodput with flows of their own kind."""
    return row[f"{OTHER}_bits"] / max(own_kind[f"{OTHER}_bits"], 1.0)


def others_share(row: Facts, stick: Yardstick) -> float:
    """The goodput of the others, of what a path has for them."""
    return row[f"{OTHER}_bits"] / max(stick.bits_of_others(), 1.0)


def difference(first: float, second: float) -> float:
    """The quotient of two values, the lesser by the greater."""
    low, high = sorted((max(first, 0.0), max(second, 0.0)))
    return low / high if high > 0 else 1.0


OPERATORS = {"<": operator.lt, ">": operator.gt}
CONDITION = re.compile(r"\s*(?P<left>[^<>]+?)\s*(?P<sign>[<>])\s*(?P<right>[^<>]+?)\s*")
TERM = re.compile(r"(?:(?P<factor>\d+\.?\d*(?:e-?\d+)?)\s*\*\s*)?(?:(?P<label>.+)\.)?(?P<name>[a-z]+)")

RAW = ("timeouts", "retransmissions")
"""Counts of the algorithm's own flows that a condition may name too."""


@dataclass(frozen=True)
class Term:
    """A number, or a quantity of an algorithm times a number."""

    factor: float
    label: str | None = None
    name: str = ""

    def value(self, values: Mapping[str, Mapping[str, float]]) -> float:
        """The value in a run; `values` has the quantities by label."""
        return self.factor if self.label is None else self.factor * values[self.label][self.name]


@dataclass(frozen=True)
class Where:
    """A condition on the quantities of runs: conditions joined by "and"."""

    text: str
    parts: tuple[tuple[Term, str, Term], ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """The algorithms that it names."""
        terms = [term for left, _, right in self.parts for term in (left, right)]
        return tuple(dict.fromkeys(term.label for term in terms if term.label is not None))

    def share(self, values: Mapping[str, Mapping[str, float]]) -> float:
        """Below 1 where the condition holds: the quotient of the two sides of the part that holds least."""
        return max(
            _quotient(left.value(values), sign, right.value(values)) for left, sign, right in self.parts
        )


def _quotient(left: float, sign: str, right: float) -> float:
    small, large = (left, right) if sign == "<" else (right, left)
    if not (math.isfinite(small) and math.isfinite(large)):
        return 2.0
    return small / large if large > 0 else 2.0


def read_where(text: str, labels: Sequence[str]) -> Where:
    """Reads a condition, as "bbr3.goodput < 0.3 * cubic.goodput and bbr3.loss > 0.1". Raises InputError."""
    parts = []
    for part in re.split(r"\s+and\s+", text.strip()):
        matched = CONDITION.fullmatch(part)
        if matched is None:
            raise InputError(
                f'--where "{part}": no condition; expected a quantity, < or >, and a quantity or a number, '
                'as "bbr3.goodput < 0.3"'
            )
        parts.append((_term(matched["left"], labels), matched["sign"], _term(matched["right"], labels)))
    return Where(text.strip(), tuple(parts))


def _term(text: str, labels: Sequence[str]) -> Term:
    try:
        return Term(float(text))
    except ValueError:
        pass
    matched = TERM.fullmatch(text)
    if matched is None:
        raise InputError(
            f'--where: found "{text}"; expected a number or a quantity, as "0.5 * cubic.goodput"'
        )
    known = (*QUANTITIES, *RAW)
    if matched["name"] not in known:
        raise unknown("quantity", matched["name"], known)
    label = (matched["label"] or labels[0]).strip()
    if label not in labels:
        raise unknown("algorithm of this attack", label, labels)
    return Term(float(matched["factor"] or 1), label, matched["name"])


def natural(name: str, share: float, row: Facts) -> float:
    """A quantity as a condition names it: losses as a share, delays and times as multiples.

    They are multiples of what the path has with the longest of its own delays; a run that met shorter ones
    counts as 1.
    """
    if name in RAW:
        return row[f"{OWN}_{name}"]
    if name == "loss":
        return 1 - share
    if name in ("delay", "completion"):
        return max(1 / share, 1.0) if share > 0 else math.inf
    return share
