"""Arguments of a wrong type or size: one InputError that names the argument, and no list made of a count."""

from collections.abc import Callable

import pytest

import ackclock

CASES: list[tuple[Callable[[], object], str]] = [
    (lambda: ackclock.run(5), "scenario: found 5; expected the name of a built-in scenario"),  # type: ignore[arg-type]
    (lambda: ackclock.run("single-flow", settings="x"), "settings: found 'x'; expected a mapping"),  # type: ignore[arg-type]
    (lambda: ackclock.run("single-flow", algorithm=5), "algorithm: found 5; expected a name"),  # type: ignore[arg-type]
    (lambda: ackclock.compare(5), "algorithms: found 5; expected a list"),  # type: ignore[arg-type]
    (lambda: ackclock.load(5), "folder: found 5; expected the path"),  # type: ignore[arg-type]
    (lambda: ackclock.replicate("single-flow", seeds="3"), "seeds: found '3'; expected how many"),  # type: ignore[arg-type]
    (lambda: ackclock.replicate("single-flow", seeds=3.5), "seeds: found 3.5; expected how many"),  # type: ignore[arg-type]
    (lambda: ackclock.replicate("single-flow", seeds=True), "seeds: found True; expected how many"),
    (lambda: ackclock.replicate("single-flow", seeds=0), "seeds: found 0; expected 1 to 1000000"),
    (lambda: ackclock.replicate("single-flow", seeds=10**8), "seeds: found 100000000; expected 1 to 1000000"),
    (lambda: ackclock.replicate("single-flow", seeds=10**20), "expected 1 to 1000000 seeds"),
    (lambda: ackclock.replicate("single-flow", seeds=[1, 1]), "every seed can be used once"),
    (lambda: ackclock.replicate("single-flow", seeds=[-1]), "seeds: found -1; expected whole numbers"),
]


@pytest.mark.parametrize(("call", "message"), CASES, ids=[message[:40] for _, message in CASES])
def test_a_wrong_argument_is_one_sentence(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ackclock.InputError) as error:
        call()
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_settings_take_the_tables_and_lists_of_a_scenario() -> None:
    settings = {"duration": "1 s", "warm_up": "0 s", "trace": {"interval": "20 ms"}, "flow": [{"name": "a"}]}
    result = ackclock.run("single-flow", settings=settings)
    assert result.flow_series.height > 40
    assert result.flows["name"].to_list() == ["a"]
