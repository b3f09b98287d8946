"""Runs one simulation."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping

import numpy as np

from ackclock._native import Scenario
from ackclock.arguments import checked_as
from ackclock.errors import InputError, NoMarksWarning
from ackclock.runs.crew import is_told_to_end
from ackclock.runs.parallel import ProgressCallback
from ackclock.runs.result import Result
from ackclock.runs.stacks import binding_of
from ackclock.runs.tables import TABLES, Tables
from ackclock.scenarios import class_state, own_code
from ackclock.scenarios.algorithms import Factory, name_of, one_algorithm, own_names, with_algorithm
from ackclock.scenarios.answers import place_of
from ackclock.scenarios.load import Source, load_scenario, with_sampling, with_settings

__all__ = ["run", "simulate"]


@checked_as(algorithms="classes")
def run(
    scenario: Source,
    *,
    settings: Mapping[str, object] | None = None,
    seed: int | None = None,
    algorithm: str | Factory | None = None,
    algorithms: Mapping[str, Factory] | None = None,
    series: bool = False,
    trust: bool = False,
    progress: ProgressCallback | None = None,
) -> Result:
    """Simulates one scenario and returns its result.

    `scenario` is a built-in name, a TOML file, a nested mapping or a Scenario. `settings` replaces values by
    dotted path, `seed` the scenario's seed, and `algorithm` (a specification or a Python class) the algorithm
    of all flows that name none. `algorithms` names Python classes that flows of the scenario refer to.
    `series` turns on time series at an interval fit for the duration. `trust` lets a scenario file name files
    and classes of other folders, and runs code of a results folder that has changed. `progress` receives the
    simulated seconds done and stops the run by returning False. Raises ScenarioError, InputError.
    """
    label, chosen = one_algorithm(algorithm, trust=trust)
    custom = [*(algorithms or ()), *own_names(label, chosen)]
    read = load_scenario(scenario, custom=custom, trust=trust)
    loaded, factories = with_algorithm(read, chosen, algorithms, label, trust=trust)
    loaded = with_settings(loaded, settings or {})
    if seed is not None:
        loaded = loaded.with_value("seed", str(seed))
    if series:
        loaded = with_sampling(loaded)
    return simulate(loaded, loaded.name, factories, progress, is_alone=True)


def simulate(
    scenario: Scenario,
    label: str,
    factories: Mapping[str, Factory],
    progress: ProgressCallback | None,
    *,
    is_alone: bool = False,
    most_events: int | None = None,
) -> Result:
    """Runs a complete scenario in this thread, without blocking others.

    Where it is not alone, a class must not change what the runs of an experiment share. Raises InputError,
    and OverBudgetError after the work of `most_events` events.
    """
    given, factories = factories, {name: own_code.fresh(made) for name, made in factories.items()}
    shared = {} if is_alone else {name: made for name, made in factories.items() if made is given[name]}
    states = {name: class_state.state_of(made) for name, made in shared.items()}
    begun = time.thread_time()
    binding, own = binding_of(scenario, list(factories))
    try:
        output = binding.run(own, algorithms=factories or None, progress=progress, most_events=most_events)
    except InputError:
        raise
    except AttributeError as error:
        if "did you mean" in str(error):
            error.name = None  # or Python would add a second advice
        raise
    except ValueError as error:
        if not factories or error.__traceback__ is None or error.__traceback__.tb_next is not None:
            raise  # from within a class
        raise InputError(f"{', '.join(factories)}: {error}") from None
    except SystemExit as error:
        if is_told_to_end():
            raise
        places = ", ".join(map(place_of, factories.values()))
        raise InputError(
            f"{places}: SystemExit ended a run; a method returns, or raises another exception"
        ) from error
    for name, before in states.items():
        class_state.refuse_changes(factories[name], before)
    result = Result(
        scenario=scenario,
        label=label,
        classes=factories,
        tables=Tables({name: output.take_table(name) for name in TABLES}),
        events=output.events,
        packets_delivered=output.packets_delivered,
        conserved=output.conserved,
        finished_at_s=output.finished_at_s,
        captures=dict(output.pcapng),
        qlogs=dict(output.qlog),
        cpu_s=time.thread_time() - begun,
    )
    _warn_without_marks(result)
    return result


def _warn_without_marks(result: Result) -> None:
    """Warns of an algorithm that responds to marks where no link marked a packet."""
    if not result.packets_delivered or int(np.sum(result.columns("links")["marked"])):
        return
    by_marks = {"dctcp", "prague"}
    by_marks |= {name for name, made in result.classes.items() if getattr(made, "accurate_ecn", False)}
    for spec in dict.fromkeys(str(spec) for spec in result.columns("flows")["algorithm"]):
        if name_of(spec.rpartition("+")[2]) in by_marks:
            warnings.warn(
                f"{spec} responds to marks, and no link marked a packet in {result.scenario.name}: it "
                "responded to losses alone. Links mark above a length of their queue, as with "
                'ecn_threshold = "20 packets"',
                NoMarksWarning,
                stacklevel=2,
            )
