"""One more algorithm in the experiments of the papers."""

import re
from pathlib import Path

import pytest

from ackclock import papers
from ackclock.papers import loader
from ackclock.papers.competitors import competitors

PAGE = Path(__file__).resolve().parents[2] / "docs" / "your-idea-in-a-paper.md"


@pytest.fixture
def half(tmp_path: Path) -> str:
    """The class of the page, in a file."""
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "half.py").write_text(code)
    return f"{tmp_path}/half.py:Half"


@pytest.mark.parametrize("paper", ["burst-tcp", "he-tcp", "mesonet", "sub-packet"])
def test_the_papers_name_the_parts_that_take_competitors(paper: str) -> None:
    module = loader.load_measure(papers.load_paper(paper).folder)
    assert set(module.COMPARES) <= set(module.PARTS)


def test_the_idea_of_the_page_goes_through_the_thesis(half: str) -> None:
    paper = papers.load_paper("burst-tcp")
    context = papers.Context(paper, quick=True, competitors=competitors([half]))
    chapter5 = loader.load_measure(paper.folder).PARTS["chapter5"]
    study = chapter5.Study(context, 2, 1, (250,), (1500,))
    found = chapter5.Runs.of(study)
    thesis = chapter5.STACKS[0].name
    base = found.base[thesis]
    longer = 100 * (base.time("half", 250) / base.time("newreno", 250) - 1)
    lost = base.loss("mice", "half", 250) / base.loss("mice", "newreno", 250)
    page = PAGE.read_text(encoding="utf-8")
    assert (round(longer), round(1 / lost)) == (9, 4), "what the page says"
    assert "mice take 9 % longer than with NewReno, and lose a quarter as much" in page
    figures = chapter5.drawing.figures(found)
    assert {name for name in figures if name.startswith("figure-")} >= {
        "figure-15a",
        "figure-33",
        "figure-34",
    }
    for contests in (found.base, found.reverse, found.delayed, found.udp["during"], found.crossed):
        assert all("half" in contests[stack.name].variants() for stack in chapter5.STACKS)
    assert set(found.deployment[thesis].variants) == {"btcp4", "btcp8", "half"}
