"""Publishes a full reproduction: its figures, and what the paper's README shows of the run.

    ackclock reproduce tcp-variants
    python papers/publish.py tcp-variants

Copies figures/*.svg to published/papers/KEY/figures, and replaces what stands in README.md between a mark and
its end, `<!-- end -->`:

    <!-- verdicts -->             a row per claim, and what was run
    <!-- notes -->                the paragraphs that the run wrote
    <!-- table NAME: A, B -->     columns of tables/NAME.parquet; numbers with one decimal

The project's README.md shows the sums of all papers between <!-- scorecard --> and the next end.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import polars as pl

from ackclock import papers
from ackclock.papers import VERDICTS, scorecard

ROOT = Path(__file__).parent.parent
SCORECARD = re.compile(r"(<!-- scorecard -->\n).*?(<!-- end -->)", re.DOTALL)
MARK = re.compile(r"(<!-- (verdicts|notes|table [^>]*?) -->\n).*?(<!-- end -->)", re.DOTALL)


def main() -> None:
    """Publishes the paper named on the command line."""
    key = sys.argv[1]
    paper = Path(__file__).parent / key
    results = Path(sys.argv[2] if len(sys.argv) > 2 else f"results/papers/{key}")
    document = json.loads((results / "claims.json").read_text(encoding="utf-8"))
    if document["quick"]:
        sys.exit(f"{results} is a quick check; publish a full run: ackclock reproduce {key}")
    readme = paper / "README.md"
    text = readme.read_text(encoding="utf-8")
    text = MARK.sub(lambda mark: mark[1] + _generated(mark[2], document, results) + mark[3], text)
    readme.write_text(text, encoding="utf-8")
    figures = ROOT / "published" / "papers" / key / "figures"
    figures.mkdir(parents=True, exist_ok=True)
    for figure in sorted((results / "figures").glob("*.svg")):
        (figures / figure.name).write_bytes(figure.read_bytes())
    front = ROOT / "README.md"
    page = SCORECARD.sub(
        lambda mark: mark[1] + published_scorecard() + mark[2], front.read_text(encoding="utf-8")
    )
    front.write_text(page, encoding="utf-8")


def published_scorecard() -> str:
    """The scorecard of the full runs that the papers' own READMEs show."""
    scores = []
    for entry in papers.list_papers():
        readme = (ROOT / "papers" / entry.key / "README.md").read_text(encoding="utf-8")
        summary = re.search(r"^\d+ claims: (.*?), by ackclock", readme, re.MULTILINE)
        if summary is None:
            continue  # not published yet
        named = {verdict: int(number) for number, verdict in re.findall(r"(\d+) ([a-z ]+)", summary[1])}
        counts = tuple(named.get(verdict, 0) for verdict in VERDICTS)
        link = f"papers/{entry.key}/README.md"
        scores.append(scorecard.Score(entry.key, entry.title, link, counts))
    return "\n" + scorecard.markdown(scores) + "\n"


def _generated(what: str, document: dict[str, Any], results: Path) -> str:
    if what == "verdicts":
        return _verdicts(document, results)
    if what == "notes":
        return "\n" + "".join(f"{note}\n\n" for note in document["notes"])
    name, _, columns = what.removeprefix("table ").partition(": ")
    return _table(pl.read_parquet(results / "tables" / f"{name}.parquet"), columns.split(", "))


def _verdicts(document: dict[str, Any], results: Path) -> str:
    making = json.loads((results / "provenance.json").read_text(encoding="utf-8"))["making"]
    lines = (results / "verdicts.md").read_text(encoding="utf-8").splitlines()
    table = "\n".join(line for line in lines if line.startswith("|"))
    commit = re.sub(r"(?<=[0-9a-f]{12})[0-9a-f]+", "", making["commit"] or "")
    digest = document["paper"]["claims_sha256"][:12]
    by = f"ackclock {document['version']}" + (f" ({commit})" if commit else "") + f", claims.toml {digest}"
    return f"\n{document['summary']}, by {by}.\n\n{table}\n\n"


def _table(table: pl.DataFrame, columns: list[str]) -> str:
    rows = [[_cell(value) for value in row] for row in table.select(columns).iter_rows()]
    heads = [column.removesuffix("_kbit_per_s").replace("_", " ") for column in columns]
    return f"\n{_markdown(heads, rows)}\n"


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.1f}" if isinstance(value, float) else "" if value is None else str(value)


def _markdown(heads: list[str], rows: list[list[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


if __name__ == "__main__":
    main()
