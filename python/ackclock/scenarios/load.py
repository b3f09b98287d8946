"""Reads scenarios: built-in ones by name, files by path, mappings with the same keys.

Built-in scenarios are the TOML files of the repository's `scenarios/` folder, installed with the package.
"""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ackclock._native import Scenario
from ackclock.arguments import checked, shown
from ackclock.errors import InputError, ScenarioError, in_file, unknown, unreadable
from ackclock.results_folder import PROVENANCE, SUMS, check_unchanged
from ackclock.scenarios.own_code import named_in
from ackclock.toml_reader import NotToml, read_toml

__all__ = [
    "ScenarioEntry",
    "built_in",
    "duration_text",
    "from_mapping",
    "list_scenarios",
    "load_scenario",
    "read_scenario",
    "read_text",
    "sampling_interval",
    "scenario_folder",
    "with_sampling",
    "with_settings",
    "writer_folder",
]

Source = str | os.PathLike[str] | Mapping[str, object] | Scenario


@dataclass(frozen=True)
class ScenarioEntry:
    """A built-in scenario in the output of `list scenarios`; its duration is in simulated seconds."""

    name: str
    title: str
    description: str
    duration_s: float
    flow_count: int
    path: Path


def data_folder(kind: str) -> Path:
    """The folder of installed data named `kind`, or the repository's in a checkout without symbolic links."""
    here = Path(__file__).resolve().parents[1]
    installed = here / "data" / kind
    return installed if installed.is_dir() else here.parents[1] / kind


def scenario_folder() -> Path:
    """The folder of the built-in scenarios."""
    return data_folder("scenarios")


def _built_in() -> dict[str, Path]:
    files = sorted(scenario_folder().glob("*.toml"), key=lambda path: path.stem)  # "incast" before "incast-a"
    return {path.stem: path for path in files}


def list_scenarios() -> list[ScenarioEntry]:
    """All built-in scenarios in alphabetical order."""
    entries = []
    for name, path in _built_in().items():
        scenario = _read(path)
        entries.append(
            ScenarioEntry(
                name, scenario.title, scenario.description, scenario.duration_s, scenario.flow_count, path
            )
        )
    return entries


@checked
def load_scenario(
    source: Source,
    settings: Mapping[str, object] | None = None,
    *,
    custom: Sequence[str] = (),
    trust: bool = False,
) -> Scenario:
    """A scenario from a built-in name, a TOML file, a nested mapping with the same keys, or another.

    "-" is standard input.
    `settings` replaces single values by dotted path, e.g. `{"tcp.mss": "1000 bytes", "flow.0.packets": 50}`.
    `custom` names the algorithms that are Python classes of the caller.
    A scenario file names traces, tables and classes of its own folder alone, unless `trust`. Reading it runs
    no code; a class that it names runs with the first simulation.
    Raises ScenarioError, which names the file, the key, the value found and the values allowed, or InputError
    if there is no such name or file.
    """
    if isinstance(source, Scenario):
        scenario = source.with_custom(list(custom)) if custom else source
    elif isinstance(source, Mapping):
        scenario = from_mapping(source, custom)
    else:
        scenario = _read(_find(source), custom, trust=trust)
    return with_settings(scenario, settings or {})


def from_mapping(
    source: Mapping[str, object],
    custom: Sequence[str] = (),
    folder: Path = Path(),
    within: Path | None = None,
) -> Scenario:
    """The scenario of a nested mapping. Files that it names are in `folder`, and below `within` if given."""
    return Scenario.from_json(_json(source), [*custom, *named_in(source)], folder, within)


def built_in(name: str) -> Scenario:
    """The built-in scenario of this name. Raises InputError."""
    known = _built_in()
    if name not in known:
        raise unknown("built-in scenario", name, known)
    return _read(known[name])


def with_settings(
    scenario: Scenario,
    settings: Mapping[str, object],
    folder: Path = Path(),
    within: Path | None = None,
) -> Scenario:
    """A copy with values replaced by dotted path, checked after the last. Raises as load_scenario.

    Files that the values name are relative to `folder`, and must lie below `within` where there is one.
    """
    texts = [(str(path), _text(value)) for path, value in settings.items()]
    try:
        return scenario.with_values(texts, folder, within) if texts else scenario
    except ScenarioError as error:
        if ".py:" in (error.found or ""):
            raise InputError(
                f"{error.key}: {error.found} is a class in a file: name it with --algorithm "
                "on the command line, with algorithm= in Python"
            ) from None
        raise


def _json(tree: Mapping[str, object]) -> str:
    """A scenario's mapping as JSON. Raises InputError with the key of a value that TOML has not."""
    try:
        return json.dumps(tree, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        place, found = _wrong_value(tree) or ("scenario", tree)
        raise InputError(
            f"{place}: found {shown(found)}; expected a text, a number, true or false, a list or a mapping "
            "of them by their keys"
        ) from None


def _wrong_value(tree: object, place: str = "", depth: int = 0) -> tuple[str, object] | None:
    """The key and the value of the first thing in a mapping that TOML has not."""
    items: Iterable[tuple[object, object]] = ()
    if isinstance(tree, Mapping):
        items = tree.items()
    elif isinstance(tree, list | tuple):
        items = enumerate(tree)
    elif not isinstance(tree, str | int | float) or tree != tree or tree in (math.inf, -math.inf):
        return place, tree
    for key, value in items:
        if not isinstance(key, str | int):
            return place or "scenario", key
        if depth < MOST_NESTED and (found := _wrong_value(value, f"{place}.{key}".lstrip("."), depth + 1)):
            return found
    return (place or "scenario", tree) if depth >= MOST_NESTED else None


MOST_NESTED = 50
"""Tables in tables; more is a mapping that contains itself."""


def _text(value: object) -> str:
    """A value as `--set` takes it; tables and lists in TOML's notation for one line."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        inner = ", ".join(f"{json.dumps(str(key))} = {_quoted(part)}" for key, part in value.items())
        return f"{{ {inner} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_quoted, value))}]"
    return str(value)


def _quoted(value: object) -> str:
    return json.dumps(value) if isinstance(value, str) else _text(value)


STANDARD_INPUT = Path("-")
"""The name under which a scenario or a plan is read from standard input."""


def read_text(path: Path, what: str, *, trust: bool = False) -> tuple[str, Path]:
    """The text of a TOML file, of a pipe or of standard input, and the folder that its paths are relative to.

    A file of a results folder must be what was written there, unless `trust`. Raises InputError.
    """
    try:
        data = sys.stdin.buffer.read() if path == STANDARD_INPUT else path.read_bytes()
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path}: not a text file in UTF-8 (byte {error.start}); {what} is a TOML file"
        ) from None
    except OSError as error:
        raise unreadable(path, error) from None
    if not trust and path.is_file():
        check_unchanged(path, data)
    return text, path.parent if path.is_file() else Path()


def _find(source: str | os.PathLike[str]) -> Path:
    path = Path(source)
    if path == STANDARD_INPUT or path.is_file() or path.is_fifo() or path.is_char_device():
        return path
    is_path = not isinstance(source, str) or path.suffix == ".toml" or len(path.parts) > 1
    if path.is_dir():
        raise InputError(f"{path}: this is a folder; a scenario is a TOML file")
    if is_path:
        raise InputError(f"{path}: there is no such file")
    built_in = _built_in()
    if str(source) not in built_in:
        raise unknown("built-in scenario", str(source), built_in)
    return built_in[str(source)]


def _read(path: Path, custom: Sequence[str] = (), *, trust: bool = False) -> Scenario:
    text, folder = read_text(path, "a scenario", trust=trust)
    return read_scenario(text, path, folder, custom, trust=trust)


def read_scenario(
    text: str, path: Path, folder: Path, custom: Sequence[str] = (), *, trust: bool = False
) -> Scenario:
    """The scenario of a file's text; what it names is in `folder`. Raises as load_scenario."""
    within = None if trust else writer_folder(folder)
    try:
        return Scenario.from_toml(text, [*custom, *_classes(text)], folder, within)
    except ScenarioError as error:
        raise in_file(error, path) from None


def writer_folder(folder: Path) -> Path:
    """The folder that the writer of a scenario or a plan in `folder` made, whose files it may name.

    That is the whole results folder or the whole folder of a paper where it lies in one, else its own.
    """
    for parent in (folder, *folder.absolute().parents):
        if (parent / SUMS).is_file() and (parent / PROVENANCE).is_file():
            return parent
        if (parent / "claims.toml").is_file():
            return parent
    return folder


def _classes(text: str) -> list[str]:
    """The Python classes that a scenario names.

    None if the text is not TOML, an error that the scenario's reader explains.
    """
    if ".py:" not in text:
        return []
    try:
        return named_in(read_toml(text))
    except (NotToml, RecursionError):
        return []


def duration_text(seconds: float) -> str:
    """A duration in a scenario's notation, in the largest unit that keeps it whole: "50 ms" for 0.05."""
    nanoseconds = round(seconds * 1e9)
    for unit, size in (("s", 10**9), ("ms", 10**6), ("us", 10**3)):
        if nanoseconds % size == 0:
            return f"{nanoseconds // size} {unit}"
    return f"{nanoseconds} ns"


SERIES_ROWS = 400_000
"""The approximate number of rows of a table of time series, if the scenario sets no interval."""


def sampling_interval(duration_s: float, flow_count: int = 1) -> float:
    """A sampling interval in seconds: 1, 2 or 5 times a power of ten, for 2000 to 5000 points per flow.

    With many flows there are fewer points per flow, so that the table stays below half a million rows.
    """
    points = min(2000.0, max(100.0, SERIES_ROWS / max(1, flow_count)))
    target = max(duration_s / points, 1e-4)
    power = 10.0 ** math.floor(math.log10(target) + 1e-9)
    factor = max(factor for factor in (1, 2, 5) if factor * power <= target * (1 + 1e-9))
    return round(factor * power, 9)


def with_sampling(scenario: Scenario) -> Scenario:
    """The scenario with time series, at an interval that suits its duration unless it sets one."""
    if json.loads(scenario.to_json()).get("trace", {}).get("interval"):
        return scenario
    return scenario.with_value(
        "trace.interval", duration_text(sampling_interval(scenario.duration_s, scenario.flow_count))
    )
