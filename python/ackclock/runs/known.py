"""Runs that an interrupted experiment has finished: which of them a later one takes over."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Iterable, Mapping

from ackclock._native import Scenario
from ackclock.runs.result import Result
from ackclock.scenarios import own_code
from ackclock.scenarios.algorithms import Factory
from ackclock.scenarios.load import with_sampling

__all__ = ["Known"]


class Known:
    """Finished runs by what they simulated. A run whose scenario or class has changed is none of them."""

    def __init__(self, results: Iterable[Result]) -> None:
        self._found = {
            (each.label, each.seed, meaning): each
            for each in results
            if (meaning := _meaning(each.scenario, each.classes)) is not None
        }

    def run(
        self, label: str, scenario: Scenario, factories: Mapping[str, Factory], *, series: bool
    ) -> Result | None:
        """The finished run of a scenario with its seed. With `series`, only one that has time series."""
        if not self._found or (meaning := _meaning(scenario, factories)) is None:
            return None
        found = self._found.get((label, scenario.seed, meaning))
        is_short = found is not None and series and found.tables["flow_series"].height == 0
        return None if is_short else found


def _meaning(scenario: Scenario, classes: Mapping[str, Factory]) -> str | None:
    """All that decides the numbers of a run; None if a class has no source, which may have changed.

    The names of classes are those of their files, which stand elsewhere in a folder of results. Time series
    change no number.
    """
    sources = {name: own_code.written("own", made) for name, made in classes.items()}
    if not all(sources.values()):
        return None
    own = {name: _digest(files) for name, files in sources.items()}

    def by_source(spec: str) -> str:
        return functools.reduce(lambda known, named: own_code.with_class(known, *named), own.items(), spec)

    tree = own_code.with_algorithms(json.loads(with_sampling(scenario).to_json()), by_source)
    return json.dumps(tree, sort_keys=True)


def _digest(files: Mapping[str, bytes]) -> str:
    digest = hashlib.sha256()
    for name, data in sorted(files.items()):
        digest.update(f"{name} {len(data)}\n".encode() + data)
    return digest.hexdigest()
