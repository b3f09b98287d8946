"""The figures of the documentation, by key: `algorithms/cubic`, `queues/red`, `verification/timeouts`.

The figures of algorithms and queues are simulated when they are drawn, which takes a fifth of a second each;
all others are drawn from their data, `published/<key>.json`. A drawn figure stays in `.cache/figures/` until
its sources change.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

from matplotlib.figure import Figure

import ackclock
from ackclock.errors import unknown
from ackclock.report import figure_data, figure_svg
from ackclock.report.figures import image
from ackclock.runs import stacks
from verification.figures import algorithms, queues

__all__ = ["CACHE", "drawn", "keys"]

ROOT = Path(__file__).resolve().parents[2]
PUBLISHED = ROOT / "published"
CACHE = ROOT / ".cache" / "figures"

Drawing = Callable[[], Figure]


@cache
def _simulated() -> dict[str, tuple[str, Drawing]]:
    """The inputs of a simulated figure besides the code, and the function that draws it, by key."""
    found: dict[str, tuple[str, Drawing]] = {}
    for name, kind, algorithm in algorithms.names():
        inputs = algorithms.spec_of(kind, algorithm) + algorithms.scenario_for(kind, algorithm).to_toml()
        found[f"algorithms/{name}"] = (inputs, partial(algorithms.draw, kind, algorithm))
    for queue in ackclock.list_queues():
        inputs = queues.scenario_of(queue.name).to_toml()
        found[f"queues/{queue.name}"] = (inputs, partial(queues.draw, queue.name))
    return found


@cache
def keys() -> tuple[str, ...]:
    """All figures."""
    stored = sorted(
        str(file.relative_to(PUBLISHED).with_suffix(""))
        for file in PUBLISHED.rglob("*.json")
        if f'"{figure_data.SCHEMA}"' in file.read_text(encoding="utf-8")[:100]
    )
    return (*_simulated(), *stored)


def drawn(key: str) -> Path:
    """The SVG file of a figure in the cache, drawn if need be. Raises InputError for an unknown key."""
    if key not in keys():
        raise unknown("figure", key, keys())
    made_from, make = _source(key)
    file = CACHE / f"{key}.svg"
    stamp = CACHE / f"{key}.sha256"
    if not (file.is_file() and stamp.is_file() and stamp.read_text(encoding="utf-8") == made_from):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(make(), encoding="utf-8")
        stamp.write_text(made_from, encoding="utf-8")
    return file


def _source(key: str) -> tuple[str, Callable[[], str]]:
    """The digest of a figure's sources and of the code that draws it."""
    if key in _simulated():
        inputs, draw = _simulated()[key]
        return _digest(inputs.encode(), _code()), lambda: image(draw(), "svg", {"Title": key}).decode()
    text = (PUBLISHED / f"{key}.json").read_text(encoding="utf-8")
    program = Path(figure_svg.__file__).read_bytes()
    return _digest(text.encode(), program), lambda: figure_svg.figure_svg(json.loads(text))


@cache
def _code() -> bytes:
    """The programs by which figures are simulated: the extension, and the modules that draw."""
    files = (*stacks.binaries(), Path(algorithms.__file__), Path(queues.__file__))
    return b"".join(hashlib.sha256(file.read_bytes()).digest() for file in files)


def _digest(*parts: bytes) -> str:
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()
