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
    from ackclock.attacks.attack import Attack, attack
    from ackclock.conformance.judge import Conformance, conform
    from ackclock.errors import InputError, OutputError, ScenarioError
    from ackclock.evaluation.coexistence import Coexistence, coexist
    from ackclock.evaluation.evaluate import Evaluation, evaluate
    from ackclock.evaluation.rmcat.evaluate import CallEvaluation, evaluate_calls
    from ackclock.papers.paper import list_papers
    from ackclock.papers.reproduction import reproduce
    from ackclock.runs.compare import compare, replicate
    from ackclock.runs.result import Comparison, Interrupted, Result
    from ackclock.runs.saved import load
    from ackclock.runs.simulate import run
    from ackclock.scenarios.algorithms import (
        Ack,
        Congestion,
        CongestionControl,
        LossSample,
        RateSample,
        Signal,
        Start,
    )
    from ackclock.scenarios.catalogue import list_algorithms, list_entries, list_queues
    from ackclock.scenarios.load import list_scenarios, load_scenario
    from ackclock.scenarios.media import MediaControl, MediaFrame, MediaPacket, MediaReport, MediaStart
    from ackclock.sweeps.plan import Plan, load_plan
    from ackclock.sweeps.sweep import Sweep, merge, sweep

    __version__: str

__all__ = [
    "Ack",
    "Attack",
    "CallEvaluation",
    "Coexistence",
    "Comparison",
    "Conformance",
    "Congestion",
    "CongestionControl",
    "Evaluation",
    "InputError",
    "Interrupted",
    "LossSample",
    "MediaControl",
    "MediaFrame",
    "MediaPacket",
    "MediaReport",
    "MediaStart",
    "OutputError",
    "Plan",
    "RateSample",
    "Result",
    "Scenario",
    "ScenarioError",
    "Signal",
    "Start",
    "Sweep",
    "__version__",
    "attack",
    "coexist",
    "compare",
    "conform",
    "evaluate",
    "evaluate_calls",
    "list_algorithms",
    "list_entries",
    "list_papers",
    "list_queues",
    "list_scenarios",
    "load",
    "load_plan",
    "load_scenario",
    "merge",
    "replicate",
    "reproduce",
    "run",
    "sweep",
]

# The modules are imported on first use, so that `ackclock --help` does not wait for polars.
_HOMES = {
    "Ack": "scenarios.algorithms",
    "Attack": "attacks.attack",
    "CallEvaluation": "evaluation.rmcat.evaluate",
    "Coexistence": "evaluation.coexistence",
    "Comparison": "runs.result",
    "Conformance": "conformance.judge",
    "Congestion": "scenarios.algorithms",
    "CongestionControl": "scenarios.algorithms",
    "Evaluation": "evaluation.evaluate",
    "InputError": "errors",
    "Interrupted": "runs.result",
    "LossSample": "scenarios.algorithms",
    "MediaControl": "scenarios.media",
    "MediaFrame": "scenarios.media",
    "MediaPacket": "scenarios.media",
    "MediaReport": "scenarios.media",
    "MediaStart": "scenarios.media",
    "OutputError": "errors",
    "Plan": "sweeps.plan",
    "RateSample": "scenarios.algorithms",
    "Result": "runs.result",
    "Scenario": "_native",
    "ScenarioError": "errors",
    "Signal": "scenarios.algorithms",
    "Start": "scenarios.algorithms",
    "Sweep": "sweeps.sweep",
    "attack": "attacks.attack",
    "coexist": "evaluation.coexistence",
    "compare": "runs.compare",
    "conform": "conformance.judge",
    "evaluate": "evaluation.evaluate",
    "evaluate_calls": "evaluation.rmcat.evaluate",
    "list_algorithms": "scenarios.catalogue",
    "list_entries": "scenarios.catalogue",
    "list_papers": "papers.paper",
    "list_queues": "scenarios.catalogue",
    "list_scenarios": "scenarios.load",
    "load": "runs.saved",
    "load_plan": "sweeps.plan",
    "load_scenario": "scenarios.load",
    "merge": "sweeps.sweep",
    "replicate": "runs.compare",
    "reproduce": "papers.reproduction",
    "run": "runs.simulate",
    "sweep": "sweeps.sweep",
}

_MODULES = ("gym", "measures", "models", "papers", "provenance", "report", "sweeps")
"""Public modules in addition to these names: `ackclock.models.mathis`, `from ackclock.measures import
transfers`."""


def __getattr__(name: str) -> object:
    if name == "__version__":
        return importlib.import_module("ackclock.provenance").version()
    if name in _MODULES:
        return importlib.import_module(f"ackclock.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'ackclock' has no attribute {name!r}")
    value: object = getattr(importlib.import_module(f"ackclock.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted((*__all__, *_MODULES))
