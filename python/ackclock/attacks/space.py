"""The paths that an attack searches: changes of a plain path with their bounds, and constraints."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path as File
from typing import TypeGuard

from ackclock.errors import InputError, advice, unreadable
from ackclock.toml_reader import NotToml, read_toml

__all__ = [
    "CHANGES",
    "OFF_SHARE",
    "PLAIN_S",
    "TIMES",
    "Change",
    "Constraint",
    "Key",
    "Path",
    "Space",
    "is_number",
    "load_space",
    "read_duration",
]

Value = float | str

OFF_SHARE = 0.6
"""The share of a coordinate's range in which a change is off, so that paths of few changes are common."""

PLAIN_S = 40.0
"""The length of a run."""


LATEST = 0.75
"""The part of a run after which nothing changes."""

TIMES = ("at", "by")
"""The keys that are times of a change."""


@dataclass(frozen=True)
class Key:
    """A number or a choice of a change, with its bounds."""

    name: str
    unit: str
    low: float = 0.0
    high: float = 0.0
    choices: tuple[str, ...] = ()
    is_log: bool = True
    is_whole: bool = False

    def at(self, share: float) -> Value:
        """The value at a share of the range."""
        if self.choices:
            return self.choices[min(int(share * len(self.choices)), len(self.choices) - 1)]
        if self.is_log:
            value = self.low * (self.high / self.low) ** share
        else:
            value = self.low + (self.high - self.low) * share
        return self.held(value)

    def held(self, value: float) -> float:
        """A number within the bounds, whole where the key is, else with four digits."""
        rounded = round(value) if self.is_whole else float(f"{value:.4g}")
        return float(min(max(rounded, self.low), self.high))


@dataclass(frozen=True)
class Change:
    """One way in which a path differs from the plain one. Its first key says whether it is there."""

    name: str
    words: str
    """The change in words, with its keys in braces."""
    keys: tuple[Key, ...]


def _change(name: str, words: str, *keys: Key) -> Change:
    return Change(name, words, keys)


def _seconds(low: float, high: float) -> Key:
    return Key("at", "s", low, high, is_log=False)


CHANGES = (
    _change("rate", "a rate of {mbit} Mbit/s", Key("mbit", "Mbit/s", 2, 50)),
    _change("round-trip", "a round trip of {ms} ms", Key("ms", "ms", 5, 300)),
    _change("buffer", "a buffer of {packets} packets", Key("packets", "packets", 4, 2000, is_whole=True)),
    _change(
        "queue",
        "the queue discipline {discipline}",
        Key("discipline", "", choices=("codel", "fq-codel", "pie", "red", "sfq")),
    ),
    _change("loss", "random losses of {share}", Key("share", "", 1e-4, 0.03)),
    _change("ack-loss", "random losses of acknowledgments of {share}", Key("share", "", 0.01, 0.3)),
    _change("jitter", "delays that vary by up to {ms} ms", Key("ms", "ms", 0.5, 50)),
    _change(
        "reordering",
        "{share} of the packets {ms} ms late",
        Key("share", "", 1e-3, 0.3),
        Key("ms", "ms", 1, 100),
    ),
    _change(
        "reordering-growth",
        "{share} of the packets late, by more and more, up to {ms} ms at {by} s",
        Key("share", "", 0.01, 0.2),
        Key("ms", "ms", 2, 300),
        Key("by", "s", 2, 30, is_log=False),
    ),
    _change(
        "policer",
        "a policer of {share} of the rate with a bucket of {kilobytes} kB",
        Key("share", "", 0.1, 0.9, is_log=False),
        Key("kilobytes", "kB", 5, 500),
    ),
    _change("aggregation", "packets that arrive every {ms} ms only", Key("ms", "ms", 1, 60)),
    _change(
        "rate-step", "{factor} times the rate from {at} s on", Key("factor", "", 0.1, 10), _seconds(1, 30)
    ),
    _change(
        "second-rate-step",
        "another rate, {factor} times the first, from {at} s on",
        Key("factor", "", 0.1, 10),
        _seconds(1, 30),
    ),
    _change(
        "delay-step",
        "{factor} times the round trip from {at} s on",
        Key("factor", "", 0.25, 4),
        _seconds(1, 30),
    ),
    _change(
        "delay-dips",
        "a delay that is {ms} ms shorter for 20 ms every {every} s",
        Key("ms", "ms", 0.5, 20),
        Key("every", "s", 0.5, 10),
    ),
    _change("outage", "an outage of {seconds} s at {at} s", Key("seconds", "s", 0.1, 5), _seconds(1, 30)),
    _change("flows", "{count} flows", Key("count", "", 2, 8, is_whole=True)),
    _change("latecomer", "a second flow from {at} s on", _seconds(1, 20)),
    _change(
        "competitors",
        "{count} flows of {algorithm} from {at} s on",
        Key("algorithm", "", choices=("cubic", "rack+reno", "bbr3")),
        Key("count", "", 1, 8, is_whole=True),
        _seconds(0, 20),
    ),
    _change(
        "bursts",
        "datagrams of {share} of the rate for {on} ms every {every} ms",
        Key("share", "", 0.1, 2),
        Key("on", "ms", 20, 2000),
        Key("every", "ms", 100, 5000),
    ),
    _change(
        "files",
        "files of {packets} packets with pauses of {pause} ms",
        Key("packets", "packets", 2, 500, is_whole=True),
        Key("pause", "ms", 10, 2000),
    ),
    _change(
        "delayed-acks",
        "an acknowledgment for {segments} segments",
        Key("segments", "", choices=("1", "4", "8")),
    ),
    _change(
        "receive-window",
        "a receive window of {packets} packets",
        Key("packets", "packets", 4, 500, is_whole=True),
    ),
    _change("recovery", "the recovery {name}", Key("name", "", choices=("newreno", "sack", "prr"))),
    _change("slow-start", "the slow start {name}", Key("name", "", choices=("hystart", "limited", "vegas"))),
)
"""All changes, in the order in which a page lists them."""

BY_NAME = {change.name: change for change in CHANGES}

Path = Mapping[str, Mapping[str, Value]]
"""A path: the changes that it has, by name, with the values of their keys."""


@dataclass(frozen=True)
class Constraint:
    """The constraints on a path, which keep the search honest."""

    reference: str = ""
    """The algorithm that does well on it; none if there is no such run."""
    least: float = 0.5
    """The least share that the reference keeps of the quantity that is attacked."""
    changes: int = 5
    """The most changes of a path."""
    bursts: float = 0.25
    """The most that datagrams take of the rate on average."""
    growth: float = 20.0
    """The most milliseconds by which the lateness of packets grows in a second."""


@dataclass(frozen=True)
class Space:
    """The changes that a search may make, with their bounds."""

    changes: tuple[Change, ...] = CHANGES
    always: tuple[str, ...] = ()
    """Changes that every path has."""
    duration_s: float = PLAIN_S
    constraint: Constraint = field(default_factory=Constraint)

    @property
    def keys(self) -> list[tuple[Change, Key]]:
        """Every key with its change, one for each coordinate."""
        return [(change, key) for change in self.changes for key in change.keys]

    @property
    def dimensions(self) -> int:
        """The number of coordinates."""
        return sum(len(change.keys) for change in self.changes)

    def without(self, *names: str) -> Space:
        """The space without some changes."""
        return replace(self, changes=tuple(one for one in self.changes if one.name not in names))

    def with_always(self, name: str, **choices: str) -> Space:
        """The space in which every path has a change, with these choices of its keys."""
        changes = []
        for change in self.changes:
            if change.name == name:
                keys = tuple(
                    replace(key, choices=(choices[key.name],)) if key.name in choices else key
                    for key in change.keys
                )
                changes.append(replace(change, keys=keys))
            else:
                changes.append(change)
        if name not in {change.name for change in changes}:
            raise InputError(f"[space] {name} = false: this attack needs the change; leave the line out")
        return replace(self, changes=tuple(changes), always=(*self.always, name))

    def path(self, point: Sequence[float]) -> Path:
        """The path at a point, whose coordinates are shares of the ranges.

        A change is there if its first coordinate lies beyond `OFF_SHARE`. Of more changes than the constraint
        permits, those farthest beyond stay.
        """
        rest = iter(float(min(max(share, 0.0), 1.0)) for share in point)
        found: dict[str, tuple[float, dict[str, Value]]] = {}
        for change in self.changes:
            first, *others = [next(rest) for _ in change.keys]
            is_always = change.name in self.always
            if not is_always and first <= OFF_SHARE:
                continue
            share = first if is_always else (first - OFF_SHARE) / (1 - OFF_SHARE)
            values = {key.name: key.at(at) for key, at in zip(change.keys, (share, *others), strict=True)}
            found[change.name] = (math.inf if is_always else first, values)
        ranked = sorted(found, key=lambda name: -found[name][0])[: self.constraint.changes + len(self.always)]
        return self.held(
            {change.name: found[change.name][1] for change in self.changes if change.name in ranked}
        )

    def held(self, path: Path) -> Path:
        """The path within the constraints.

        Nothing changes late in the run, bursts keep to their mean, and reordering grows slowly.
        """
        latest = LATEST * self.duration_s
        found = {
            name: {key: min(float(value), latest) if key in TIMES else value for key, value in values.items()}
            for name, values in path.items()
        }
        if "bursts" in found:
            bursts = found["bursts"]
            on, every, share = (float(bursts[key]) for key in ("on", "every", "share"))
            bursts["on"] = _rounded_down(min(on, every * min(0.9, self.constraint.bursts / share)))
        if "reordering-growth" in found:
            late = found["reordering-growth"]
            late["ms"] = min(float(late["ms"]), _rounded_down(self.constraint.growth * float(late["by"])))
        return found


def _rounded_down(value: float) -> float:
    """The largest number of two digits that is not above a value."""
    step = 10.0 ** (math.floor(math.log10(value)) - 1)
    return float(f"{math.floor(value / step + 1e-9) * step:.2g}")


def load_space(file: File | None) -> Space:
    """The space of a file `attack.toml`; without one, the whole space. Raises InputError.

    The table `[space]` has a change by its name: `false` leaves it out, `true` makes it part of every path,
    and a table has the bounds of its keys. `[constraint]` has the fields of `Constraint`, and `duration` is
    that of a run in seconds.
    """
    if file is None:
        return Space()
    try:
        document = read_toml(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise unreadable(file, error) from None
    except (UnicodeDecodeError, NotToml) as error:
        raise InputError(f"{file}: cannot be read as TOML: {error}") from None
    known = ("space", "constraint", "duration_s")
    for key in document:
        if key not in known:
            raise InputError(f'{file}: no key is named "{key}"{advice(key, known)}')
    space = Space(constraint=_constraint(file, document.get("constraint", {})))
    space = replace(space, duration_s=read_duration(file, document))
    return _bounded(space, file, document.get("space", {}))


def read_duration(file: File, document: Mapping[str, object]) -> float:
    """The key `duration_s` of a file. Raises InputError."""
    duration = document.get("duration_s", PLAIN_S)
    if not is_number(duration) or not 5 <= duration <= 600:
        raise InputError(f"{file}: duration_s: found {duration!r}; expected 5 to 600 seconds")
    return float(duration)


def is_number(value: object) -> TypeGuard[float]:
    """True for a finite number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _constraint(file: File, table: object) -> Constraint:
    if not isinstance(table, dict):
        raise InputError(f"{file}: constraint: found {table!r}; expected a table")
    default = Constraint()
    for name, value in table.items():
        if not hasattr(default, name):
            fields = tuple(Constraint.__dataclass_fields__)
            raise InputError(f'{file}: constraint: no key is named "{name}"{advice(name, fields)}')
        wanted = type(getattr(default, name))
        right = isinstance(value, str) if wanted is str else is_number(value) and value > 0
        if not right:
            expected = "the name of an algorithm" if wanted is str else "a positive number"
            raise InputError(f"{file}: constraint.{name}: found {value!r}; expected {expected}")
        default = replace(default, **{name: wanted(value)})
    return default


def _bounded(space: Space, file: File, table: object) -> Space:
    if not isinstance(table, dict):
        raise InputError(f"{file}: space: found {table!r}; expected a table")
    for name, said in table.items():
        if name not in BY_NAME:
            raise InputError(f'{file}: space: no change is named "{name}"{advice(name, BY_NAME)}')
        if said is False:
            space = space.without(name)
        elif said is True:
            space = space.with_always(name)
        elif isinstance(said, dict):
            changed = replace(BY_NAME[name], keys=tuple(_keys(BY_NAME[name], file, said)))
            space = replace(
                space, changes=tuple(changed if one.name == name else one for one in space.changes)
            )
        else:
            raise InputError(
                f"{file}: space.{name}: found {said!r}; expected true, false or a table of bounds"
            )
    return space


def _keys(change: Change, file: File, table: Mapping[str, object]) -> Iterator[Key]:
    names = [key.name for key in change.keys]
    for name in table:
        if name not in names:
            raise InputError(f'{file}: space.{change.name}: no key is named "{name}"{advice(name, names)}')
    for key in change.keys:
        yield (
            _key(key, f"{file}: space.{change.name}.{key.name}", table[key.name])
            if key.name in table
            else key
        )


def _key(key: Key, where: str, said: object) -> Key:
    values = said if isinstance(said, list) else [said]
    if key.choices:
        if not values or not all(isinstance(each, str) for each in values):
            raise InputError(f"{where}: found {said!r}; expected a list of names")
        return replace(key, choices=tuple(map(str, values)))
    if len(values) not in (1, 2) or not all(is_number(each) for each in values):
        raise InputError(f"{where}: found {said!r}; expected a number, or the lowest and the highest one")
    low, high = float(min(values)), float(max(values))
    if low < 0 or (key.is_log and low == 0):
        raise InputError(f"{where}: found {said!r}; expected positive numbers")
    return replace(key, low=low, high=high)
