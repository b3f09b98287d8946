"""The designed experiment on a larger network: its plan has the settings that it says."""

import numpy as np

import ackclock
from ackclock import papers

PLANS = papers.paper_folder() / "mesonet_study" / "plans"


def test_the_design_has_64_settings_and_resolution_four() -> None:
    plan = ackclock.load_plan(PLANS / "study.toml")
    assert (len(plan.axes), len(plan.points), len(plan.algorithms)) == (11, 64, 10)
    assert plan.responses
    assert all(len(axis.values) == 2 for axis in plan.axes)
    levels = np.array(
        [[axis.values[0][0] == point.values[axis.name] for axis in plan.axes] for point in plan.points]
    )
    coded = np.where(levels, -1, 1)
    # Main effects are clear of each other and of every interaction of two factors.
    assert np.array_equal(coded.T @ coded, 64 * np.eye(11))
    pairs = np.array([coded[:, i] * coded[:, j] for i in range(11) for j in range(i)])
    assert not (pairs @ coded).any()


def test_the_alphas_of_fast_run_at_settings_of_the_design() -> None:
    plan, alphas = (ackclock.load_plan(PLANS / f"{name}.toml") for name in ("study", "fast-alpha"))
    chosen = {
        point.scenario.to_json()
        for point in plan.points
        if point.values["speed"] == "fast" and point.values["buffers"] == "large"
    }
    assert {point.scenario.to_json() for point in alphas.points} == chosen
    assert len(chosen) == 16
    assert alphas.algorithms["tcp"] == plan.algorithms["tcp"]
    assert alphas.algorithms["alpha-200"] == plan.algorithms["fast"]


def test_a_setting_runs_with_the_response_vector() -> None:
    plan = ackclock.load_plan(PLANS / "study.toml")
    short = {"duration": "2 s", "warm_up": "1 s"} | {
        f"flow.{group}.start_jitter": "1 s" for group in range(4)
    }
    result = ackclock.run(plan.points[0].scenario, settings=short, algorithm=plan.algorithms["htcp"])
    vector = ackclock.measures.response_vector.measured(result)
    assert vector["flows_active"] > 50
    assert vector["utilisation_access"] > vector["utilisation_backbone"] > 0


def test_the_plan_of_two_round_trips_has_a_small_and_a_large_buffer() -> None:
    plan = ackclock.load_plan(PLANS / "two-rtts.toml")
    buffers = [value for value, _ in plan.axes[0].values]
    assert (buffers, len(plan.seeds)) == (["20% bdp", "100% bdp"], 10)
