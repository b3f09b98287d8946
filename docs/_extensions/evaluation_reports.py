"""The evaluation report of each contender of the league, from its published row.

The page `league/avoidance-cubic` is written before Sphinx reads the documentation. On it,

```{evaluation-summary} avoidance-cubic
```

is the table of its criteria, each with the dial that the report of `ackclock evaluate` has, and

```{evaluation-settings} avoidance-cubic bufferbloat
```

the settings of a criterion, with the values of all measures.
"""

import html
import math
from collections.abc import Iterator, Mapping
from pathlib import Path

from docutils import nodes
from docutils.utils import new_document
from league import (
    BESIDE,
    PUBLISHED,
    Document,
    between,
    conforming,
    counts_of,
    criteria_of,
    document,
    kind_of,
    value,
    why_not,
)
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from ackclock.attacks.words import question
from ackclock.evaluation.criteria import CRITERIA
from ackclock.evaluation.criterion import Criterion
from ackclock.evaluation.suites import DEFAULT, SUITES
from ackclock.evaluation.worst_paths import TITLES
from ackclock.report.templates import environment
from verification.attacks import worst_paths
from verification.league.document import keys_in


def write_pages(app: Sphinx) -> None:
    """Writes the page of each contender if it has changed, and removes the pages of others."""
    folder = Path(app.srcdir) / "league"
    folder.mkdir(exist_ok=True)
    texts = {f"{key}.md": "\n".join(page(key)) + "\n" for key in keys_in(PUBLISHED)}
    for old in folder.glob("*.md"):
        if old.name not in texts:
            old.unlink()
    for name, text in texts.items():
        file = folder / name
        if not file.is_file() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")


def index_titles(app: Sphinx) -> None:
    """Lets a search find these pages by their titles alone: their tables name whatever is sought."""
    if app.builder.format != "html":
        return
    index = app.builder.index_page  # type: ignore[attr-defined]

    def indexed(pagename: str, doctree: nodes.document, title: str) -> None:
        index(pagename, new_document("") if pagename.startswith("league/") else doctree, title)

    app.builder.index_page = indexed  # type: ignore[attr-defined]


def write_style(app: Sphinx) -> None:
    """Writes the style of dials, which is that of the reports, to the static files."""
    if app.builder.format == "html":
        static = Path(app.outdir) / "_static"
        static.mkdir(parents=True, exist_ok=True)
        style = environment().get_template("dial.css.j2").render()
        (static / "dial.css").write_text(style, encoding="utf-8")


def page(key: str) -> Iterator[str]:
    """The page of a contender as Markdown.

    The headings of criteria are HTML: they would be in the navigation of each page.
    """
    found = document(key)
    how = "quick" if found["quick"] else "full"
    if found["commit"]:
        made_by = f"commit {found['commit'][:12]}"
    else:
        made_by = f"`crates` {found['sources']['crates'][:12]}"
    yield f"# Evaluation of `{found['algorithm']}`\n"
    counts = ", ".join(f"{number} {verdict}" for verdict, number in counts_of(found).items() if number)
    yield (
        f"{found['title']}, as `{found['algorithm']}`: {counts} of {len(found['criteria'])} criteria of "
        f"RFC 9743. The {how} run, {len(found['seeds'])} seeds, of Ackclock {found['version']}, {made_by}. "
        "{doc}`../evaluation` says how to read it; above 1 is worse than Reno and CUBIC in the same place. "
        f"The algorithm: {{doc}}`../algorithms/{found['kind'].replace(' ', '-')}/{found['name']}`. "
        "All algorithms: {doc}`../league`."
    )
    for row in conforming(found):
        others = "; ".join(f"`{other.case}` {other.verdict}" for other in row.others)
        yield (
            f"\nBy {{doc}}`../conformance` to {row.specification}, {row.held} cases hold"
            f"{f', and {others}' if others else ''}."
        )
    option = " --quick" if found["quick"] else ""
    attacked = worst_paths.published().get(key, ())
    option += " --attack" if attacked else ""
    yield f"\n```text\n$ ackclock evaluate {found['algorithm']}{option}\n```\n"
    yield (
        "Each dial goes from an eighth of the standards' cost to eight times; the line in its middle is no "
        "difference.\n"
    )
    yield f"```{{evaluation-summary}} {key}\n```"
    outcomes = criteria_of(found)
    yield from worst_section(attacked)
    yield "\n## The criteria"
    for criterion in (each for each in CRITERIA if each.key in outcomes):
        verdict = outcomes[criterion.key]["class"]
        yield (
            f'\n<h3 id="{criterion.key}">{criterion.section} {html.escape(criterion.title)}: '
            f'<span class="class {kind_of(verdict)}">{verdict}</span></h3>\n'
        )
        yield f"{criterion.question} {criterion.experiment}\n"
        yield f"```{{evaluation-settings}} {key} {criterion.key}\n```"


def worst_section(rows: tuple[worst_paths.Row, ...]) -> Iterator[str]:
    """The section of the worst paths; nothing without an attack."""
    if not rows:
        return
    yield "\n## The worst path found\n"
    yield "{doc}`../attacks` says how it is sought, and what a share is.\n"
    yield "| for | sought | what is left | path | holds on |"
    yield "|---|---|---|---|---|"
    for row in rows:
        sought = question(row.problem)
        where = f"{row.held} of 10 other seeds" if row.is_found else ""
        yield f"| {TITLES[row.aim]} | {sought} | {row.share:.2f} | {row.words or 'nothing found'} | {where} |"


class Summary(SphinxDirective):
    """A row for each criterion of a contender, as HTML: with a dial."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """The table."""
        found = document(self.arguments[0])
        outcomes = criteria_of(found)
        rows = "".join(summary_row(each, found, outcomes) for each in SUITES[DEFAULT].criteria)
        heads = ("criterion, and RFC 9743's word", "times the standards' cost", "outcome")
        return [nodes.raw("", table("evaluation summary", heads, rows), format="html")]


def summary_row(criterion: Criterion, found: Document, outcomes: Mapping[str, Document]) -> str:
    """The row of a criterion, or the reason why it was left out."""
    title = f"{criterion.section} {html.escape(criterion.title)}"
    force = f"<small>{criterion.force}</small>"
    if criterion.key not in outcomes:
        return row_of((title + force, "not evaluated", html.escape(why_not(found, criterion.key))))
    one = outcomes[criterion.key]
    name = f'<a href="#{criterion.key}">{title}</a>{force}'
    return row_of((name, "".join(judged(one)), html.escape(one["outcome"])))


class Settings(SphinxDirective):
    """A row for each setting of a contender by a criterion, and behind it the values of all measures.

    It is HTML as it stands: 25,000 rows that Sphinx reads as Markdown take half of a build.
    """

    required_arguments = 2

    def run(self) -> list[nodes.Node]:
        """The tables."""
        key, chosen = self.arguments
        (criterion,) = (each for each in CRITERIA if each.key == chosen)
        shown = {
            document(each)["algorithm"]: each
            for each in (key, *(other for other in BESIDE if other != key))
            if chosen in criteria_of(document(each))
        }
        cells = {
            name: {cell["name"]: cell for cell in criteria_of(document(each))[chosen]["cells"]}
            for name, each in shown.items()
        }
        own = cells[document(key)["algorithm"]]
        settings = "".join(row_of((html.escape(name), *judged(cell))) for name, cell in own.items())
        names = (f"<code>{html.escape(name)}</code>" for name in shown)
        values = "".join(values_of(criterion, cells, own))
        text = (
            f"{table('evaluation', ('setting', 'class', 'times'), settings)}"
            "<details><summary>All numbers</summary>"
            f"{table('', ('setting', 'measure', *names), values)}</details>"
        )
        return [nodes.raw("", text, format="html")]


def values_of(
    criterion: Criterion, cells: Mapping[str, Mapping[str, Document]], own: Mapping[str, Document]
) -> Iterator[str]:
    """The rows of a criterion: the values of every algorithm by the names of the settings."""
    for name in own:
        first = name
        for measure in criterion.measures:
            values = (value(measure, each[name]["values"][measure.key][0]) for each in cells.values())
            yield row_of(html.escape(word) for word in (first, measure.title, *values))
            first = ""


def judged(one: Document) -> tuple[str, str]:
    """The class of a criterion or a setting, and its dial with the number."""
    mean, low, high = one["times_worse"]
    verdict = one["class"]
    ends = (0.0, math.inf) if low is None or high is None else (low, high)
    dial = environment().get_template("dial.html.j2").module.dial(verdict, ends[0], mean, ends[1])  # type: ignore[attr-defined]
    times = f"<small>{between(one['times_worse'])}</small>"
    return f'<span class="class {kind_of(verdict)}">{verdict}</span>', f"{str(dial).strip()}{times}"


def table(kind: str, heads: tuple[str, ...], rows: str) -> str:
    """A table that is scrolled where it is wider than the page."""
    head = "".join(f"<th>{each}</th>" for each in heads)
    return (
        f'<div class="table-wrapper docutils container"><table class="docutils align-default {kind}">'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def row_of(cells: Iterator[str] | tuple[str, ...]) -> str:
    """A row of cells that are HTML."""
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_directive("evaluation-summary", Summary)
    app.add_directive("evaluation-settings", Settings)
    app.connect("builder-inited", write_pages)
    app.connect("builder-inited", write_style)
    app.connect("builder-inited", index_titles)
    app.add_css_file("dial.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
