"""What stands in papers/ for people to read is a full run of the claims that stand there."""

import hashlib

import pytest

from ackclock import papers

PUBLISHED = papers.paper_folder().resolve().parent / "published" / "papers"
KEYS = [entry.key for entry in papers.list_papers()]


@pytest.fixture(params=KEYS)
def paper(request: pytest.FixtureRequest) -> papers.Paper:
    return papers.load_paper(request.param)


def test_the_readme_shows_a_run_of_these_claims(paper: papers.Paper) -> None:
    readme = (paper.folder / "README.md").read_text(encoding="utf-8")
    digest = hashlib.sha256((paper.folder / "claims.toml").read_bytes()).hexdigest()[:12]
    assert f"claims.toml {digest}" in readme, "run `ackclock reproduce` and papers/publish.py"
    for claim in paper.claims:
        assert f"| {claim.id} |" in readme


def test_committed_figures_say_where_they_come_from(paper: papers.Paper) -> None:
    figures = sorted((PUBLISHED / paper.key / "figures").glob("*.svg"))
    readme = (paper.folder / "README.md").read_text(encoding="utf-8")
    assert figures
    for figure in figures:
        text = figure.read_text(encoding="utf-8")
        assert "<dc:description>" in text
        assert "ackclock reproduce" in text
        assert f"figures/{figure.name}" in readme, "a figure nobody sees"
        assert figure.stat().st_size < 250_000


def test_each_claim_says_where_it_stands_and_why_it_may_be_off(paper: papers.Paper) -> None:
    assert all(claim.place and len(claim.why) > 10 for claim in paper.claims)
