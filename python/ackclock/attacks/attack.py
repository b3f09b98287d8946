"""The public function `attack`, and its outcome."""

from __future__ import annotations

import functools
import math
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path as File

from ackclock._native import Scenario
from ackclock.arguments import checked_as
from ackclock.attacks.laws import laws, refuse_what_it_does_not_show
from ackclock.attacks.networks import OMNISCIENT
from ackclock.attacks.objective import QUANTITIES, read_where
from ackclock.attacks.optimisers import OPTIMISERS
from ackclock.attacks.problem import Judged, Problem
from ackclock.attacks.runner import AttackInterrupted, Runner
from ackclock.attacks.search import Searched, Step, search
from ackclock.attacks.shrink import Finding, check, shrink
from ackclock.attacks.space import Space, load_space
from ackclock.attacks.states import parts_of
from ackclock.attacks.words import question, told
from ackclock.errors import InputError, NoMarksWarning, nearest, unknown
from ackclock.report.text import counted
from ackclock.runs.result import Result
from ackclock.runs.simulate import simulate
from ackclock.scenarios.algorithms import Factory, referred
from ackclock.scenarios.load import with_sampling
from ackclock.scenarios.seeds import seed_numbers
from ackclock.sweeps.store import Store

__all__ = ["SIMULATED_PER_S", "Attack", "AttackInterrupted", "attack", "attack_problem", "read_budget"]

SIMULATED_PER_S = 1500.0
"""The simulated time that counts as a second of a processor in a budget.

It is a fixed number, so that a search ends at the same path on every machine.
"""

TRIES = 4
"""The paths that are made small, the worst first, until one holds on other seeds."""

FOR_SEARCH = 0.8
"""The part of the budget of a finding for its search; the rest is for what comes after it."""

LATEST_SEARCH = 0.95
"""The part of the whole budget after which no search goes on."""

Algorithm = str | Factory
Progress = Callable[[float, float, str], None]
"""A callback with the simulated seconds done, those in total, and the worst path so far in words."""


@dataclass(frozen=True)
class Attack:
    """The outcome of an attack."""

    problem: Problem
    asked: Mapping[str, object]
    """The algorithms, and the options that make the objective, as they were given."""
    findings: tuple[Finding, ...]
    """The worst paths made small, of each kind one, the worst first; empty if none holds on other seeds."""
    thrown_away: tuple[Finding, ...]
    """Paths that do damage on some seeds alone."""
    worst: Judged | None
    """The worst path that was tried, as it was tried."""
    steps: tuple[Step, ...] = field(repr=False)
    """The improvements of the search."""
    seed: int
    seeds: tuple[int, ...]
    """The other seeds of the check."""
    budget_s: float
    """The budget in simulated seconds."""
    simulated_s: float
    """The simulated seconds of all runs."""
    paths: int
    """The number of paths that the search tried."""
    new_runs: int
    """The number of runs that were not in the store before."""

    @property
    def finding(self) -> Finding | None:
        """The worst path made small; None if no path does damage that holds on other seeds."""
        return self.findings[0] if self.findings else None

    @property
    def label(self) -> str:
        """The algorithm."""
        return self.problem.label

    @property
    def question(self) -> str:
        """The objective in words."""
        return question(self.problem)

    @property
    def share(self) -> float:
        """The share that is left on the path of the worst finding, or else on the worst path."""
        if self.finding is not None:
            return self.finding.share
        return self.worst.share if self.worst is not None else math.nan

    def scenario(self, finding: Finding | None = None, label: str | None = None) -> Scenario:
        """The scenario of a finding, by default the worst, with an algorithm, by default that under attack.

        Raises InputError.
        """
        chosen = finding or self.worst_finding()
        name = re.sub(r"[^a-z0-9]+", "-", f"{self.label}-{'-'.join(chosen.path)}".lower()).strip("-")
        scenario, _ = self.problem.scenario(chosen.path, label or self.label, chosen.duration_s, name)
        return scenario.with_value("seed", str(self.seed))

    def run(self, label: str | None = None, seed: int | None = None) -> Result:
        """The run of the worst finding with an algorithm, with time series. Raises InputError."""
        finding, name = self.worst_finding(), label or self.label
        scenario, factories = self.problem.scenario(finding.path, name, finding.duration_s)
        scenario = scenario.with_value("seed", str(self.seed if seed is None else seed))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NoMarksWarning)
            return simulate(with_sampling(scenario), name, factories, None, is_alone=True)

    def worst_finding(self) -> Finding:
        """The worst path made small. Raises InputError if there is none."""
        if self.finding is None:
            raise InputError(f"{self.label}: the attack found nothing, so there is no path to run")
        return self.finding


@checked_as(algorithm="attacked", seeds="many", findings="many")
def attack(  # noqa: PLR0913 - the public function: keywords, of which a call names a few
    algorithm: Algorithm | Sequence[Algorithm],
    store: str | File | None = None,
    *,
    hurt: str | None = None,
    differ: str | None = None,
    where: str | None = None,
    breaks: str | None = None,
    objective: Callable[[Result], float] | None = None,
    company: Algorithm | None = None,
    than: str | None = None,
    space: str | File | Space | None = None,
    budget: str = "1 min",
    findings: int = 3,
    seed: int = 1,
    seeds: int = 10,
    optimiser: str = "evolution",
    workers: int | None = None,
    address: str | None = None,
    trust: bool = False,
    progress: Progress | None = None,
) -> Attack:
    """Searches the path on which an algorithm is worst, makes it small, and runs it on other seeds.

    `hurt` is a quantity of its own flows ("goodput", the default, "delay", "loss", "completion",
    "starvation", "state") or an algorithm, whose flows share the path and are harmed. `differ` is a quantity
    in which two algorithms part; `where` is a condition, as "bbr3.goodput < 0.3"; `breaks` is a
    specification of conformance, of which a law is to be broken; `objective` is a function of a result, which
    is less where the damage is greater. `company` is an algorithm with whose flows the path is shared; with
    `than`, the quantity is compared with the quantity of this algorithm on the same path and seed. `space` is
    a file with bounds and constraints. `store` is a folder of finished runs, from which an interrupted attack
    goes on. The `budget` is processor time, of which a second stands for 1500 simulated seconds; each of the
    `findings` has its part, and is sought without the changes of those before.
    Raises ScenarioError, InputError, OutputError, and AttackInterrupted on Ctrl-C.
    """
    if optimiser not in OPTIMISERS:
        raise unknown("optimiser", optimiser, OPTIMISERS)
    budget_s = read_budget(budget)
    given = [algorithm] if isinstance(algorithm, str) or callable(algorithm) else list(algorithm)
    problem = attack_problem(
        given,
        hurt,
        differ,
        where,
        company,
        than,
        breaks,
        objective=objective is not None,
        space=space,
        origin=Origin(trust=trust),
    )
    asked = {
        "algorithms": list(problem.contenders),
        "hurt": problem.victim or hurt,
        "differ": differ,
        "where": where,
        "breaks": problem.law,
        "company": problem.company,
        "than": problem.than,
    }
    _refuse_what_cannot_run(problem)
    measure = problem.measure if objective is None else functools.partial(_objective_of, objective)
    opened = Store(File(store)) if store is not None else None
    runner = Runner(opened, measure=measure, workers=workers, address=address)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoMarksWarning)
        done = _carried_out(
            problem,
            runner,
            _Plan(budget_s, findings, seed, seed_numbers(seeds, seed + 1), optimiser),
            progress,
        )
    return replace(done, asked=asked)


@dataclass(frozen=True)
class Origin:
    """The folder that the names of Python classes in files refer to."""

    folder: File = File()
    within: File | None = None
    """The folder that these files must not leave."""
    trust: bool = False


def attack_problem(  # noqa: PLR0913 - the options of the public function
    algorithms: Sequence[Algorithm],
    hurt: str | None = None,
    differ: str | None = None,
    where: str | None = None,
    company: Algorithm | None = None,
    than: str | None = None,
    breaks: str | None = None,
    *,
    objective: bool = False,
    space: str | File | Space | None = None,
    origin: Origin | None = None,
) -> Problem:
    """The problem of an attack, from the arguments of `attack`. Raises ScenarioError and InputError."""
    origin = origin or Origin()
    given = {
        "hurt": hurt,
        "differ": differ,
        "where": where,
        "breaks": breaks,
        "objective": objective or None,
    }
    asked = [name for name, said in given.items() if said is not None]
    if len(asked) > 1:
        raise InputError(f"{asked[0]} and {asked[1]}: an attack has one objective")
    contenders = _referred(algorithms, origin)
    problem = _problem(contenders, hurt, differ, where, objective, than, origin)
    if breaks is not None:
        laws(breaks)  # refuses a specification without one
        problem = replace(problem, law=breaks)
    problem = replace(problem, space=_space(problem, space, company, origin))
    if company is not None:
        named = _referred([company], origin)
        problem = replace(problem, others={**problem.others, **named}, company=next(iter(named)))
    return problem


def read_budget(text: str) -> float:
    """The simulated seconds of a budget, as "2 min". Raises InputError."""
    matched = re.fullmatch(r"\s*(\d+\.?\d*)\s*(s|min|h)\s*", text)
    seconds = float(matched[1]) * {"s": 1, "min": 60, "h": 3600}[matched[2]] if matched else 0.0
    if not 0 < seconds <= 360_000:
        raise InputError(f'budget: found "{text}"; expected a time of at most 100 h, as "2 min"')
    return seconds * SIMULATED_PER_S


def _objective_of(function: Callable[[Result], float], result: Result) -> Mapping[str, float]:
    return {"objective": float(function(result))}


def _referred(given: Sequence[Algorithm], origin: Origin) -> dict[str, Algorithm]:
    """Algorithms by label; the omniscient sender is none of the catalogue."""
    plain = [each for each in given if each != OMNISCIENT]
    found = dict(referred(plain, origin.folder, within=origin.within, trust=origin.trust))
    return {OMNISCIENT: OMNISCIENT, **found} if len(plain) < len(given) else found


def _problem(
    contenders: dict[str, Algorithm],
    hurt: str | None,
    differ: str | None,
    where: str | None,
    own: bool,
    than: str | None,
    origin: Origin,
) -> Problem:
    labels = list(contenders)
    if not labels:
        raise InputError("attack: name an algorithm, as in: ackclock attack bbr3")
    if differ is not None and len(labels) != 2:
        found = counted(len(labels), "algorithm")
        raise InputError(f"differ: found {found}; expected two, as in: bbr3 copa --differ delay")
    if differ is None and where is None and len(labels) > 1:
        raise InputError(f"{labels[1]}: an attack is on one algorithm; --differ and --where take several")
    quantity = differ or (hurt if hurt in QUANTITIES else None) or "goodput"
    if differ is not None and differ not in QUANTITIES:
        raise unknown("quantity", differ, QUANTITIES)
    victim = ""
    others: dict[str, Algorithm] = {}
    if hurt is not None and hurt not in QUANTITIES:
        named = _victim(hurt, origin)
        victim = next(iter(named))
        others |= named
    if than is not None:
        named = _referred([than], origin)
        than = next(iter(named))
        others |= named
    condition = read_where(where, labels) if where is not None else None
    return Problem(
        contenders,
        Space(),
        quantity,
        victim,
        than or "",
        differ=differ is not None,
        where=condition,
        own=own,
        others=others,
    )


def _victim(hurt: str, origin: Origin) -> dict[str, Algorithm]:
    try:
        return _referred([hurt], origin)
    except ValueError as error:
        meant = nearest(hurt, QUANTITIES)
        known = f"expected {', '.join(QUANTITIES)} or an algorithm: {error}"
        right = f'did you mean "{meant}"?' if meant else known
        raise InputError(f'hurt: found "{hurt}"; {right}') from None


def _space(
    problem: Problem, given: str | File | Space | None, company: Algorithm | None, origin: Origin
) -> Space:
    """The space with what the objective needs, and without what the algorithms cannot take."""
    space = given if isinstance(given, Space) else load_space(None if given is None else File(given))
    kinds = [
        parts_of(each) if isinstance(each, str) else {"controller"} for each in problem.contenders.values()
    ]
    if any(kind & {"recovery", "transport"} for kind in kinds) or OMNISCIENT in problem.contenders:
        space = space.without("recovery")
    if any(kind & {"slow start", "controller"} for kind in kinds) or OMNISCIENT in problem.contenders:
        space = space.without("slow-start")
    if OMNISCIENT in problem.contenders:
        space = space.without("files", "receive-window", "delayed-acks", "ack-loss")
    for need in QUANTITIES[problem.quantity].needs:
        space = space.with_always(need)
    if problem.victim:
        space = space.with_always("competitors", algorithm=problem.victim)
    elif company is not None:
        space = space.with_always("competitors", algorithm=next(iter(_referred([company], origin))))
    return space


def _refuse_what_cannot_run(problem: Problem) -> None:
    """Runs the reader on the plainest path, so that a wrong name is refused before the search."""
    plain = {
        change.name: {key.name: key.at(0.5) for key in change.keys}
        for change in problem.space.changes
        if change.name in problem.space.always
    }
    for label in (*problem.labels, problem.beside):
        trial = problem.trial(problem.space.held(plain), label, 1, problem.space.duration_s)
        if problem.law and label == problem.label:
            result = simulate(trial.scenario, label, trial.factories, None, is_alone=True)
            refuse_what_it_does_not_show(problem.law, label, result)


@dataclass(frozen=True)
class _Plan:
    """The budget of an attack, and its seeds."""

    budget_s: float
    findings: int
    seed: int
    seeds: tuple[int, ...]
    optimiser: str


def _carried_out(problem: Problem, runner: Runner, plan: _Plan, progress: Progress | None) -> Attack:
    searches: list[Searched] = []
    findings: list[Finding] = []
    thrown: list[Finding] = []

    def tell(phase: str, done: float, best: Judged | None) -> None:
        if progress is not None:
            found = f": {told(best)}" if best is not None else ""
            progress(min(done, plan.budget_s), plan.budget_s, f"{phase}{found}")

    left = problem
    try:
        for number in range(plan.findings):
            of = f" {number + 1} of {plan.findings}" if plan.findings > 1 else ""
            until_s = plan.budget_s * min((number + FOR_SEARCH) / plan.findings, LATEST_SEARCH)
            searched = search(
                left,
                runner,
                budget_s=until_s,
                seed=plan.seed,
                draw=number,
                optimiser=plan.optimiser,
                tell=functools.partial(tell, f"search{of}"),
            )
            searches.append(searched)
            finding, others = _made_small(left, runner, searched, plan, tell)
            thrown += others
            if finding is None:
                continue  # the next search draws other paths
            findings.append(finding)
            left = replace(left, space=left.space.without(*_kind(finding, left.space)))
    finally:
        runner.flush()
    tried = [one.best for one in searches if one.best is not None]
    return Attack(
        problem,
        {},
        tuple(sorted(findings, key=lambda one: one.share)),
        tuple(thrown),
        min(tried, key=lambda one: one.score, default=None),
        searches[0].steps,
        plan.seed,
        plan.seeds,
        plan.budget_s,
        runner.simulated_s,
        sum(len(one.tried) for one in searches),
        runner.new_runs,
    )


SIZES = ("rate", "round-trip", "buffer")
"""The changes that are sizes of a path and no kind of their own, unless there is no other."""


def _kind(finding: Finding, space: Space) -> tuple[str, ...]:
    """The changes that the next search does without."""
    free = [name for name in finding.path if name not in space.always]
    return tuple(name for name in free if name not in SIZES) or tuple(free)


def _made_small(
    problem: Problem,
    runner: Runner,
    searched: Searched,
    plan: _Plan,
    tell: Callable[[str, float, Judged | None], None],
) -> tuple[Finding | None, list[Finding]]:
    """The worst path that holds on other seeds, and those before it that do not."""
    thrown: list[Finding] = []
    limit = 1.0 if problem.is_condition or problem.own else QUANTITIES[problem.quantity].damage_below
    for found in searched.candidates(TRIES):
        if found.share >= limit:
            break
        tell("making it small", runner.simulated_s, found)
        small, duration_s = shrink(problem, runner, found, plan.seed)
        tell("checking it on other seeds", runner.simulated_s, small)
        finding = check(problem, runner, small, duration_s, found, plan.seeds)
        if finding.is_kept:
            return finding, thrown
        thrown.append(finding)
    return None, thrown
