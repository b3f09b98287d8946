"""Runs of one scenario over seeds, and over algorithms with common random numbers."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ackclock._native import Scenario
from ackclock.arguments import checked, checked_as
from ackclock.errors import InputError
from ackclock.runs.known import Known
from ackclock.runs.parallel import Progress, ProgressCallback, run_parallel
from ackclock.runs.result import Asked, Comparison, Interrupted, Result
from ackclock.runs.simulate import simulate
from ackclock.scenarios import defaults
from ackclock.scenarios.algorithms import (
    Factory,
    one_algorithm,
    own_names,
    referred,
    with_algorithm,
)
from ackclock.scenarios.load import Source, load_scenario, with_sampling
from ackclock.scenarios.seeds import refuse_many, seed_numbers
from ackclock.scenarios.together import TOGETHER
from ackclock.scenarios.together import together as share

__all__ = ["compare", "replicate"]


@dataclass(frozen=True)
class Job:
    """One simulation to run."""

    label: str
    scenario: Scenario
    seed: int
    factories: Mapping[str, Factory] = field(default_factory=dict)
    series: bool = False

    def prepared(self) -> Scenario:
        """The scenario with its seed, and with time series if `series`."""
        seeded = self.scenario.with_value("seed", str(self.seed))
        return with_sampling(seeded) if self.series else seeded


@checked_as(algorithms="classes")
def replicate(  # noqa: PLR0913 - the public function: keywords, of which a call names a few
    scenario: Source,
    *,
    seeds: int | Sequence[int] = 1,
    settings: Mapping[str, object] | None = None,
    algorithm: str | Factory | None = None,
    algorithms: Mapping[str, Factory] | None = None,
    series: bool = False,
    workers: int | None = None,
    trust: bool = False,
    progress: Progress | None = None,
    known: Comparison | None = None,
) -> Comparison:
    """Runs one scenario over seeds: a number of them, from the scenario's own seed on, or a list.

    `algorithm`, `algorithms` and `trust` are those of `run`. `series` turns on time series for the first
    seed. `workers` threads run in parallel (by default, as many as there are processors for this process).
    `known` are finished runs, as `Interrupted.partial`: those of the same scenario and classes are not made
    again. Raises ScenarioError, InputError, and Interrupted on Ctrl-C.
    """
    label, chosen = one_algorithm(algorithm, trust=trust)
    custom = [*(algorithms or ()), *own_names(label, chosen)]
    read = load_scenario(scenario, settings, custom=custom, trust=trust)
    loaded, factories = with_algorithm(read, chosen, algorithms, label, trust=trust)
    return _execute(loaded, {loaded.name: (loaded, factories)}, seeds, series, workers, progress, known)


@checked
def compare(  # noqa: PLR0913 - the public function: keywords, of which a call names a few
    algorithms: str | Sequence[str | Factory] | Mapping[str, str | Factory] = defaults.ALGORITHMS,
    scenario: Source = defaults.SCENARIO,
    *,
    seeds: int | Sequence[int] = 1,
    settings: Mapping[str, object] | None = None,
    together: bool = False,
    series: bool = False,
    workers: int | None = None,
    trust: bool = False,
    progress: Progress | None = None,
    known: Comparison | None = None,
) -> Comparison:
    """Runs one scenario with each algorithm in turn as its `tcp.algorithm`, over the same seeds.

    An algorithm is a specification ("sack+htcp"), a Python class, or "file.py:Class"; a mapping gives them
    labels. All have the recovery `rack`, except algorithms that name another, or are recoveries themselves,
    as "newreno". The label "sack+mine" names the recovery of a Python class. Flows that name an algorithm
    keep it. With `together`, there are further runs, labelled "together", in which all algorithms share the
    bottleneck: each group of flows without an algorithm exists once per competitor. See
    `Comparison.competition`. The other arguments and the errors are those of `replicate`.
    """
    variants = referred([algorithms] if isinstance(algorithms, str) else algorithms, trust=trust)
    if not variants:
        raise InputError("there is nothing to compare: name at least one algorithm")
    loaded = load_scenario(scenario, settings, trust=trust)
    prepared = {
        label: with_algorithm(loaded, algorithm, label=label, trust=trust)
        for label, algorithm in variants.items()
    }
    groups: Mapping[str, tuple[str, ...]] = {}
    if together:
        shared = share(loaded, variants)
        groups = shared.groups
        prepared[TOGETHER] = (shared.scenario, dict(shared.factories))
    return _execute(loaded, prepared, seeds, series, workers, progress, known, groups)


def _execute(
    base: Scenario,
    variants: Mapping[str, tuple[Scenario, dict[str, Factory]]],
    seeds: int | Sequence[int],
    series: bool,
    workers: int | None,
    progress: Progress | None,
    known: Comparison | None = None,
    competitors: Mapping[str, tuple[str, ...]] | None = None,
) -> Comparison:
    numbers = seed_numbers(seeds, base.seed)
    refuse_many(algorithms=len(variants), seeds=len(numbers))
    sampled = with_sampling(base) if series else base
    jobs = [  # seeds outermost, so that an interrupted comparison has complete seeds
        Job(label, scenario, number, factories, series and number == numbers[0])
        for number in numbers
        for label, (scenario, factories) in variants.items()
    ]
    begun = time.monotonic()
    results, interrupted = _run_jobs(jobs, workers, progress, known)
    finished = [result for result in results if result]
    if interrupted:
        finished = _comparable(finished, list(variants), numbers)
    place = {label: index for index, label in enumerate(variants)}
    turn = {number: index for index, number in enumerate(numbers)}
    finished.sort(key=lambda result: (place[result.label], turn[result.seed]))
    comparison = Comparison(
        sampled.with_value("seed", str(numbers[0])),
        tuple(sorted({result.label for result in finished}, key=place.__getitem__)),
        tuple(sorted({result.seed for result in finished}, key=turn.__getitem__)),
        tuple(finished),
        interrupted,
        time.monotonic() - begun,
        dict(competitors or {}),
        Asked(dict(variants), tuple(numbers)) if interrupted else None,
    )
    if interrupted:
        raise Interrupted(comparison)
    return comparison


def _comparable(finished: list[Result], labels: Sequence[str], numbers: Sequence[int]) -> list[Result]:
    """The runs of seeds that all labels have finished; if there is none, of as many labels as share one."""
    seeds = {label: {result.seed for result in finished if result.label == label} for label in labels}
    common: set[int] = set()
    if shared := set(numbers).intersection(*seeds.values()):
        return [result for result in finished if result.seed in shared]
    kept: list[str] = []
    for label in sorted(labels, key=lambda label: -len(seeds[label])):
        if shared := (common or set(numbers)) & seeds[label]:
            common, kept = shared, [*kept, label]
    return [result for result in finished if result.label in kept and result.seed in common]


def _run_jobs(
    jobs: Sequence[Job], workers: int | None, progress: Progress | None, known: Comparison | None
) -> tuple[list[Result | None], bool]:
    """Runs the jobs in threads.

    Returns their results in the order of the jobs, and True if Ctrl-C stopped them.
    """
    before = Known(known.results if known else ())
    results = [_known(job, before) for job in jobs]

    def work(numbered: tuple[int, Job], callback: ProgressCallback) -> tuple[int, Result]:
        index, job = numbered
        return index, simulate(job.prepared(), job.label, job.factories, callback)

    def keep(outcome: tuple[int, Result]) -> None:
        results[outcome[0]] = outcome[1]

    items = [(job.scenario.duration_s, (index, job)) for index, job in enumerate(jobs) if not results[index]]
    interrupted = run_parallel(items, work, keep, workers, progress)
    return results, interrupted


def _known(job: Job, before: Known) -> Result | None:
    """The run of a job that was finished before."""
    scenario = job.prepared()
    found = before.run(job.label, scenario, job.factories, series=job.series)
    return found and replace(found, scenario=scenario, classes=job.factories)
