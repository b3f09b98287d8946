"""Mutated policies and plans: each is read as what it says, or refused with one sentence."""

import copy
import json
import random
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ackclock
from ackclock import papers
from ackclock.errors import InputError, OutputError, ScenarioError
from ackclock.evaluation.verdict import load_thresholds
from ackclock.gym import Policy
from ackclock.gym.policy import Layer
from ackclock.sweeps.plan_files import toml

MUTANTS = 400

VALUES: tuple[Any, ...] = (
    None, True, -1, 0, 1, 2**70, 1e308, -0.0, float("nan"), float("inf"), "", "nan", "1.5",
    "__import__('os')", "../x.py:Mine", "/etc/passwd", [], [[]], [[[]]], {}, {"a": {}}, "x" * 10_000,
    "\u0000", "tanh", "reno",
)  # fmt: skip

PLAN: dict[str, Any] = {
    "name": "plan",
    "scenario": "single-flow",
    "algorithms": {"a": "reno", "b": "cubic"},
    "seeds": 2,
    "settings": {"duration": "2 s"},
    "grid": {"tcp.initial_window": ["1 packets", "4 packets"]},
    "cases": {"load": {"light": {"flow.0.count": 1}, "heavy": {"flow.0.count": 2}}},
    "keep": ["links"],
    "classes": {"mice": 82},
}


def places(tree: Any, before: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all values below a tree."""
    steps = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    return [place for step, value in steps for place in ((*before, step), *places(value, (*before, step)))]


def mutant(tree: Any, draw: random.Random) -> Any:
    """A copy with a value replaced, left out, or repeated under another name."""
    made = copy.deepcopy(tree)
    *above, last = draw.choice(places(made))
    at = made
    for step in above:
        at = at[step]
    match draw.randrange(4):
        case 0:
            del at[last]
        case 1 if isinstance(at, dict):
            at[f"{last}x"] = at[last]
        case _:
            at[last] = copy.deepcopy(draw.choice(VALUES))
    return made


def policy() -> dict[str, Any]:
    hidden = Layer([[0.1, -0.2], [0.3, 0.4]], [0.0, 0.1])
    return Policy((hidden, Layer([[1.0, -1.0]], [0.2])), ("cwnd_packets", "lost_packets")).as_dict()


def test_a_mutated_policy_is_read_or_refused(tmp_path: Path) -> None:
    file = tmp_path / "policy.json"
    refused = 0
    for number in range(MUTANTS):
        draw = random.Random(number)  # noqa: S311 - mutants, not secrets
        file.write_text(json.dumps(mutant(policy(), draw)))
        try:
            read = Policy.load(file)
        except InputError:
            refused += 1
            continue
        with np.errstate(over="ignore", invalid="ignore"):
            assert read(np.ones((3, len(read.observe)))).shape == (3,)
        assert np.isfinite(np.concatenate([np.ravel(layer.weights) for layer in read.layers])).all()
    assert refused > MUTANTS // 2


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"layers":' * 50_000, "", "null", "[]", '{"layers": 3, "observe": 3}']
)
def test_what_is_no_policy_is_a_sentence(tmp_path: Path, text: str) -> None:
    file = tmp_path / "policy.json"
    file.write_text(text)
    with pytest.raises(InputError, match="not a policy"):
        Policy.load(file)


def test_a_mutated_plan_is_read_or_refused() -> None:
    refused = 0
    for number in range(MUTANTS):
        draw = random.Random(number)  # noqa: S311 - mutants, not secrets
        made = mutant(PLAN, draw)
        try:
            plan = ackclock.load_plan(made)
            assert plan.runs >= 1
        except (InputError, OutputError, ScenarioError):
            refused += 1
    assert MUTANTS // 4 < refused < MUTANTS


def test_a_plan_of_mutated_bytes_is_read_or_refused(tmp_path: Path) -> None:
    facts = {"name": "plan", "scenario": "single-flow", "seeds": 2}
    axes: Any = {
        "tcp.initial_window": [(size, {"tcp.initial_window": size}) for size in ("1 packets", "4 packets")]
    }
    text = toml(facts, {"a": "reno", "b": "cubic"}, axes, 82).encode()
    assert tomllib.loads(text.decode())["classes"] == {"mice": 82}
    file = tmp_path / "plan.toml"
    for number in range(MUTANTS):
        draw = random.Random(number)  # noqa: S311 - mutants, not secrets
        at = draw.randrange(len(text))
        file.write_bytes(
            text[:at] + bytes(draw.randrange(256) for _ in range(draw.randrange(3))) + text[at + 1 :]
        )
        try:
            assert ackclock.load_plan(file).runs >= 1
        except (InputError, OutputError, ScenarioError):
            continue


# A megabyte of each: the standard library takes the square of the parts of a key, an hour of them.
@pytest.mark.parametrize(
    "text",
    [
        "a = " + "[" * 100_000,
        "x = 'm.py:A'\na = " + "[" * 9_999,
        ".".join("a" * 500_000) + " = 1",
        "x = 'm.py:A'\n" + " . ".join(["'a'", '"b"', "c"] * 80_000) + " = 1",
        "[" + ".".join("a" * 500_000) + "]",
        ".".join([r'"\""'] * 200_000) + " = 1",
        "a" * 1_000_000,
        "a " * 500_000,
        "'" * 1_000_000,
        'a"' * 500_000,
        "a." * 49 + "a = 1\n" + ("b." * 40 + "\n") * 12_000,
    ],
    ids=["lists", "class", "dots", "quoted", "table", "escaped", "word", "words", "quotes", "opened", "many"],
)
def test_nesting_is_survived_however_deep(tmp_path: Path, text: str) -> None:
    file = tmp_path / "deep.toml"
    file.write_text(text)
    with pytest.raises((InputError, ScenarioError)):
        ackclock.load_plan(file)
    with pytest.raises((InputError, ScenarioError)):
        ackclock.load_scenario(file)
    with pytest.raises(InputError):
        load_thresholds(file)
    (tmp_path / "claims.toml").write_text(text)
    with pytest.raises(InputError):
        papers.load_paper(tmp_path)
