"""Directives of the league: what `python -m verification.league --publish` wrote, and nothing else.

```{league-table}
```

is the table of all contenders by all criteria, and the same as cards,

```{league-claims}
```

the statements that sources make for their algorithms, with verdicts, and

```{league-skipped}
```

the entries of the catalogue without a row, with the reasons. The role
{league}`avoidance-cubic/bufferbloat` is a number of the table, for sentences;
{league}`avoidance-cubic/bufferbloat/4 flows, buffer 10 BDP/delay_95_s` is a value with its unit, and
{league}`settings` the number of settings.
"""

import html
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective, SphinxRole

from ackclock.evaluation.criteria import CRITERIA
from ackclock.evaluation.criterion import Measure
from ackclock.evaluation.sentences import shown
from ackclock.evaluation.suites import DEFAULT, SUITES
from ackclock.evaluation.verdict import CLASSES
from ackclock.evaluation.worst_paths import TITLES
from verification.attacks import worst_paths
from verification.league import conformance
from verification.league.claims import judged, read_claims
from verification.league.contenders import SKIPPED
from verification.league.document import CAME_LATER, keys_in, read

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


def counts_of(found: Document) -> dict[str, int]:
    """How many criteria are of each class."""
    verdicts = [each["class"] for each in found["criteria"]]
    return {verdict: verdicts.count(verdict) for verdict in CLASSES}


def kind_of(verdict: str) -> str:
    """The class of CSS for a class of a criterion."""
    return verdict.replace(" ", "-")


class LeagueTable(SphinxDirective):
    """A row for each contender, a column for each criterion; a click on a heading sorts.

    The same as cards is what a phone shows at first.
    """

    def run(self) -> list[nodes.Node]:
        """The table, as HTML."""
        heads = "".join(
            f'<th title="{html.escape(f"RFC 9743, {each.section}: {each.title}")}">'
            f"<span>{each.section} {each.key}</span></th>"
            for each in SUITES[DEFAULT].criteria
        )
        rows = "".join(self._row(key, found) for key, found in documents().items())
        cards = "".join(card(key, found) for key, found in documents().items())
        first = "".join(
            f"<th><span>{each}</span></th>" for each in ("algorithm", "kind", "conforms to", "worst path")
        )
        text = (
            '<input type="checkbox" id="league-view"><label for="league-view">'
            "<span>Cards instead of the table</span><span>The table instead of cards</span></label>"
            '<div class="league"><table class="sortable"><thead><tr>'
            f"{first}{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
            f'<ul class="league-cards">{cards}</ul>'
        )
        return [nodes.raw("", text, format="html")]

    def _row(self, key: str, found: Document) -> str:
        outcomes = criteria_of(found)
        cells = "".join(
            self._cell(outcomes[each.key]) if each.key in outcomes else missing(why_not(found, each.key))
            for each in SUITES[DEFAULT].criteria
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
        return f'<td class="{kind_of(outcome["class"])}" title="{words}">{mean:.2f}</td>'


def card(key: str, found: Document) -> str:
    """A contender as a card: how many criteria are of each class, a square for each, and its report."""
    counts = ", ".join(
        f'<span class="class {kind_of(verdict)}">{number} {verdict}</span>'
        for verdict, number in counts_of(found).items()
        if number
    )
    squares = "".join(
        f'<i class="{kind_of(each["class"])}" '
        f'title="{each["key"]}: {each["times_worse"][0]:.2f}, {each["class"]}"></i>'
        for each in found["criteria"]
    )
    conforms = "".join(
        f'<p>conforms to <a href="conformance.html">{row.specification}</a>: '
        f'<span class="{"fails" if row.fails else "holds"}">{row.held} cases</span></p>'
        for row in conforming(found)
    )
    return (
        f'<li><h3><a href="league/{key}.html"><code>{html.escape(found["algorithm"])}</code></a></h3>'
        f"<p>{found['kind']}: {html.escape(found['title'])}</p><p>{counts}</p>"
        f'<div class="squares" aria-hidden="true">{squares}</div>{conforms}</li>'
    )


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


def why_not(found: Document, criterion: str) -> str:
    """Why a contender was not evaluated by a criterion."""
    return str(found["left_out"].get(criterion, CAME_LATER))


def missing(reason: str) -> str:
    """The cell of a criterion that was left out."""
    return f'<td title="{html.escape(reason)}">–</td>'


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
        return parsed(self, lines)


class LeagueSkipped(SphinxDirective):
    """A row for each entry of the catalogue that has none in the league, with the reason."""

    def run(self) -> list[nodes.Node]:
        """The table."""
        rows = (f"| `{name}` | {kind} | {reason} |" for (kind, name), reason in SKIPPED.items())
        return parsed(self, ["| without a row | kind | because it is |", "|---|---|---|", *rows])


def parsed(directive: SphinxDirective, lines: list[str]) -> list[nodes.Node]:
    """The nodes of lines of Markdown, in the place of a directive."""
    holder = nodes.container()
    directive.state.nested_parse(StringList(lines, source=""), 0, holder)
    return holder.children


class LeagueNumber(SphinxRole):
    """A number of the table: `KEY/CRITERION`; a value: `KEY/CRITERION/SETTING/MEASURE`; or `settings`."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """The text. A place that does not exist is an error of the page."""
        try:
            return [nodes.Text(number_at(self.text))], []
        except (LookupError, ValueError) as error:
            message = self.inliner.reporter.error(f"league: {self.text}: {error}", line=self.lineno)
            return [nodes.problematic(self.rawtext, self.rawtext)], [message]


def number_at(place: str) -> str:
    """The number or value at a place of the published documents. Raises LookupError or ValueError."""
    if place == "settings":
        return str(
            max(sum(len(each["cells"]) for each in found["criteria"]) for found in documents().values())
        )
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
    app.add_directive("league-claims", LeagueClaims)
    app.add_directive("league-skipped", LeagueSkipped)
    app.add_role("league", LeagueNumber())
    app.add_js_file("sortable.js")
    app.add_css_file("league.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
