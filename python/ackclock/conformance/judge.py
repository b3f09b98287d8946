"""Runs the cases of a specification over seeds, and judges the algorithm by each."""

from __future__ import annotations

import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ackclock._native import Scenario
from ackclock.arguments import checked
from ackclock.conformance.case import Case, Observe, Settings, Specification
from ackclock.conformance.qlog import Log, read_log
from ackclock.conformance.specifications import specification, specifications
from ackclock.conformance.trace import MissingGaugeError, NotSeenError, Trace
from ackclock.errors import InputError, NoMarksWarning, unknown
from ackclock.measures.verdict import Outcome, Verdict
from ackclock.report.text import counted
from ackclock.runs.result import Result
from ackclock.runs.simulate import simulate
from ackclock.scenarios.algorithms import (
    Factory,
    class_name,
    name_of,
    one_algorithm,
    recovery_of,
    with_algorithm,
)
from ackclock.scenarios.load import load_scenario, with_settings
from ackclock.scenarios.seeds import seed_numbers

__all__ = [
    "WORDS",
    "CaseVerdict",
    "Conformance",
    "Curve",
    "FaultyCaseError",
    "conform",
    "conform_log",
    "scenario_of",
    "with_parameters",
]

WORDS = {
    Outcome.HOLDS: "holds",
    Outcome.FAILS: "fails",
    Outcome.UNDECIDED: "inconclusive",
    Outcome.NOT_APPLICABLE: "not applicable",
}
"""The outcomes of a case in words."""

SEEDS = 3
"""Each seed has a path of its own delay."""

POINTS = 1500
"""The points of a curve that is kept for the figure."""


class FaultyCaseError(InputError):
    """A case raised an exception: the fault is the case's, and says nothing of the algorithm."""


@dataclass(frozen=True)
class Curve:
    """A series of the first seed's run, thinned for the figure."""

    name: str
    time_s: np.ndarray
    value: np.ndarray


@dataclass(frozen=True, kw_only=True)
class CaseVerdict(Verdict):
    """The verdict on a case, with the checks of each seed on which it rests."""

    case: Case
    checks: Mapping[int, tuple[Verdict, ...]] = field(default_factory=dict)
    """By seed. The worst check of each seed decides, and seeds that disagree leave the case open."""
    scenario: Scenario | None = None
    """The scenario that was judged, with the first seed."""
    curves: tuple[Curve, ...] = ()
    wall_s: float = 0.0

    @property
    def word(self) -> str:
        """The outcome in words."""
        return WORDS[self.outcome]


@dataclass(frozen=True)
class Conformance:
    """The verdicts on an algorithm by every case of a specification."""

    label: str
    algorithm: str | Factory
    specification: Specification
    seeds: tuple[int, ...]
    """The seeds of the runs; none for a log."""
    verdicts: tuple[CaseVerdict, ...]
    classes: Mapping[str, Factory] = field(default_factory=dict)
    """The Python class that the algorithm is, by the name that its scenarios give it."""

    def count(self, outcome: Outcome) -> int:
        """The number of cases with this outcome."""
        return sum(verdict.outcome is outcome for verdict in self.verdicts)

    @property
    def basis(self) -> str:
        """The seeds or the log on which the verdicts rest, in words."""
        return counted(len(self.seeds), "seed") if self.seeds else "the log of a sender"

    @property
    def fails(self) -> bool:
        """True if a case fails."""
        return self.count(Outcome.FAILS) > 0

    def verdict(self, key: str) -> CaseVerdict:
        """The verdict on a case. Raises InputError."""
        found = {verdict.case.key: verdict for verdict in self.verdicts}
        if key not in found:
            raise unknown("case", key, found)
        return found[key]


@checked
def conform(
    algorithm: str | Factory,
    spec: str | None = None,
    *,
    only: Sequence[str] = (),
    seeds: int | Sequence[int] = SEEDS,
    settings: Mapping[str, object] | None = None,
    trust: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Conformance:
    """Judges an algorithm, named or a Python class, by every case of a specification.

    `spec` names the specification; without it, it is the one that names the algorithm. `only` names cases by
    their keys. `settings` replaces values of every scenario by dotted path, as "tcp.dsack". `progress`
    receives the cases done and all cases. Raises ScenarioError, InputError and FaultyCaseError.
    """
    label, chosen = one_algorithm(algorithm, trust=trust)
    asked = specification(spec) if spec is not None else _specification_of(label, chosen)
    cases = _chosen(asked, only)
    numbers = seed_numbers(seeds)
    made = algorithm if chosen is None else chosen
    if isinstance(made, str):
        made = with_parameters(made, asked)
    under_test = _UnderTest(label, made, settings or {})
    verdicts = []
    for done, case in enumerate(cases):
        if progress is not None:
            progress(done, len(cases))
        verdicts.append(_judged(case, under_test, numbers))
    if progress is not None:
        progress(len(cases), len(cases))
    classes = {} if isinstance(made, str) else {class_name(label, made)[1]: made}
    return Conformance(label, algorithm, asked, numbers, tuple(verdicts), classes)


@checked
def conform_log(path: str | Path, spec: str, *, only: Sequence[str] = ()) -> Conformance:
    """Judges the stack that wrote a qlog, by the cases of a specification that a log can show.

    Raises InputError.
    """
    log = read_log(Path(path))
    asked = specification(spec)
    verdicts = tuple(_judged_by_log(case, log) for case in _chosen(asked, only))
    return Conformance(log.name, log.name, asked, (), verdicts)


def _judged_by_log(case: Case, log: Log) -> CaseVerdict:
    checks = {0: tuple(case.on_log(log))} if case.on_log is not None else {}
    outcome, finding = _together(checks) if checks else (Outcome.NOT_APPLICABLE, "a log does not show it")
    curves = (Curve("window", log.time_s, log.window_packets),) if checks else ()
    return CaseVerdict(
        what=case.key,
        finding=finding,
        expectation=case.rule,
        outcome=outcome,
        case=case,
        checks=checks,
        curves=curves,
    )


def _specification_of(label: str, algorithm: str | Factory | None) -> Specification:
    """The specification that names the last part of the algorithm, the earliest in its list.

    Raises InputError.
    """
    known = specifications()
    if isinstance(algorithm, str):
        last = name_of(algorithm.rpartition("+")[2].strip())
        named = [each for each in known.values() if last in each.algorithms]
        if named:
            return min(named, key=lambda each: each.algorithms.index(last))
    raise InputError(f"{label}: no specification names it; --spec chooses one ({', '.join(sorted(known))})")


def with_parameters(algorithm: str, asked: Specification) -> str:
    """The algorithm with the parameters of the specification, in the part that it names without any."""
    given = ",".join(f"{name}={value:g}" for name, value in asked.parameters.items())
    if not given:
        return algorithm
    parts = [part.strip() for part in algorithm.split("+")]
    return "+".join(f"{part}({given})" if part in asked.algorithms else part for part in parts)


def _chosen(asked: Specification, only: Sequence[str]) -> tuple[Case, ...]:
    keys = [case.key for case in asked.cases]
    for key in only:
        if key not in keys:
            raise unknown("case", key, keys)
    return tuple(case for case in asked.cases if not only or case.key in only)


@dataclass(frozen=True)
class _UnderTest:
    """The algorithm under test, and the settings with which its scenarios are run."""

    label: str
    algorithm: str | Factory
    settings: Settings

    @property
    def has_retransmission_timer(self) -> bool:
        """False with the loss detection of QUIC, which probes instead."""
        made = self.algorithm
        return recovery_of(made if isinstance(made, str) else class_name(self.label, made)[0]) != QUIC


QUIC = "rfc9002"
"""The recovery that is the loss detection of QUIC."""

WITHOUT_TIMER = f"{QUIC} has no retransmission timer (RFC 9002, 6.2)"


def _judged(case: Case, under_test: _UnderTest, seeds: Sequence[int]) -> CaseVerdict:
    """The verdict on one case."""
    begun = time.monotonic()
    checks: dict[int, tuple[Verdict, ...]] = {}
    missing = ""
    first: Trace | None = None
    if case.needs_retransmission_timer and not under_test.has_retransmission_timer:
        seeds, missing = (), WITHOUT_TIMER
    for seed in seeds:
        try:
            trace = _observed(case, under_test, seed)
            found, missing = _checked(case, trace)
        except MissingGaugeError as error:
            missing = _without(error)
            break
        checks[seed] = found
        first = first or trace
    outcome, finding = _together(checks) if checks else (Outcome.NOT_APPLICABLE, missing)
    return CaseVerdict(
        what=case.key,
        finding=finding,
        expectation=case.rule,
        outcome=outcome,
        note=f"from outside, since {missing}" if missing and checks else "",
        case=case,
        checks=checks,
        scenario=first.scenario if first else None,
        curves=_curves(case, first) if first else (),
        wall_s=time.monotonic() - begun,
    )


def _observed(case: Case, under_test: _UnderTest, seed: int) -> Trace | None:
    """The run that is judged; None if the moment never came from which the second run differs."""
    trace = Trace(_run(case, under_test, seed, {}))
    if case.then is None:
        return trace
    with _faults_of(case):
        try:
            settings = case.then(trace)
        except NotSeenError:
            settings = None
    return None if settings is None else Trace(_run(case, under_test, seed, settings))


def _checked(case: Case, trace: Trace | None) -> tuple[tuple[Verdict, ...], str]:
    """The verdicts on a run, and the gauge that is missing where it is judged from outside.

    Raises MissingGaugeError if it cannot be.
    """
    if trace is None:
        return (_open("the moment that the case waits for never came", "it comes"),), ""
    missing = ""
    try:
        found = _verdicts(case, case.observe, trace)
    except MissingGaugeError as error:
        if case.outside is None:
            raise
        found, missing = _verdicts(case, case.outside, trace), _without(error)
    return found or (_open("nothing was observed", "an observation"),), missing


def _verdicts(case: Case, observe: Observe, trace: Trace) -> tuple[Verdict, ...]:
    """The verdicts on a run, of which the last is open if what the case waits for never came."""
    found = []
    with _faults_of(case):
        try:
            for verdict in observe(trace):
                found.append(verdict)  # noqa: PERF402 - those before an exception are kept
        except NotSeenError as error:
            found.append(_open(f"it has not {error.args[0]}", "a run in which it happens"))
    return tuple(found)


@contextmanager
def _faults_of(case: Case) -> Iterator[None]:
    """Tells an exception within a case as a fault of the case. Raises FaultyCaseError."""
    try:
        yield
    except MissingGaugeError:
        raise
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        raise FaultyCaseError(
            f"{Path(place.filename).name}, line {place.lineno}: case {case.key}: {type(error).__name__}: "
            f"{error}; the case is at fault, and not the algorithm"
        ) from error


def _open(finding: str, expectation: str) -> Verdict:
    return Verdict("the run", finding, expectation, Outcome.UNDECIDED)


def _without(error: MissingGaugeError) -> str:
    return f"it offers no gauge {error.args[0]}"


def scenario_of(case: Case, label: str, algorithm: str | Factory) -> tuple[Scenario, dict[str, Factory]]:
    """The scenario of a case for an algorithm, and the Python classes that its run needs."""
    scenario = load_scenario({"name": case.key, "title": case.title, **case.scenario})
    return with_algorithm(scenario, algorithm, label=label)


def _run(case: Case, under_test: _UnderTest, seed: int, settings: Settings) -> Result:
    label = under_test.label
    scenario, factories = scenario_of(case, label, under_test.algorithm)
    scenario = with_settings(scenario, {**under_test.settings, **settings, "seed": seed})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoMarksWarning)  # a case without marks has none on purpose
        return simulate(scenario, label, factories, None, is_alone=True)


def _together(checks: Mapping[int, tuple[Verdict, ...]]) -> tuple[Outcome, str]:
    """The outcome over the seeds, and the check that decides it in words."""
    worst = {seed: _worst(found) for seed, found in checks.items()}
    outcomes = {verdict.outcome for verdict in worst.values()}
    outcome = outcomes.pop() if len(outcomes) == 1 else Outcome.UNDECIDED
    if outcome is Outcome.HOLDS:
        tightest = max(
            (one for found in checks.values() for one in found),
            key=lambda one: one.share if np.isfinite(one.share) else -1.0,
        )
        return outcome, f"{tightest.what}: {tightest.finding}"
    shown = next(one for one in worst.values() if one.outcome is not Outcome.HOLDS)
    some = sum(one.outcome is not Outcome.HOLDS for one in worst.values())
    where = f", with {some} of {len(worst)} seeds" if some < len(worst) else ""
    return outcome, f"{shown.what}: {shown.finding}, expected {shown.expectation}{where}"


def _worst(found: Sequence[Verdict]) -> Verdict:
    """The first check that fails, else the first that is open, else the first."""
    for outcome in (Outcome.FAILS, Outcome.UNDECIDED):
        for verdict in found:
            if verdict.outcome is outcome:
                return verdict
    return found[0]


def _curves(case: Case, trace: Trace) -> tuple[Curve, ...]:
    """The series that the figure shows, with the first and the last sample."""
    step = max(1, len(trace.time_s) // POINTS)
    return tuple(
        Curve(name, trace.time_s[::step].copy(), np.asarray(values, dtype=float)[::step].copy())
        for name, values in trace.named(case.shown)
    )
