"""`python .ci/training.py`: the runs that train the profile-guided optimisation of shipped wheels.

Uses the compiled module alone, so that it runs where only the instrumented wheel is installed.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ackclock._native import Scenario, run

SCENARIOS = Path(__file__).resolve().parents[1] / "python" / "ackclock" / "data" / "scenarios"
RUNS: tuple[tuple[str, dict[str, str]], ...] = (
    *(
        ("ten-flows-shared", {"duration": "3 s", "tcp.algorithm": algorithm})
        for algorithm in (
            "sack",
            "newreno",
            "newreno+cubic",
            "cubic",
            "dctcp",
            "fast",
            "htcp",
            "bbr1",
            "bbr3",
        )
    ),
    *(
        ("ten-flows-shared", {"duration": "3 s", "topology.graph.link.0.queue": queue})
        for queue in (
            "red",
            "pie",
            "codel",
            "fq-codel",
            "sfq",
            "drr",
            "fq-pie",
            "protect",
            "budgets",
            "classes(transmission=1)",
        )
    ),
    ("ten-flows-dumbbell", {"duration": "3 s"}),
    ("mesonet-dumbbell", {"flow.1.start": "10 s", "duration": "60 s"}),
    ("thousand-flows-shared", {"duration": "2 s"}),
    # Long enough for the losses of the steady state.
    ("thousand-flows-shared", {"duration": "8 s", "tcp.algorithm": "bbr3"}),
    ("thousand-flows-dumbbell", {"duration": "2 s"}),
    ("mice-and-elephants", {}),
    ("lossy-link", {}),
    ("two-megabit", {}),
)
"""Built-in scenarios with values replaced."""


def scenario_of(name: str, changes: Mapping[str, str]) -> Scenario:
    """A built-in scenario with values replaced; a shorter one has no warm-up."""
    scenario = Scenario.from_toml((SCENARIOS / f"{name}.toml").read_text(encoding="utf-8"), [])
    shorter = {"warm_up": "0 s"} if "duration" in changes else {}
    for key, value in {**shorter, **changes}.items():
        scenario = scenario.with_value(key, value)
    return scenario


def main() -> None:
    """Runs all of them, each once."""
    for name, changes in RUNS:
        run(scenario_of(name, changes))


if __name__ == "__main__":
    main()
