"""Every algorithm has its page, with its parameters from the catalogue."""

import re
from pathlib import Path

import pytest

import ackclock
from ackclock.scenarios.catalogue import Entry
from verification.figures.algorithms import file_name

PAGES = Path(__file__).resolve().parents[2] / "docs" / "algorithms"
HEADINGS = [
    "Purpose",
    "Behaviour",
    "Algorithm",
    "Parameters",
    "Source",
    "Deviations from the specification",
    "Version history",
]
OF_MEDIA = [*(heading for heading in HEADINGS[:-1] if heading != "Behaviour"), "Behaviour", HEADINGS[-1]]
"""The behaviour of a call is tables of claims and cases, and no figure: it comes after the rule."""
ALGORITHMS = [
    *(algorithm for algorithm in ackclock.list_algorithms() if algorithm.kind != "preset"),
    *ackclock.list_entries("media"),
]


def label(algorithm: Entry) -> str:
    return f"{algorithm.kind.replace(' ', '-')}/{algorithm.name}"


@pytest.fixture(params=ALGORITHMS, ids=label)
def algorithm(request: pytest.FixtureRequest) -> Entry:
    found: Entry = request.param
    return found


@pytest.fixture
def page(algorithm: Entry) -> str:
    path = PAGES / f"{label(algorithm)}.md"
    assert path.is_file(), f"no page docs/algorithms/{label(algorithm)}.md"
    return path.read_text(encoding="utf-8")


def section(page: str, heading: str) -> str:
    return page.split(f"## {heading}\n")[1].split("\n## ", maxsplit=1)[0]


def test_the_page_has_the_headings_that_all_have(algorithm: Entry, page: str) -> None:
    assert page.startswith(f"# `{algorithm.name}`")
    assert re.findall(r"^## (.+)$", page, re.MULTILINE) == (
        OF_MEDIA if algorithm.kind == "media" else HEADINGS
    )
    for heading in HEADINGS:
        assert section(page, heading).strip(), f"nothing under {heading}"


def test_the_page_shows_the_parameters_of_the_catalogue(algorithm: Entry, page: str) -> None:
    directive = f"```{{parameters}} {label(algorithm)}\n```"
    assert directive in section(page, "Parameters"), f'under "Parameters" stands {directive!r}'


def test_the_page_shows_the_behaviour(algorithm: Entry, page: str) -> None:
    if algorithm.kind == "media":
        assert "`ackclock run " in section(page, "Behaviour"), "a call is shown by a scenario"
        return
    directive = f"```{{drawn}} algorithms/{file_name(algorithm.kind, algorithm.name)}\n:alt: "
    assert directive in section(page, "Behaviour"), f'under "Behaviour" stands {directive!r}'


def test_there_is_no_page_of_something_else() -> None:
    pages = {str(path.relative_to(PAGES).with_suffix("")) for path in PAGES.glob("*/*.md")}
    assert pages == set(map(label, ALGORITHMS))
