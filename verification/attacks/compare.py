"""How fast optimisers find known weaknesses: `python -m verification.attacks.compare`.

The simulated time until a path counts as found, of a search without the steps that follow it. Besides the
optimisers of `ackclock attack`, it runs CMA-ES where the package `cma` (Hansen, Akimoto and Baudis) is
installed. The table goes to `published/attacks/optimisers.json`.
"""

from __future__ import annotations

import importlib
import json
import sys
from typing import Any

import numpy as np

from ackclock.attacks.attack import attack_problem
from ackclock.attacks.optimisers import BATCH, OPTIMISERS, Evaluate
from ackclock.attacks.problem import Judged
from ackclock.attacks.runner import Runner
from ackclock.attacks.search import search
from ackclock.attacks.space import Space
from verification.attacks.known import KNOWN, PUBLISHED, Known

BUDGET_S = 10_000.0
"""The simulated time after which a search gives up."""

DRAWS = (0,)
"""The tries of each optimiser."""

SIGMA = 0.3
"""The first standard deviation of CMA-ES, of coordinates between 0 and 1."""


def by_covariance(space: Space, evaluate: Evaluate, random: np.random.Generator) -> None:
    """CMA-ES, which begins anew at a random point whenever it has converged."""
    cma: Any = importlib.import_module("cma")
    while True:
        options = {"bounds": [0, 1], "popsize": BATCH, "seed": int(random.integers(1, 2**31)), "verbose": -9}
        strategy = cma.CMAEvolutionStrategy(random.random(space.dimensions), SIGMA, options)
        while not strategy.stop():
            points = strategy.ask()
            strategy.tell(points, evaluate(np.array(points)).tolist())


def found_after_s(known: Known, optimiser: str, draw: int) -> float | None:
    """The simulated time until a path shows the weakness; None if none does within the budget."""
    asked = {name: known.options.get(name) for name in ("hurt", "than", "breaks")}
    problem = attack_problem([known.algorithm], **asked)  # type: ignore[arg-type]
    runner = Runner(measure=problem.measure)

    def is_found(judged: Judged) -> bool:
        return judged.share < known.below and known.shows(judged.path)

    searched = search(
        problem, runner, budget_s=BUDGET_S, seed=1, draw=draw, optimiser=optimiser, until=is_found
    )
    return runner.simulated_s if any(map(is_found, searched.tried.values())) else None


def main() -> int:
    """Compares, prints and publishes."""
    OPTIMISERS["covariance"] = by_covariance
    rows = []
    for known in KNOWN:
        for optimiser in OPTIMISERS:
            times = [found_after_s(known, optimiser, draw) for draw in DRAWS]
            rows.append({"weakness": known.key, "optimiser": optimiser, "simulated_s": times})
            print(known.key, optimiser, times, file=sys.stderr, flush=True)
    document = {"budget_s": BUDGET_S, "rows": rows}
    PUBLISHED.mkdir(parents=True, exist_ok=True)
    (PUBLISHED / "optimisers.json").write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
