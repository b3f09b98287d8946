"""Arguments of public functions, checked by their names before anything is done: one InputError if wrong."""

from __future__ import annotations

import functools
import inspect
import math
import os
import reprlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

from ackclock import _native
from ackclock.errors import InputError

__all__ = ["CHECKS", "MOST_WORKERS", "Check", "check", "checked", "checked_as", "shown"]

P = ParamSpec("P")
T = TypeVar("T")

MOST_WORKERS = 1024
"""Runs side by side. A count is bounded before threads are made of it."""

MOST_WORLDS = 65_536
"""Worlds of one environment."""

LARGEST_SEED = 2**63 - 1

MOST_LETTERS = 60
"""The longest text of what was found."""


@dataclass(frozen=True)
class Check:
    """The condition on an argument, and its words."""

    is_valid: Callable[[object], bool]
    expected: str


def checked(function: Callable[P, T]) -> Callable[P, T]:
    """A function whose arguments are checked by `CHECKS` of their names; it raises InputError."""
    return checked_as()(function)


def checked_as(**others: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """As `checked`, with arguments that are checked by another name than their own."""

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        signature = inspect.signature(function)

        @functools.wraps(function)
        def call(*arguments: P.args, **keywords: P.kwargs) -> T:
            for name, value in signature.bind(*arguments, **keywords).arguments.items():
                if name != "self":
                    check(name, value, others.get(name))
            return function(*arguments, **keywords)

        return call

    return decorate


def check(name: str, value: object, checked_by: str | None = None) -> None:
    """Raises InputError for an argument that is not what `CHECKS` says of its name, or of another."""
    known = CHECKS[checked_by or name]
    if not known.is_valid(value):
        raise InputError(f"{name}: found {shown(value)}; expected {known.expected}")


def shown(value: object) -> str:
    """A value on one line, cut where it is long; without its address in memory where it has no other name."""
    if type(value).__repr__ is object.__repr__:
        return f"an object of the class {type(value).__name__}"
    try:
        text = " ".join(reprlib.repr(value).split())
    except Exception:  # noqa: BLE001 - the repr may be the user's code
        text = f"a {type(value).__name__}"
    return text if len(text) <= MOST_LETTERS else f"{text[: MOST_LETTERS - 3]}..."


def _is_whole(value: object, least: float, most: float) -> bool:
    is_number = hasattr(type(value), "__index__") and not isinstance(value, bool)
    return is_number and least <= value <= most  # type: ignore[operator]


def _is_number(value: object) -> bool:
    if isinstance(value, bool | str | bytes) or not hasattr(type(value), "__float__"):
        return False
    try:
        return not math.isnan(float(value))  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return False


def _are_numbers(value: object) -> bool:
    import numpy as np  # noqa: PLC0415 - the functions of models have loaded it

    try:
        return np.asarray(value).dtype.kind in "iuf"
    except ValueError:  # lists of several lengths
        return False


def _are_texts(value: object) -> bool:
    is_list = isinstance(value, Sequence) and not isinstance(value, str | bytes)
    return is_list and all(isinstance(each, str) for each in value)  # type: ignore[attr-defined]


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _are_classes(value: object) -> bool:
    return value is None or (
        isinstance(value, Mapping)
        and all(isinstance(name, str) and callable(made) for name, made in value.items())
    )


def _are_algorithms(value: object) -> bool:
    if isinstance(value, Mapping):
        return all(isinstance(name, str) and _is_algorithm(made) for name, made in value.items())
    return isinstance(value, str) or (_is_list(value) and all(map(_is_algorithm, value)))  # type: ignore[call-overload]


def _is_algorithm(value: object) -> bool:
    return isinstance(value, str) or callable(value)


def _are_ranges(value: object) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(path, str) and _is_list(values) and len(values) > 0 for path, values in value.items()
    )


def _is_path(value: object) -> bool:
    return isinstance(value, str | os.PathLike)


def _are_paths(value: object) -> bool:
    return _is_list(value) and all(map(_is_path, value))  # type: ignore[call-overload]


def _is_made_by_us(*names: str) -> Callable[[object], bool]:
    """True for None and for objects of these classes, which need not be loaded for that."""
    return lambda value: value is None or any(each.__name__ in names for each in type(value).__mro__)


_is_plan = _is_made_by_us("Plan")
_is_space = _is_made_by_us("Space")


def _or_none(is_valid: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: value is None or is_valid(value)


FLAG = Check(lambda value: isinstance(value, bool), "True or False")
CALLBACK = Check(lambda value: value is None or callable(value), "a function, or None")
PATH = Check(_is_path, "the path of a folder or file, as a text or a Path")
TEXT = Check(lambda value: isinstance(value, str), "a text")
TEXT_OR_NONE = Check(_or_none(lambda value: isinstance(value, str)), "a text, or None")
NUMBER = Check(_is_number, "a number")
NUMBER_OR_NONE = Check(_or_none(_is_number), "a number, or None")
NUMBERS = Check(_are_numbers, "a number, or an array of numbers")
COUNT = Check(lambda value: _is_whole(value, 0, math.inf), "a whole number that is not negative")
SCENARIO = Check(
    lambda value: _is_path(value) or isinstance(value, Mapping | _native.Scenario),
    "the name of a built-in scenario, the path of a file, a mapping or a Scenario",
)
PAPER = Check(_is_path, "a paper's key, or the path of a folder")
PLAN = Check(
    lambda value: value is not None and (_is_path(value) or isinstance(value, Mapping) or _is_plan(value)),
    "the path of a TOML file, a mapping or a Plan",
)
SEED = Check(
    _or_none(lambda value: _is_whole(value, 0, LARGEST_SEED)), f"a whole number from 0 to {LARGEST_SEED}"
)
TABLE = Check(
    _or_none(lambda value: isinstance(value, Mapping)), 'a mapping, as {"duration": "5 s"}, or None'
)

CHECKS: Mapping[str, Check] = {
    "address": Check(
        _or_none(lambda value: isinstance(value, str)), 'the address of a scheduler, as "tcp://host:8786"'
    ),
    "against": Check(_are_texts, 'a list of algorithms, as ["bbr3"]'),
    "algorithm": Check(_or_none(_is_algorithm), 'a name, as "reno", or a class'),
    "algorithms": Check(
        _are_algorithms, 'a list of names and classes, as ["reno", Mine], or a mapping of them by label'
    ),
    "attacked": Check(
        lambda value: _is_algorithm(value) or _are_algorithms(value),
        'a name, as "reno", a class, or a list of two',
    ),
    "budget": Check(lambda value: isinstance(value, str), 'a time of a processor, as "2 min"'),
    "company": Check(_or_none(_is_algorithm), 'a name, as "reno", a class, or None'),
    "breaks": TEXT_OR_NONE, "differ": TEXT_OR_NONE,
    "hurt": TEXT_OR_NONE, "than": TEXT_OR_NONE, "where": TEXT_OR_NONE,
    "many": Check(lambda value: _is_whole(value, 1, 1000), "a whole number from 1 to 1000"),
    "objective": CALLBACK,
    "optimiser": TEXT,
    "space": Check(
        lambda value: value is None or _is_path(value) or _is_space(value),
        "the path of a TOML file, a Space, or None",
    ),
    "base_rto": NUMBER, "alpha": NUMBER, "beta": NUMBER, "b": NUMBER, "constant": NUMBER, "decrease": NUMBER,
    "classes": Check(_are_classes, 'a mapping of classes by their names, as {"mine": Mine}, or None'),
    "counts": NUMBERS, "failure": NUMBERS, "loss": NUMBERS, "p": NUMBERS, "times_s": NUMBERS,
    "custom": Check(_are_texts, "a list of names of classes"),
    "epoch_s": NUMBER, "k": NUMBER, "keeps": NUMBER, "rtt_s": NUMBER, "s_max": NUMBER, "s_min": NUMBER,
    "backoffs": COUNT, "epochs": COUNT,
    "figure_formats": Check(_are_texts, 'a list of formats, as ["svg"]'),
    "attack": FLAG, "floor": FLAG, "quick": FLAG, "report": FLAG, "series": FLAG,
    "together": FLAG, "trust": FLAG,
    "folder": PATH, "path": PATH, "store": PATH,
    "stores": Check(_are_paths, 'a list of folders, as ["part-1/store", "part-2/store"]'),
    "max_rto": NUMBER_OR_NONE, "rto_s": NUMBER_OR_NONE, "until_s": NUMBER_OR_NONE, "window": NUMBER,
    "measure": CALLBACK, "progress": CALLBACK,
    "model": Check(_is_made_by_us("SubPacketModel"), "a SubPacketModel, or None"),
    "only": Check(_are_texts, 'a list of criteria or cases, as ["short-flows"]'),
    "paper": PAPER,
    "parts": Check(_are_texts, "a list of the parts of a paper"),
    "plan": PLAN,
    "scenario": SCENARIO,
    "seed": SEED,
    "seeds": Check(
        _or_none(lambda value: _is_whole(value, -math.inf, math.inf) or _is_list(value)),
        "how many seeds to run, or a list of them",
    ),
    "shard": Check(_or_none(lambda value: isinstance(value, str)), 'a part, as "3/40", or None'),
    "setting": Check(_is_made_by_us("Setting"), "a Setting, or None"),
    "settings": TABLE,
    "source": SCENARIO,
    "spec": TEXT_OR_NONE,
    "stack": TEXT_OR_NONE,
    "state": Check(lambda value: isinstance(value, str) or _are_numbers(value), "a state's name, or numbers"),
    "suite": TEXT,
    "thresholds": Check(_is_made_by_us("Thresholds"), "Thresholds, or None"),
    "what": TEXT_OR_NONE,
    "kind": TEXT,
    "links": Check(_are_texts, 'a list of links, as ["left->right"]'),
    "known": Check(_or_none(_is_made_by_us("Comparison")), "a Comparison, or None"),
    "label": TEXT,
    "metric": TEXT,
    "metrics": Check(_are_texts, 'a list of metrics, as ["goodput"]'),
    "width": Check(
        _or_none(lambda value: isinstance(value, str) or _is_number(value)),
        'inches, or a name, as "ieee-column"',
    ),
    "action": TEXT, "each_acknowledgment": FLAG, "interval_s": NUMBER_OR_NONE,
    "largest_rate_packets_per_s": NUMBER, "largest_window_packets": NUMBER, "name": TEXT,
    "segment_bytes": COUNT,
    "num_envs": Check(lambda value: _is_whole(value, 1, MOST_WORLDS), f"how many worlds, 1 to {MOST_WORLDS}"),
    "observe": Check(_or_none(_are_texts), 'a list of observations, as ["rtt_share"]'),
    "policy": Check(callable, "a Policy, or another function from observations to actions"),
    "ranges": Check(_or_none(_are_ranges), "a mapping of pairs and lists by the keys of a scenario, or None"),
    "reward": Check(_is_algorithm, "a reward's name, or a function"),
    "threads": Check(
        lambda value: _is_whole(value, 1, MOST_WORKERS), f"how many threads, 1 to {MOST_WORKERS}"
    ),
    "workers": Check(
        _or_none(lambda value: _is_whole(value, 1, MOST_WORKERS)),
        f"how many runs go on side by side, 1 to {MOST_WORKERS}, or None for as many as there are processors",
    ),
}  # fmt: skip
"""The conditions on the arguments of public functions, by their names."""
