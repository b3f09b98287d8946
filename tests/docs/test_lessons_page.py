"""The page of lessons has every lesson of the playground, in its order, and words that people ask in."""

import re
import sys
from importlib import import_module
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "docs" / "_extensions"))

# Extensions are no part of a package.
lessons = import_module("lessons").lessons
beside = import_module("playground_files").beside

PAGE = (REPOSITORY / "docs" / "lessons.md").read_text(encoding="utf-8")


def test_every_lesson_is_there_in_the_order_of_the_playground() -> None:
    assert re.findall(r"```\{lesson\} (\S+)", PAGE) == list(lessons())
    assert len(re.findall(r"^## .*\?$", PAGE, re.MULTILINE)) == len(lessons()), "each heading is a question"


def test_the_words_of_a_lesson_are_those_of_the_playground() -> None:
    lesson = lessons()["bufferbloat"]
    assert (lesson.number, lesson.title) == (3, "Bufferbloat: too much of a good thing")
    assert lesson.text[0].startswith("A home router with 5 Mbit/s and a buffer of 500 packets.")
    assert lesson.question.startswith("Shrink the buffer until")
    assert all(each.text for each in lessons().values())


def test_a_page_of_the_playground_leads_to_the_documentation_around_it() -> None:
    page = (REPOSITORY / "playground" / "lessons.html").read_text(encoding="utf-8")
    led = beside(page)
    assert 'data-docs="../"' in led
    assert 'href="../index.html">Docs' in led
    assert 'href="../course.html"' in led
    assert "github.com" not in led
