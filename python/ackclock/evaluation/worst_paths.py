"""The worst paths found for a contender: an attack on its own flows, and one on standard flows next to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ackclock.attacks import documents, words
from ackclock.attacks.attack import Attack, attack
from ackclock.evaluation.criterion import STANDARDS
from ackclock.runs.parallel import Progress
from ackclock.scenarios.address import playground_address
from ackclock.scenarios.algorithms import Factory

__all__ = ["OTHERS", "OWN", "TITLES", "WorstPath", "aims", "as_json", "as_markdown", "worst_paths"]

OWN, OTHERS = "own", "others"
"""The aims: the goodput of its own flows, and the goodput of standard flows next to them."""

TITLES = {OWN: "its own flows", OTHERS: "standard flows next to it"}

SEED = 1
SEEDS, QUICK_SEEDS = 10, 5
"""Other seeds on which a path must hold."""

BUDGET, QUICK_BUDGET = "15 s", "5 s"
"""The time of a processor for each aim."""

STORE = "attack"
"""The folder of its runs, in the store of the evaluation, whose runs have other measures."""


@dataclass(frozen=True)
class WorstPath:
    """The outcome of the attack with one aim."""

    aim: str
    attack: Attack

    @property
    def title(self) -> str:
        """The aim in words."""
        return TITLES[self.aim]

    @property
    def summary(self) -> str:
        """The question of the attack, and the outcome."""
        return f"Sought: {self.attack.question}. {documents.summary(self.attack)}."

    @property
    def changes(self) -> list[str]:
        """The changes of the path in words; none if nothing was found."""
        return words.changes(self.attack.finding.path) if self.attack.finding else []

    @property
    def holds(self) -> str:
        """The seeds and values with which it holds."""
        return words.sentence(self.attack.finding) if self.attack.finding else ""

    @property
    def address(self) -> str:
        """The address at which the playground plays it; empty if nothing was found."""
        return playground_address(self.attack.scenario()) if self.attack.finding else ""

    @property
    def scenario(self) -> str:
        """The file of its scenario in the folder of the evaluation."""
        return f"scenarios/worst-path/{self.aim}.toml"


def standard_of(label: str) -> str:
    """The standard with which a contender is compared: the first that is not itself."""
    return next(each for each in STANDARDS if each != label)


def aims(label: str) -> dict[str, dict[str, str]]:
    """The options of the attack with each aim."""
    standard = standard_of(label)
    return {OWN: {"hurt": "goodput", "than": standard}, OTHERS: {"hurt": standard}}


def worst_paths(
    algorithm: str | Factory,
    label: str,
    store: Path,
    *,
    quick: bool,
    workers: int | None = None,
    address: str | None = None,
    trust: bool = False,
    progress: Progress | None = None,
) -> tuple[WorstPath, ...]:
    """Attacks the contender with both aims. Raises AttackInterrupted; finished runs are in the store.

    Its own goodput is compared with the goodput of the standard on the same path, which must have half of
    what the path has. What standard flows have next to it is compared with what they have next to their kind.
    """
    found = []
    for aim, options in aims(label).items():
        done = attack(
            algorithm,
            store / STORE,
            hurt=options["hurt"],
            than=options.get("than"),
            budget=QUICK_BUDGET if quick else BUDGET,
            findings=1,
            seed=SEED,
            seeds=QUICK_SEEDS if quick else SEEDS,
            workers=workers,
            address=address,
            trust=trust,
            progress=None if progress is None else (lambda done_s, total_s, _: progress(done_s, total_s)),
        )
        found.append(WorstPath(aim, done))
    return tuple(found)


def as_json(path: WorstPath) -> dict[str, object]:
    """A worst path as part of the JSON document."""
    whole = documents.as_json(path.attack)
    kept = ("objective", "seed", "budget_simulated_s", "simulated_s", "paths", "share", "findings")
    file = path.scenario if path.attack.finding else None
    return {"aim": path.aim, "scenario": file, **{key: whole[key] for key in kept}}


def as_markdown(paths: tuple[WorstPath, ...]) -> Iterator[str]:
    """The section of the Markdown document, in lines; nothing without attacks."""
    if not paths:
        return
    yield from ("", "## The worst path found", "")
    for path in paths:
        yield f"For {path.title}. {path.summary}"
        yield ""
        if path.attack.finding:
            yield from (f"- {each}" for each in path.changes)
            yield from ("", f"{path.holds} `{path.scenario}`", "")
