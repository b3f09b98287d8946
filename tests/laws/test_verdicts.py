"""Verdicts can fail: each claim has a class, each failure a cause, and only statements of papers count."""

import pytest

from ackclock import papers
from ackclock.papers import ClaimClass, scorecard
from papers.publish import PUBLISHED

KEYS = [entry.key for entry in papers.list_papers()]


@pytest.fixture(params=KEYS)
def published(request: pytest.FixtureRequest) -> papers.Reproduction:
    return papers.judged_again(
        papers.load_paper(request.param), PUBLISHED / "papers" / request.param, trust=True
    )


def test_each_claim_has_a_class_and_a_statement(published: papers.Reproduction) -> None:
    for claim in published.paper.claims:
        assert claim.claim_class in tuple(ClaimClass), f"{claim.id}: give it a class (docs/papers.md)"
        assert len(claim.statement) > 10, f"{claim.id}: state what the paper says"


def test_each_statement_that_was_not_reproduced_names_its_cause(published: papers.Reproduction) -> None:
    for statement in published.statements:
        if statement.counts and statement.verdict == "not reproduced":
            where = f"papers/{published.paper.folder.name}/claims.toml, {statement.id}"
            assert statement.cause, f"{where}: it was not reproduced; give its cause and evidence"
            assert len(statement.cause.evidence) > 20, f"{where}: the evidence is one of words or a link"


def test_no_cause_is_left_where_nothing_failed(published: papers.Reproduction) -> None:
    for verdict in published.verdicts:
        claim = verdict.claim
        failed = any(
            one.verdict != "reproduced" for one in published.verdicts if one.claim.rule_id == claim.rule_id
        )
        assert failed or not claim.cause, f"{claim.id} is reproduced: take out its cause"


def test_a_class_beside_the_sum_never_counts(published: papers.Reproduction) -> None:
    counted = {
        verdict.claim.claim_class for one in published.statements if one.counts for verdict in one.verdicts
    }
    assert counted <= {ClaimClass.PAPER}
    tally = scorecard.score(published, "").tally
    assert tally.statements == sum(one.counts for one in published.statements)
    assert tally.statements + sum(tally.beside.values()) == len(published.statements)


def test_no_verdict_waits_for_a_run(published: papers.Reproduction) -> None:
    waiting = [
        verdict.claim.id
        for verdict in published.verdicts
        if verdict.note.startswith(("judged before by another rule", "nothing was measured"))
    ]
    assert not waiting, "run the paper in full, and publish it"
