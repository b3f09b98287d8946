"""Pages and directives of the league: what `python -m verification.league --publish` wrote, and nothing else.

The page of each contender, `league/avoidance-cubic`, is written before Sphinx reads the documentation.

```{league-table}
```

is the table of all contenders by all criteria, and

```{league-claims}
```

the statements that sources make for their algorithms, with verdicts. The role
{league}`avoidance-cubic/bufferbloat` is a number of the table, for sentences;
{league}`avoidance-cubic/bufferbloat/4 flows, buffer 10 BDP/delay_95_s` is a value with its unit.
"""

import html
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective, SphinxRole

from ackclock.attacks.words import question
from ackclock.evaluation.criteria import CRITERIA
from ackclock.evaluation.criterion import Criterion, Measure
from ackclock.evaluation.sentences import shown
from ackclock.evaluation.worst_paths import TITLES
from verification.attacks import worst_paths
from verification.league import conformance
from verification.league.claims import judged, read_claims
from verification.league.document import keys_in, read

PUBLISHED = Path(__file__).resolve().parents[2] / "published" / "evaluation" / "league"

BESIDE = ("avoidance-reno", "avoidance-cubic", "controller-bbr3")
"""Contenders whose values are shown with those of each."""

KINDS = ("avoidance", "controller", "transport", "recovery", "slow start")
"""The order of the table."""

Document = Mapping[str, Any]


@cache
def document(key: str) -> Document:
    """What was published of a contender. Raises LookupError."""
    return read(PUBLISHED, key)


def documents() -> dict[str, Document]:
    """All of them by key, in the order of the table."""
    found = {key: document(key) for key in keys_in(PUBLISHED)}
    return dict(sorted(found.items(), key=lambda item: (KINDS.index(item[1]["kind"]), item[0])))


def criteria_of(found: Document) -> dict[str, Document]:
    """Its criteria by key."""
    return {each["key"]: each for each in found["criteria"]}


def between(interval: list[float | None]) -> str:
    """A mean with its interval."""
    mean, low, high = interval
    if mean is None:
        return "–"
    return f"{mean:.2f}" if low is None or high is None else f"{mean:.2f} [{low:.2f}, {high:.2f}]"


class LeagueTable(SphinxDirective):
    """A row for each contender, a column for each criterion; a click on a heading sorts."""

    def run(self) -> list[nodes.Node]:
        """The table, as HTML."""
        heads = "".join(
            f'<th title="{html.escape(f"RFC 9743, {each.section}: {each.title}")}">'
            f"<span>{each.section} {each.key}</span></th>"
            for each in CRITERIA
        )
        rows = "".join(self._row(key, found) for key, found in documents().items())
        text = (
            '<div class="league"><table class="sortable"><thead><tr><th><span>algorithm</span></th>'
            "<th><span>kind</span></th><th><span>conforms to</span></th><th><span>worst path</span></th>"
            f"{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
        )
        return [nodes.raw("", text, format="html")]

    def _row(self, key: str, found: Document) -> str:
        outcomes = criteria_of(found)
        cells = "".join(
            self._cell(outcomes[each.key]) if each.key in outcomes else missing(found["left_out"][each.key])
            for each in CRITERIA
        )
        link = f'<a href="league/{key}.html"><code>{html.escape(found["algorithm"])}</code></a>'
        return f"<tr><td>{link}</td><td>{found['kind']}</td>{self._conforms(found)}{worst(key)}{cells}</tr>"

    def _conforms(self, found: Document) -> str:
        """The cell of the specifications that name the algorithm, with the cases that hold of each."""
        rows = conforming(found)
        if not rows:
            return missing("no specification of conformance names it")
        parts = "<br>".join(
            f'<span class="{"fails" if row.fails else "holds"}">{row.specification} {row.held}</span>'
            for row in rows
        )
        others = "; ".join(f"{other.case} {other.verdict}" for row in rows for other in row.others)
        words = html.escape(others or "every case holds")
        return f'<td title="{words}"><a href="conformance.html">{parts}</a></td>'

    def _cell(self, outcome: Document) -> str:
        mean = outcome["times_worse"][0]
        words = html.escape(f"{outcome['class']}: {between(outcome['times_worse'])}. {outcome['outcome']}")
        return f'<td class="{outcome["class"].replace(" ", "-")}" title="{words}">{mean:.2f}</td>'


def conforming(found: Document) -> tuple[conformance.Conforming, ...]:
    """The specifications by which a contender was judged."""
    return conformance.of(found["kind"], found["name"], found["algorithm"], conformance.published())


def worst(key: str) -> str:
    """The cell of the worst paths found: what they leave to its own flows, and to others next to it."""
    rows = worst_paths.published().get(key, ())
    if not rows:
        return missing("no attack is published")
    parts = "<br>".join(
        f'<span class="{"fails" if row.is_found else "holds"}">{row.aim} {row.share:.2f}</span>'
        for row in rows
    )
    words = html.escape("; ".join(f"{TITLES[row.aim]}: {row.words or 'nothing found'}" for row in rows))
    return f'<td title="{words}"><a href="league/{key}.html#the-worst-path-found">{parts}</a></td>'


def missing(reason: str) -> str:
    """The cell of a criterion that was left out."""
    return f'<td title="{html.escape(reason)}">–</td>'


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


def page(key: str) -> Iterator[str]:
    """The page of a contender as Markdown."""
    found = document(key)
    how = "quick" if found["quick"] else "full"
    if found["commit"]:
        made_by = f"commit {found['commit'][:12]}"
    else:
        made_by = f"`crates` {found['sources']['crates'][:12]}"
    yield f"# `{found['algorithm']}` by RFC 9743\n"
    yield (
        f"{found['title']}, as `{found['algorithm']}`, by the criteria of RFC 9743: the {how} run, "
        f"{len(found['seeds'])} seeds, of Ackclock {found['version']}, {made_by}. {{doc}}`../evaluation` "
        "says how to read it; above 1 is worse than Reno and CUBIC in the same place. The algorithm: "
        f"{{doc}}`../algorithms/{found['kind'].replace(' ', '-')}/{found['name']}`."
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
    yield "| section | criterion | RFC 9743 | class | times the standards' cost | outcome |"
    yield "|---|---|---|---|---|---|"
    outcomes = criteria_of(found)
    for criterion in CRITERIA:
        if criterion.key not in outcomes:
            why = found["left_out"][criterion.key]
            yield f"| {criterion.section} | {criterion.title} | {criterion.force} | not evaluated | | {why} |"
            continue
        one = outcomes[criterion.key]
        yield (
            f"| {criterion.section} | {criterion.title} | {criterion.force} | {one['class']} "
            f"| {between(one['times_worse'])} | {one['outcome']} |"
        )
    yield from worst_section(attacked)
    for criterion in (each for each in CRITERIA if each.key in outcomes):
        yield f"\n**{criterion.section} {criterion.title}: {outcomes[criterion.key]['class']}**\n"
        yield f"{criterion.question} {criterion.experiment}\n"
        yield f"```{{league-cells}} {key} {criterion.key}\n```"


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
    yield "\n## The criteria"


class LeagueCells(SphinxDirective):
    """A row for each setting and measure of a contender by a criterion: the class, and the values of all.

    It is HTML as it stands: 25,000 rows that Sphinx reads as Markdown take half of a build.
    """

    required_arguments = 2

    def run(self) -> list[nodes.Node]:
        """The table."""
        key, chosen = self.arguments
        (criterion,) = (each for each in CRITERIA if each.key == chosen)
        shown = {
            document(each)["algorithm"]: each for each in (key, *(other for other in BESIDE if other != key))
        }
        cells = {
            name: {cell["name"]: cell for cell in criteria_of(document(each))[chosen]["cells"]}
            for name, each in shown.items()
        }
        heads = [
            "setting",
            "class",
            "times",
            "measure",
            *(f"<code>{html.escape(name)}</code>" for name in shown),
        ]
        rows = "".join(cells_of(criterion, cells, document(key)["algorithm"]))
        text = (
            '<div class="table-wrapper docutils container"><table class="docutils align-default"><thead>'
            f"<tr>{''.join(f'<th>{head}</th>' for head in heads)}</tr></thead>"
            f"<tbody>{rows}</tbody></table></div>"
        )
        return [nodes.raw("", text, format="html")]


def cells_of(criterion: Criterion, cells: Mapping[str, Mapping[str, Document]], label: str) -> Iterator[str]:
    """The rows of a criterion, from the cells of every algorithm by the names of their settings."""
    for name, cell in cells[label].items():
        first = (name, cell["class"], between(cell["times_worse"]))
        for measure in criterion.measures:
            values = (value(measure, each[name]["values"][measure.key][0]) for each in cells.values())
            words = (*first, measure.title, *values)
            yield f"<tr>{''.join(f'<td>{html.escape(word)}</td>' for word in words)}</tr>"
            first = ("", "", "")


def value(measure: Measure, mean: float | None) -> str:
    """A mean with its unit."""
    return "–" if mean is None else shown(measure, mean)


class LeagueClaims(SphinxDirective):
    """A row for each statement of a source about its algorithm."""

    def run(self) -> list[nodes.Node]:
        """The table."""
        found = documents()
        lines = [
            "| algorithm | statement | source | measured | rule | verdict |",
            "|---|---|---|---|---|---|",
        ]
        for claim in read_claims():
            verdict = judged(claim, found)
            criterion, rest = claim.value.split("/", 1)
            setting = rest.rpartition("/")[0]
            label = f"[`{found[claim.contender]['algorithm']}`](league/{claim.contender}.md)"
            finding = f"{verdict.finding} ({criterion}: {setting})"
            cells = (label, claim.statement, claim.source, finding, verdict.expectation, verdict.outcome)
            lines.append(f"| {' | '.join(cells)} |")
        holder = nodes.container()
        self.state.nested_parse(StringList(lines, source=""), 0, holder)
        return holder.children


class LeagueNumber(SphinxRole):
    """A number of the table: `KEY/CRITERION`, or a value: `KEY/CRITERION/SETTING/MEASURE`."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """The text. A place that does not exist is an error of the page."""
        try:
            return [nodes.Text(number_at(self.text))], []
        except (LookupError, ValueError) as error:
            message = self.inliner.reporter.error(f"league: {self.text}: {error}", line=self.lineno)
            return [nodes.problematic(self.rawtext, self.rawtext)], [message]


def number_at(place: str) -> str:
    """The number or value at a place of the published documents. Raises LookupError or ValueError."""
    key, criterion, *rest = place.split("/", 2)
    one = criteria_of(document(key))[criterion]
    if not rest:
        return f"{one['times_worse'][0]:.2f}"
    setting, _, measure = rest[0].rpartition("/")
    (cell,) = [each for each in one["cells"] if each["name"] == setting]
    (known,) = [c for c in CRITERIA if c.key == criterion]
    (shape,) = [each for each in known.measures if each.key == measure]
    return value(shape, cell["values"][measure][0])


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_directive("league-table", LeagueTable)
    app.add_directive("league-cells", LeagueCells)
    app.add_directive("league-claims", LeagueClaims)
    app.connect("builder-inited", write_pages)
    app.add_role("league", LeagueNumber())
    app.add_js_file("sortable.js")
    app.add_css_file("league.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
