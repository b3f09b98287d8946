"""Findings as files: the algorithm, the objective and the path, from which a run is made again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path as File

from ackclock.attacks.attack import Attack, Origin, attack_problem
from ackclock.attacks.problem import Judged, Problem
from ackclock.attacks.runner import Runner
from ackclock.attacks.shrink import Finding
from ackclock.attacks.space import BY_NAME, Key, Path, Value, is_number, read_duration
from ackclock.attacks.words import shown
from ackclock.errors import InputError, advice
from ackclock.scenarios.load import read_text, writer_folder
from ackclock.toml_reader import NotToml, read_toml

__all__ = ["Recorded", "as_toml", "read_finding", "replay"]

OPTIONS = ("hurt", "differ", "where", "company", "than", "breaks")
"""The options of an attack that a file has, as the arguments of `ackclock.attack`."""

OTHERS = ("algorithms", "below", "duration_s", "path", "title", "source", "state")


@dataclass(frozen=True)
class Recorded:
    """A finding in a file."""

    name: str
    problem: Problem
    path: Path
    duration_s: float
    below: float
    """The share below which it holds."""
    title: str = ""
    source: str = ""
    """The paper or report that knew it before, if there is one."""
    state: str = "still bad"

    def shares(self, seeds: tuple[int, ...], runner: Runner | None = None) -> dict[int, Judged]:
        """The outcome by seed."""
        made = runner or Runner(measure=self.problem.measure)
        return self.problem.judge(made, [self.path], seeds, self.duration_s)[0]


def replay(file: str | File, algorithm: str | None = None, *, seed: int = 1, trust: bool = False) -> float:
    """The share that the path of a finding leaves, to another `algorithm` if it is given.

    Raises ScenarioError and InputError.
    """
    recorded = read_finding(File(file), algorithm, trust=trust)
    return recorded.shares((seed,))[seed].share


def read_finding(file: File, algorithm: str | None = None, *, trust: bool = False) -> Recorded:
    """The finding of a file. Raises InputError."""
    text, folder = read_text(file, "a finding", trust=trust)
    try:
        document = read_toml(text)
    except NotToml as error:
        raise InputError(f"{file}: cannot be read as TOML: {error}") from None
    known = (*OPTIONS, *OTHERS)
    for key, value in document.items():
        if key not in known:
            raise InputError(f'{file}: no key is named "{key}"{advice(key, known)}')
        if key in (*OPTIONS, "title", "source", "state") and not isinstance(value, str):
            raise InputError(f"{file}: {key}: found {value!r}; expected a text")
    algorithms = document.get("algorithms")
    if not isinstance(algorithms, list) or not algorithms:
        raise InputError(f'{file}: algorithms: found {algorithms!r}; expected a list, as ["bbr1"]')
    given = [algorithm, *algorithms[1:]] if algorithm is not None else algorithms
    origin = Origin(folder, None if trust else writer_folder(folder), trust)
    problem = attack_problem(given, *(document.get(name) for name in OPTIONS), origin=origin)
    return Recorded(
        file.stem,
        problem,
        _path(file, document.get("path", {})),
        read_duration(file, document),
        _number(f"{file}: below", document.get("below", 1.0)),
        str(document.get("title", "")),
        str(document.get("source", "")),
        str(document.get("state", "still bad")),
    )


def _path(file: File, table: object) -> Path:
    if not isinstance(table, dict):
        raise InputError(f"{file}: path: found {table!r}; expected a table")
    found: dict[str, Mapping[str, Value]] = {}
    for name, said in table.items():
        if name not in BY_NAME:
            raise InputError(f'{file}: path: no change is named "{name}"{advice(name, BY_NAME)}')
        wanted = {key.name for key in BY_NAME[name].keys}
        if not isinstance(said, dict) or set(said) != wanted:
            raise InputError(
                f"{file}: path.{name}: found {said!r}; expected a table of {', '.join(sorted(wanted))}"
            )
        found[name] = {
            key.name: _value(f"{file}: path.{name}.{key.name}", key, said[key.name])
            for key in BY_NAME[name].keys
        }
    return {name: found[name] for name in BY_NAME if name in found}


def _value(where: str, key: Key, said: object) -> Value:
    if not key.choices:
        return _number(where, said)
    if not isinstance(said, str):
        raise InputError(f"{where}: found {said!r}; expected a name, as {key.choices[0]!r}")
    return said


def _number(where: str, said: object) -> float:
    if not is_number(said) or said < 0:
        raise InputError(f"{where}: found {said!r}; expected a finite number from 0 on")
    return float(said)


def as_toml(attack: Attack, finding: Finding, sources: Mapping[str, str]) -> str:
    """A finding of an attack as a file. `sources` has the files of Python classes by label."""
    asked = dict(attack.asked)
    algorithms = [sources.get(label, label) for label in attack.problem.contenders]
    asked |= {name: sources.get(str(asked[name]), asked[name]) for name in ("hurt", "company", "than")}
    lines = [f"# {attack.question}: {finding.share:.2f}.", f"algorithms = {json.dumps(algorithms)}"]
    lines += [f"{name} = {json.dumps(asked[name])}" for name in OPTIONS if asked.get(name)]
    lines += [f"below = {finding.bar:.3g}", f"duration_s = {finding.duration_s:g}", "", "[path]"]
    for name, values in finding.path.items():
        inside = ", ".join(
            f"{key} = {json.dumps(value) if isinstance(value, str) else shown(value)}"
            for key, value in values.items()
        )
        lines.append(f"{name} = {{ {inside} }}")
    return "\n".join(lines) + "\n"
