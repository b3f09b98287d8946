"""published/ shows a full run of the claims that stand in papers/, and each paper's README leads to it."""

import csv
import hashlib
import json
import re
import tomllib

import pytest

from ackclock import papers

PUBLISHED = papers.paper_folder().resolve().parent / "published" / "papers"
LONGEST_README = 150
"""Lines."""

KEYS = [entry.key for entry in papers.list_papers()]


@pytest.fixture(params=KEYS)
def paper(request: pytest.FixtureRequest) -> papers.Paper:
    return papers.load_paper(request.param)


def test_the_verdicts_are_of_a_run_of_these_claims(paper: papers.Paper) -> None:
    provenance = json.loads((PUBLISHED / paper.key / "provenance.json").read_text(encoding="utf-8"))
    digest = hashlib.sha256((paper.folder / "claims.toml").read_bytes()).hexdigest()
    assert provenance["claims_sha256"] == digest, "run `ackclock reproduce` and `python -m papers.publish`"
    verdicts = (PUBLISHED / paper.key / "verdicts.md").read_text(encoding="utf-8")
    assert f"claims.toml {digest[:12]}" in verdicts
    for claim in paper.claims:
        assert f"| {claim.id} |" in verdicts
    for kind, count in provenance["verdicts"].items():
        assert verdicts.count(f"| **{kind}** |\n") == count


def test_published_figures_say_where_they_come_from(paper: papers.Paper) -> None:
    figures = sorted((PUBLISHED / paper.key / "figures").glob("*.svg"))
    page = (PUBLISHED / paper.key / "figures.md").read_text(encoding="utf-8")
    assert figures
    for figure in figures:
        text = figure.read_text(encoding="utf-8")
        assert "<dc:description>" in text
        assert "ackclock reproduce" in text
        assert f"(figures/{figure.name})\n\n" in page, "a figure nobody sees"
        assert figure.stat().st_size < 250_000


def test_the_tables_that_a_paper_names_are_published(paper: papers.Paper) -> None:
    file = paper.folder / "tables.toml"
    named = tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    tables = {table.stem: table for table in (PUBLISHED / paper.key / "tables").glob("*.csv")}
    assert set(tables) == set(named)
    for name, columns in named.items():
        heads = tables[name].read_text(encoding="utf-8").splitlines()[0]
        assert len(next(csv.reader([heads]))) == len(columns)


def test_the_readme_is_written_by_hand_and_leads_to_what_is_published(paper: papers.Paper) -> None:
    readme = (paper.folder / "README.md").read_text(encoding="utf-8")
    assert "<!--" not in readme, "what is generated belongs in published/"
    assert len(readme.splitlines()) <= LONGEST_README
    for page in ("verdicts.md", "figures.md"):
        assert f"../../published/papers/{paper.key}/{page}" in readme
    for target in re.findall(r"\]\(([^)#:]+)", readme):
        assert (paper.folder / target).exists(), f"{paper.key}: no file {target}"


def test_each_claim_says_where_it_stands_and_why_it_may_be_off(paper: papers.Paper) -> None:
    assert all(claim.place and len(claim.why) > 10 for claim in paper.claims)
