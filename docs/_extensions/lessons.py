"""The lessons of the playground, in words that a search finds.

```{lesson} bufferbloat
```

is the text of a lesson and its question, with a link to where it is answered.
"""

import json
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from docutils import nodes
from playground_files import is_built
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

SOURCES = Path(__file__).resolve().parents[2] / "playground" / "src" / "lessons"

STRING = r'"(?:[^"\\]|\\.)*"'


class Lesson(NamedTuple):
    """What a lesson says before it is answered."""

    number: int
    title: str
    text: tuple[str, ...]
    question: str


@cache
def lessons() -> dict[str, Lesson]:
    """The lessons by their keys, in the order of the playground."""
    listed = (SOURCES / "all.js").read_text(encoding="utf-8")
    file_of = dict(re.findall(r'import \{ (\w+) \} from "\./([\w-]+\.js)"', listed))
    (names,) = re.findall(r"LESSONS = \[(.*?)\]", listed)
    found = {}
    for number, name in enumerate(names.split(", "), start=1):
        source = (SOURCES / file_of[name]).read_text(encoding="utf-8")
        (key,) = re.findall(r'^  key: "(.*)",$', source, re.MULTILINE)
        (title,), (question,) = (
            re.findall(rf"^  {field}: ({STRING}),$", source, re.MULTILINE) for field in ("title", "question")
        )
        (text,) = re.findall(r"^  text: \[\n(.*?)^  \],$", source, re.MULTILINE | re.DOTALL)
        paragraphs = tuple(json.loads(each) for each in re.findall(rf"^    ({STRING}),$", text, re.MULTILINE))
        found[key] = Lesson(number, json.loads(title), paragraphs, json.loads(question))
    return found


class Shown(SphinxDirective):
    """One lesson."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Its paragraphs, and the link; without a playground next to these pages, the command."""
        key = self.arguments[0]
        lesson = lessons()[key]
        place = f"lessons.html#{key}"
        if is_built():
            way: nodes.Node = nodes.reference(
                "", f"Answer it in the browser: {lesson.title}", refuri=f"playground/{place}"
            )
        else:
            way = nodes.Text(f"It is answered at {place} of the command ackclock playground.")
        asked = nodes.paragraph(
            "", "", nodes.strong("", f"Lesson {lesson.number}: "), nodes.Text(lesson.question)
        )
        return [*(nodes.paragraph("", each) for each in lesson.text), asked, nodes.paragraph("", "", way)]


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_directive("lesson", Shown)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
