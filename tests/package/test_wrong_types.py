"""Arguments of a wrong type or size: one InputError that names the argument, and no list made of a count."""

from __future__ import annotations

import importlib
import inspect
import resource
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ackclock
from ackclock import measures, models, papers, provenance, report, sweeps
from ackclock.arguments import CHECKS

LINK = {"rate": "10 Mbit/s", "delay": "1 ms"}
BASE: dict[str, Any] = {
    "name": "base",
    "duration": "1 s",
    "topology": {"dumbbell": {"bottleneck": {**LINK, "buffer": "10 packets"}, "access": LINK}},
    "flow": [{}],
}


class Odd:
    """A value that no argument can be."""

    def __repr__(self) -> str:
        return "an odd\nvalue"


WRONG = [Odd(), 5, -1, 3.5, float("nan"), 10**30, True, "x", b"x", [], [5], [Odd()], {}, {5: Odd()}, ()]
"""Values of which each argument takes some."""

GOOD: dict[str, object] = {
    "algorithm": "reno", "algorithms": ["reno"], "backoffs": 1, "counts": [1], "epoch_s": 1.0, "failure": 0.1,
    "folder": "nowhere", "loss": 0.1, "name": "flows", "label": "reno", "p": 0.1, "paper": "nowhere",
    "plan": {"scenario": "single-flow"}, "policy": max, "scenario": "single-flow", "source": "single-flow",
    "state": "b1", "store": "nowhere", "stores": ["nowhere"], "times_s": [1.0], "what": "queues",
}  # fmt: skip
"""What the required arguments may be, so that another one can be wrong."""

UNCHECKED = {
    # Parts of the machinery of papers and of provenance, which no example calls.
    "check", "document", "judge", "judged_again", "load_measure", "provenance", "read_claims", "read_table",
    "statements", "described_version", "scenario_facts", "scenario_hash",
}  # fmt: skip


def public() -> Iterator[tuple[str, Callable[..., object]]]:
    """Every public function with arguments, and the methods of what they return."""
    for module in (ackclock, measures, models, papers, provenance, report, sweeps):
        for name in getattr(module, "__all__", ()):
            thing = getattr(module, name)
            if inspect.isfunction(thing) and inspect.signature(thing).parameters and name not in UNCHECKED:
                yield f"{module.__name__}.{name}", thing
    for made in (ackclock.Result, ackclock.Comparison, ackclock.Sweep, ackclock.Plan):
        for name, thing in vars(made).items():
            internal = name.startswith(("_", "write"))
            if inspect.isfunction(thing) and not internal and len(inspect.signature(thing).parameters) > 1:
                yield f"{made.__name__}.{name}", thing


def cases() -> Iterator[Any]:
    for name, function in public():
        for argument in inspect.signature(function).parameters:
            if argument != "self":
                yield pytest.param(function, argument, id=f"{name}-{argument}")


@pytest.mark.parametrize(("function", "argument"), list(cases()))
def test_a_wrong_value_of_any_argument_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, function: Callable[..., object], argument: str
) -> None:
    monkeypatch.chdir(tmp_path)
    parameters = inspect.signature(function).parameters.values()
    needed = {one.name: GOOD.get(one.name) for one in parameters if one.default is one.empty}
    for value in WRONG:
        if is_taken(function, argument, value):
            continue
        with pytest.raises(ackclock.InputError) as error:
            function(**{**needed, argument: value})
        said = str(error.value)
        assert said.startswith(f"{argument}: found ")
        assert "; expected " in said
        assert "\n" not in said
        assert len(said) < 250
    assert not is_taken(function, argument, WRONG[0])
    assert not list(tmp_path.iterdir())


def is_taken(function: Callable[..., object], argument: str, value: object) -> bool:
    """True if a value has the type of an argument, which the function itself may still refuse."""
    checked_by = inspect.getclosurevars(function).nonlocals["others"]
    return CHECKS[checked_by.get(argument, argument)].is_valid(value)


CASES: list[tuple[Callable[[], object], str]] = [
    (lambda: ackclock.replicate("single-flow", seeds="3"), "seeds: found '3'; expected how many"),  # type: ignore[arg-type]
    (lambda: ackclock.replicate("single-flow", seeds=3.5), "seeds: found 3.5; expected how many"),  # type: ignore[arg-type]
    (lambda: ackclock.replicate("single-flow", seeds=0), "seeds: found 0; expected 1 to 1000000"),
    (lambda: ackclock.replicate("single-flow", seeds=10**8), "seeds: found 100000000; expected 1 to 1000000"),
    (lambda: ackclock.replicate("single-flow", seeds=10**20), "expected 1 to 1000000 seeds"),
    (lambda: ackclock.replicate("single-flow", seeds=[1, 1]), "every seed can be used once"),
    (lambda: ackclock.replicate("single-flow", seeds=[-1]), "seeds: found -1; expected whole numbers"),
    (lambda: ackclock.compare(["reno"], workers=10**9), "workers: found 1000000000; expected how many runs"),
    (lambda: ackclock.run({"duration": Odd()}), "duration: found an odd value; expected a text, a number"),
    (lambda: ackclock.run({"flow": [{"start": b"x"}]}), "flow.0.start: found b'x'; expected a text"),
    (lambda: ackclock.run({("a",): 1}), "scenario: found ('a',); expected a text"),  # type: ignore[dict-item]
    (lambda: ackclock.run({"seed": float("nan")}), "seed: found nan; expected a text, a number"),
]


@pytest.mark.parametrize(("call", "message"), CASES, ids=[message[:40] for _, message in CASES])
def test_a_wrong_argument_is_one_sentence(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ackclock.InputError) as error:
        call()
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_a_mapping_that_contains_itself_is_refused() -> None:
    tree: dict[str, object] = {}
    tree["flow"] = tree
    with pytest.raises(ackclock.InputError, match="expected a text"):
        ackclock.run(tree)


def test_settings_take_the_tables_and_lists_of_a_scenario() -> None:
    settings = {"duration": "1 s", "warm_up": "0 s", "trace": {"interval": "20 ms"}, "flow": [{"name": "a"}]}
    result = ackclock.run("single-flow", settings=settings)
    assert result.flow_series.height > 40
    assert result.flows["name"].to_list() == ["a"]


def test_numbers_of_numpy_are_numbers() -> None:
    settings = {"duration": "1 s", "warm_up": "0 s"}
    race = ackclock.replicate("single-flow", seeds=int(np.int64(2)), settings=settings, workers=np.int64(1))  # type: ignore[arg-type]
    assert race.seeds == (1, 2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"threads": "x"}, "threads: found 'x'; expected how many threads, 1 to 1024"),
        ({"threads": 10**9}, "threads: found 1000000000; expected how many threads"),
        ({"num_envs": 10**9}, "num_envs: found 1000000000; expected how many worlds, 1 to 65536"),
        ({"observe": "rtt_share"}, "observe: found 'rtt_share'; expected a list of observations"),
        ({"reward": 5}, "reward: found 5; expected a reward's name, or a function"),
        ({"interval_s": "1 s"}, "interval_s: found '1 s'; expected a number, or None"),
        ({"ranges": 5}, "ranges: found 5; expected a mapping"),
        ({"settings": "x"}, "settings: found 'x'; expected a mapping"),
        ({"action": 5}, "action: found 5; expected a text"),
        ({"each_acknowledgment": 1}, "each_acknowledgment: found 1; expected True or False"),
    ],
)
def test_a_wrong_option_of_an_environment_is_one_sentence(options: dict[str, Any], message: str) -> None:
    pytest.importorskip("gymnasium")
    with pytest.raises(ackclock.InputError) as error:
        gym().WindowVectorEnv("single-flow", **options)
    assert message in str(error.value)


def gym() -> Any:
    return importlib.import_module("ackclock.gym")


ACTIONS: list[Any] = [
    np.zeros(2), np.zeros((1, 1)), np.zeros(0), 0.5, None, "x", ["x"], [None], np.array([np.nan]), {}
]  # fmt: skip


@pytest.mark.parametrize("action", ACTIONS, ids=repr)
def test_an_action_of_a_wrong_shape_is_one_sentence(action: Any) -> None:
    pytest.importorskip("pettingzoo")
    env = gym().WindowEnv("single-flow")
    many = gym().WindowVectorEnv("single-flow", num_envs=3)
    several = gym().WindowParallelEnv("single-flow")
    for world, taken in ((env, action), (many, action), (several, {"agent_0": action}), (several, action)):
        world.reset(seed=1)
        with pytest.raises(ackclock.InputError) as error:
            world.step(taken)
        assert "\n" not in str(error.value)
    with pytest.raises(ackclock.InputError, match=r"shape \(1, 3\); expected shape \(3, 1\)"):
        many.step(np.zeros((1, 3)))
    assert env.step(np.zeros(1))[3] is False


TEN = list(range(10))
POOL = {"connections": 10**9, "objects": {"constant": "1 objects"}}
PLAN: dict[str, Any] = {"scenario": "single-flow"}
COUNTS: list[tuple[Callable[[], object], str]] = [
    (
        lambda: ackclock.load_plan({**PLAN, "grid": {f"tcp.a{n}": TEN for n in range(9)}}),
        "found 1000000000 points x 1 algorithms x 1 seeds; expected at most 1000000 runs",
    ),
    (
        lambda: ackclock.load_plan({**PLAN, "seeds": 10**6, "algorithms": ["reno", "cubic"]}),
        "expected at most 1000000 runs",
    ),
    (
        lambda: ackclock.load_plan(
            {
                **PLAN,
                "grid": {f"tcp.a{n}": [1, 2] for n in range(24)},
                "design": {"kind": "full-factorial"},
            }
        ),
        "found 16777216 points x",
    ),
    (lambda: ackclock.compare(["reno", "cubic"], seeds=10**6), "2 algorithms x 1000000 seeds; expected"),
    (lambda: ackclock.evaluate("cubic", "nowhere", seeds=10**6), "x 1000000 seeds; expected at most"),
    (lambda: ackclock.coexist(["reno", "cubic"], "nowhere", seeds=10**6), "x 1000000 seeds; expected"),
    (lambda: ackclock.replicate({**BASE, "flow": [{"count": 10**9}]}), "flow.0.count"),
    (lambda: ackclock.replicate({**BASE, "topology": {"star": {"hosts": 10**9, "link": LINK}}}), "hosts"),
    (lambda: ackclock.run({**BASE, "flow": [{"pool": POOL, "packets": 1}]}), "connections"),
    (lambda: ackclock.run({**BASE, "trace": {"interval": "1 ns"}}), "too many"),
]


@pytest.mark.parametrize(("call", "message"), COUNTS, ids=[message[:40] for _, message in COUNTS])
def test_a_count_is_bounded_before_a_list_is_made_of_it(call: Callable[[], object], message: str) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises((ackclock.InputError, ackclock.ScenarioError)) as error:
        call()
    assert message in str(error.value)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000, "kilobytes"
