"""Ackclock: a packet-level laboratory for TCP congestion control.

`run` simulates a scenario, `compare` races algorithms on it, `replicate` repeats it over seeds, `sweep` does
both over a grid of settings; `reproduce` checks the claims of a paper. Tables are polars data frames whose
column names end in their units.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ackclock._native import Scenario
    from ackclock.algorithms import Ack, Congestion, CongestionControl, list_algorithms, list_queues
    from ackclock.errors import InputError, Interrupted, OutputError, ScenarioError
    from ackclock.experiments import Comparison, compare, replicate
    from ackclock.papers import list_papers, reproduce
    from ackclock.plans import Plan, load_plan
    from ackclock.results import Result, run
    from ackclock.scenarios import list_scenarios, load_scenario
    from ackclock.sweeps import Sweep, sweep

    __version__: str

__all__ = [
    "Ack",
    "Comparison",
    "Congestion",
    "CongestionControl",
    "InputError",
    "Interrupted",
    "OutputError",
    "Plan",
    "Result",
    "Scenario",
    "ScenarioError",
    "Sweep",
    "__version__",
    "compare",
    "list_algorithms",
    "list_papers",
    "list_queues",
    "list_scenarios",
    "load_plan",
    "load_scenario",
    "replicate",
    "reproduce",
    "run",
    "sweep",
]

# Loaded on first use, so that `ackclock --help` does not wait for data frames.
_HOMES = {
    "Ack": "algorithms",
    "Comparison": "experiments",
    "Congestion": "algorithms",
    "CongestionControl": "algorithms",
    "InputError": "errors",
    "Interrupted": "errors",
    "OutputError": "errors",
    "Plan": "plans",
    "Result": "results",
    "Scenario": "_native",
    "ScenarioError": "errors",
    "Sweep": "sweeps",
    "compare": "experiments",
    "list_algorithms": "algorithms",
    "list_queues": "algorithms",
    "list_papers": "papers",
    "list_scenarios": "scenarios",
    "load_plan": "plans",
    "load_scenario": "scenarios",
    "replicate": "experiments",
    "reproduce": "papers",
    "run": "results",
    "sweep": "sweeps",
}


def __getattr__(name: str) -> object:
    if name == "__version__":
        return importlib.import_module("ackclock.provenance").version()
    if name not in _HOMES:
        raise AttributeError(f"module 'ackclock' has no attribute {name!r}")
    value: object = getattr(importlib.import_module(f"ackclock.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
