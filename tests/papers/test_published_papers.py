"""published/ shows a full run of the claims that stand in papers/, and each paper's README leads to it."""

import csv
import importlib
import json
import re
import tomllib
from collections.abc import Iterator
from xml.etree import ElementTree as ET

import pytest

from ackclock import papers
from ackclock.report.figure_svg import figure_svg
from papers.publish import figure_page

PUBLISHED = papers.paper_folder().resolve().parent / "published" / "papers"
LONGEST_README = 150
"""Lines."""

KEYS = [entry.key for entry in papers.list_papers()]


@pytest.fixture(params=KEYS)
def paper(request: pytest.FixtureRequest) -> papers.Paper:
    return papers.load_paper(request.param)


def test_published_verdicts_are_those_of_the_claims_as_they_stand(paper: papers.Paper) -> None:
    folder = PUBLISHED / paper.key
    reproduction = papers.judged_again(paper, folder, trust=True)
    assert not reproduction.quick
    provenance = json.loads((folder / "provenance.json").read_text(encoding="utf-8"))
    again = (
        f"run `python -m papers.publish {paper.key} --again`, after a changed measurement the paper itself"
    )
    assert provenance["claims_sha256"] == paper.claims_sha256, again
    for kind, count in reproduction.tally.document().items():
        assert provenance[kind] == count, again


def test_published_measurements_are_those_of_the_claims(paper: papers.Paper) -> None:
    document = json.loads((PUBLISHED / paper.key / "claims.json").read_text(encoding="utf-8"))
    assert {claim["id"] for claim in document["claims"]} == {claim.id for claim in paper.claims}


def test_no_number_is_stored_once_for_each_sample(paper: papers.Paper) -> None:
    def lists(value: object) -> Iterator[list[object]]:
        if isinstance(value, dict):
            for each in value.values():
                yield from lists(each)
        elif isinstance(value, list):
            yield value
            for each in value:
                yield from lists(each)

    document = json.loads((PUBLISHED / paper.key / "claims.json").read_text(encoding="utf-8"))
    for claim in document["claims"]:
        for found in lists(claim["measurement"]):
            is_constant = len(found) > 1 and isinstance(found[0], float) and len(set(map(str, found))) == 1
            assert not is_constant, claim["id"]


def test_published_figures_say_where_they_come_from(paper: papers.Paper) -> None:
    folder = PUBLISHED / paper.key
    figures = sorted((folder / "figures").iterdir())
    page = (folder / "figures.md").read_text(encoding="utf-8")
    assert figures
    assert page == figure_page(paper, folder), f"run `python -m papers.publish {paper.key} --again`"
    for figure in figures:
        data = json.loads(figure.read_text(encoding="utf-8"))
        assert "command: " in data["description"]
        assert "ackclock reproduce" in data["description"]
        assert ET.fromstring(figure_svg(data)).tag.endswith("svg")  # noqa: S314 - our own
        assert figure.stat().st_size < 50_000


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
    assert "\n## When rules were fixed\n" in readme, "list what was fixed when numbers were known"
    assert f"../../published/papers/{paper.key}/figures.md" in readme
    assert f"`ackclock reproduce {paper.key} --from published/papers/{paper.key} --trust`" in readme
    for target in re.findall(r"\]\(([^)#:]+)", readme):
        assert (paper.folder / target).exists(), f"{paper.key}: no file {target}"


def test_each_claim_says_where_it_stands_and_why_it_may_be_off(paper: papers.Paper) -> None:
    assert all(claim.place and len(claim.why) > 10 for claim in paper.claims)


@pytest.mark.parametrize(("proposal", "problem", "seed"), [("cbi", "delayed", 9), ("p-http", "probing", 1)])
def test_cells_of_table_1_are_what_the_present_code_gives(proposal: str, problem: str, seed: int) -> None:
    """A default of TCP that changes must not change the senders of a paper."""
    package = papers.load_measure(papers.load_paper("burst-tcp").folder).__name__
    table = importlib.import_module(f"{package}.chapter3.s3_3_4_table_1")
    row = next(row for row in table.PROPOSALS if row.key == proposal)
    found, standard = (table.QUANTITIES[problem](one, row.sources, seed) for one in (row, table.STANDARD))
    document = json.loads((PUBLISHED / "burst-tcp" / "claims.json").read_text(encoding="utf-8"))
    published = {claim["id"]: claim["measurement"] for claim in document["claims"]}
    values = published[f"table-1-{proposal}-{problem}"]["values"]
    assert found / standard == pytest.approx(values[seed - 1], rel=1e-6)
