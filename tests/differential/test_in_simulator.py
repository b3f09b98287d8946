"""Every compiled algorithm and its plain-Python twin in the simulator, on the same scenarios: equal tables.

Equal to the byte, except where the reference computes a window in another order of operations, or by
Python's `math` instead of the compiled libm: there real numbers may differ by a part in a thousand
million, and counts not at all.
"""

from collections.abc import Callable

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import ackclock
from reference import AVOIDANCES, CONTROLLERS, SLOW_STARTS, Start, Windowed

SCENARIOS: dict[str, tuple[str, dict[str, str]]] = {
    "random losses": ("lossy-link", {"duration": "20 s", "warm_up": "0 s"}),
    "a full queue": ("two-megabit", {"duration": "10 s"}),
    "marks": (
        "single-flow",
        {
            "duration": "10 s",
            "warm_up": "0 s",
            "tcp.ecn": "classic",
            "topology.dumbbell.bottleneck.ecn_threshold": "8 packets",
        },
    ),
    "idle times": (
        "single-flow",
        {
            "duration": "20 s",
            "warm_up": "0 s",
            "flow.0.size.constant": "70 packets",
            "flow.0.think.constant": "3 s",
        },
    ),
}


def windowed(slow_start: str, avoidance: str) -> Callable[[Start], object]:
    return lambda start: Windowed(SLOW_STARTS[slow_start](), AVOIDANCES[avoidance](), start)


def whole(name: str) -> Callable[[Start], object]:
    def make(start: Start) -> object:
        controller = CONTROLLERS[name]()
        controller.begin(start)
        return controller

    return make


ROUNDED = {
    *("adaptive", "c4", "compound", "cubic", "decreasing", "fast", "hoe", "hstcp", "hybla", "illinois"),
    *("vivace", "vivace-linux", "westwood", "yeah"),
}
"""Algorithms whose windows differ from the reference's in the last bits."""

TWINS = {
    **{f"standard+{name}": windowed("standard", name) for name in AVOIDANCES},
    **{f"{name}+reno": windowed(name, "reno") for name in SLOW_STARTS if name != "standard"},
    **{name: whole(name) for name in CONTROLLERS},
}


def tables(
    scenario: str, spec: str, algorithms: dict[str, Callable[[Start], object]]
) -> dict[str, pl.DataFrame]:
    name, settings = SCENARIOS[scenario]
    result = ackclock.run(
        name, settings={**settings, "tcp.algorithm": f"rack+{spec}"}, algorithms=algorithms, series=True
    )
    return {
        "flows": result.flows.drop("algorithm"),
        "links": result.links,
        "flow_series": result.flow_series,
    }


# Algorithms that respond to marks are compared without any, too.
@pytest.mark.filterwarnings("ignore::ackclock.errors.NoMarksWarning")
@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("spec", TWINS)
def test_compiled_and_reference_give_equal_tables(spec: str, scenario: str) -> None:
    compiled = tables(scenario, spec, {})
    reference = tables(scenario, "twin", {"twin": TWINS[spec]})
    exact = ROUNDED.isdisjoint(spec.split("+"))
    for name, table in compiled.items():
        assert_frame_equal(table, reference[name], check_exact=exact, rel_tol=1e-9, abs_tol=0.0)


def test_every_algorithm_of_the_registry_is_raced() -> None:
    parts = {part for spec in TWINS for part in spec.split("+")}
    kinds = {"slow start", "avoidance", "controller"}
    registered = {algorithm.name for algorithm in ackclock.list_algorithms() if algorithm.kind in kinds}
    assert registered <= parts, f"without a twin in reference/: {sorted(registered - parts)}"
