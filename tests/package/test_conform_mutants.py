"""Each case can fail: a mutant does. Its reading without the fault does not; algorithms do for a reason."""

import json

import pytest

from ackclock.conformance.specifications import specifications
from ackclock.measures.verdict import Outcome
from tests.conformance.mutants import MUTANTS, Mutant
from verification.conformance.verdicts import PUBLISHED, REASONS, judged

DEAR = {
    ("bbr", "decrease"),
    ("bbr", "decrease-deep-buffer"),
    ("hystart", "loss-ends-it"),
    ("prague", "marks-at-high-rate"),
}
"""The cases whose mutants take seconds. `make conform-mutants` runs them with the others."""

CHEAP = [each for each in MUTANTS if (each.specification, each.case) not in DEAR]


def name(mutant: Mutant) -> str:
    return f"{mutant.specification}-{mutant.case}"


@pytest.mark.parametrize("mutant", CHEAP, ids=name)
def test_a_mutant_fails_its_case(mutant: Mutant) -> None:
    assert mutant.verdict().outcome is Outcome.FAILS


@pytest.mark.parametrize("mutant", CHEAP[::5], ids=name)
def test_a_reading_without_the_fault_meets_the_case(mutant: Mutant) -> None:
    sound = mutant.sound_verdict()
    assert sound is None or sound.outcome is Outcome.HOLDS


def test_every_case_has_a_mutant() -> None:
    known = [(key, case.key) for key, each in specifications().items() for case in each.cases]
    assert sorted((each.specification, each.case) for each in MUTANTS) == sorted(known)


def test_there_are_cases_of_every_specification() -> None:
    counts = {key: len(each.cases) for key, each in specifications().items()}
    assert sum(counts.values()) >= 150
    assert min(counts.values()) >= 7


def test_what_an_algorithm_fails_has_a_reason_and_is_published() -> None:
    document = json.loads(PUBLISHED.read_text(encoding="utf-8"))
    published = {(row["algorithm"], row["specification"]): row for row in document["rows"]}
    others = {
        (*names, other["case"]): other["reason"]
        for names, row in published.items()
        for other in row["others"]
    }
    assert others == REASONS
    for done in judged(seeds=1):
        names = (done.label, done.specification.key)
        assert published.pop(names)["cases"] == len(done.verdicts)
        found = {(*names, one.what) for one in done.verdicts if one.outcome is not Outcome.HOLDS}
        assert found <= set(REASONS)
    assert not published
