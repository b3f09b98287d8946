"""Algorithms that a user adds to the experiments of a paper: `ackclock reproduce PAPER --with ALGORITHM`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ackclock import _native
from ackclock.errors import InputError
from ackclock.scenarios.algorithms import Factory, kinds_of, own_names, pieces_of, referred

__all__ = ["Competitor", "competitors"]

TRANSPORTS = frozenset({"recovery", "transport"})
"""The kinds of parts that stand before a slow start and an avoidance."""
PLACES = ("slow start", "avoidance")


@dataclass(frozen=True)
class Competitor:
    """An algorithm in competition with those of a paper."""

    label: str
    """Its name in tables and figures: the specification, or the name of its class."""
    classes: Mapping[str, Factory]
    """The Python class, by its name in specifications; empty for a built-in algorithm."""

    def in_place_of(self, standard: str, *, over: str = "") -> str:
        """The specification of this algorithm in the place of a paper's standard TCP.

        It has the recovery of the standard unless it names one, and as a slow start or an avoidance alone the
        other part of the standard: "btcp" in the place of "sack+reno(limit=1)" is "sack+btcp+reno(limit=1)".
        With `over`, the name of a transport, it has that whatever it names.
        """
        first, *rest = pieces_of(standard)
        parts = dict(zip(PLACES if len(rest) == len(PLACES) else PLACES[1:], rest, strict=True))
        named, own = self._split()
        places = _places(own) if len(own) == 1 else ()
        if len(places) == 1:
            own = [each for place in PLACES if (each := (parts | {places[0]: own[0]}).get(place))]
        return "+".join([over or named or first, *own])

    def _split(self) -> tuple[str, list[str]]:
        """The recovery or transport that it names, if it does, and its other parts."""
        first, *rest = pieces = pieces_of(self.label)
        kinds = kinds_of(first)
        if kinds & TRANSPORTS and (rest or not kinds - TRANSPORTS):
            return first, rest
        # "reno" alone is a recovery, too.
        return first if kinds & TRANSPORTS else "", pieces


def _places(own: Sequence[str]) -> tuple[str, ...]:
    """The places that a single part fills; an avoidance where it could be either."""
    kinds = kinds_of(own[0])
    return next(((place,) for place in reversed(PLACES) if place in kinds), ())


def competitors(algorithms: Iterable[str | Factory], *, trust: bool = False) -> tuple[Competitor, ...]:
    """The competitors that a user names: specifications, classes, or `file.py:Class`. Raises InputError."""
    found = referred(list(algorithms), trust=trust)
    return tuple(
        Competitor(label, {} if isinstance(made, str) else dict.fromkeys(own_names(label, made), made))
        for label, made in found.items()
    )


def refuse_known(competitor: Competitor, known: Iterable[str], paper: str) -> None:
    """Raises InputError if a paper compares an algorithm of that name already."""
    if competitor.label in known:
        raise InputError(
            f'--with {competitor.label}: {paper} has an algorithm "{competitor.label}" already; write the '
            "specification with its recovery or a parameter, which makes another name"
        )


def written(spec: str, classes: Iterable[str]) -> str:
    """The shortest specification of an algorithm, as the tables of a run have it. Raises ScenarioError."""
    return _native.parse_algorithm(spec, list(classes))
