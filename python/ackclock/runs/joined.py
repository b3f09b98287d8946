"""Comparisons of several folders as one, for a figure or a table of all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ackclock.errors import InputError
from ackclock.runs.result import Comparison

__all__ = ["joined"]


def joined(comparisons: Mapping[str, Comparison]) -> Comparison:
    """All runs of comparisons, which are given by the names of their folders.

    A label that several of them have is followed by the folder's name. The seeds are those that all have.
    Raises InputError if there is none, or if the networks have links of other names.
    """
    every = list(comparisons.values())
    common = [seed for seed in every[0].seeds if all(seed in each.seeds for each in every)]
    if not common:
        raise InputError(f"{', '.join(comparisons)}: these results have no seed in common")
    links = {name: list(each.results[0].columns("links")["name"]) for name, each in comparisons.items()}
    first = next(iter(links))
    for name, found in links.items():
        if set(found) != set(links[first]):
            raise InputError(f"{name}: found other links than in {first}; expected results of one topology")
    twice = [label for each in every for label in each.labels]
    results = []
    for name, each in comparisons.items():
        for result in each.results:
            if result.seed in common:
                label = result.label if twice.count(result.label) == 1 else f"{result.label} ({name})"
                results.append(replace(result, label=label))
    longest = max(every, key=lambda each: each.scenario.duration_s)
    labels = tuple(dict.fromkeys(result.label for result in results))
    interrupted = any(each.interrupted for each in every)
    return Comparison(longest.scenario, labels, tuple(common), tuple(results), interrupted)
