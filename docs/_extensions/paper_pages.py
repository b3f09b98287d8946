"""Makes a page of each paper: its verdicts, judged by the claims as they stand, and its figures."""

import json
import posixpath
import re
from pathlib import Path

from sphinx.application import Sphinx

from ackclock import papers
from ackclock.papers.verdict_tables import verdict_tables
from verification.figures import PUBLISHED

TABLE = re.compile(r"(?:^\|.*\n)+", re.MULTILINE)


def write_pages(app: Sphinx) -> None:
    """Writes the page of each paper where it has changed."""
    folder = Path(app.srcdir) / "papers"
    folder.mkdir(exist_ok=True)
    for published in sorted((PUBLISHED / "papers").iterdir()):
        page = folder / f"{published.name}.md"
        text = page_of(papers.load_paper(published.name), published)
        if not page.is_file() or page.read_text(encoding="utf-8") != text:
            page.write_text(text, encoding="utf-8")


def page_of(paper: papers.Paper, published: Path) -> str:
    """The page of a paper, from what is published of it."""
    reproduction = papers.judged_again(paper, published, trust=True)
    made = reproduction.measured_by
    commit = f" ({made['commit'][:12]})" if made["commit"] else ""
    base = f"../../papers/{paper.folder.name}/"
    tables = verdict_tables(reproduction.statements)
    parts = [
        f"# {paper.title}",
        (
            f"{reproduction.count()}. {{doc}}`../papers` says what that means, and what was found. "
            f"Measured by Ackclock {made['version']}{commit}; repeated by `ackclock reproduce {paper.key}`."
        ),
        re.sub(
            r"(?:^\|.*\n)+", r":::{container} verdicts\n\g<0>:::\n", linked(tables, base), flags=re.MULTILINE
        ),
        "## Figures",
    ]
    for figure in sorted((published / "figures").glob("*.json"), key=natural):
        about = json.loads(figure.read_text(encoding="utf-8"))["description"]
        key = f"papers/{published.name}/figures/{figure.stem}"
        caption = about.partition(" ackclock ")[0]
        parts.append(f"### {figure.stem}\n\n```{{drawn}} {key}\n:alt: {figure.stem}\n\n{caption}\n```")
    if reproduction.notes:
        parts += ["## What the run noted", *reproduction.notes]
    if (paper.folder / "errata.md").is_file():
        parts += ["## Errata", errata(paper, base)]
    listed = sorted((published / "tables").glob("*.csv"))
    here = f"../../published/papers/{published.name}/tables"
    links = "\n".join(f"- [{table.stem}]({here}/{table.name})" for table in listed)
    return "\n\n".join([*parts, *(["## Tables", links] if listed else [])]) + "\n"


def linked(text: str, base: str) -> str:
    """Markdown whose links are relative to the paper's folder, with links relative to the page."""

    def moved(found: re.Match[str]) -> str:
        place = posixpath.normpath(base + found[1])
        if place.endswith("/errata.md"):
            return f"]({place.split('/')[-2].replace('_', '-')}.md#errata)"
        if place.endswith(".md") and "/papers/" in place:
            return f"](path:{place})"  # a file, of which the site has no page
        return f"]({place.replace('../../docs/', '../')}{found[2]})"

    return re.sub(r"\]\((?!https?:|#)([^)#]+)([^)]*)\)", moved, text)


def errata(paper: papers.Paper, base: str) -> str:
    """The misprints of a paper, whose own headings are below that of the section."""
    text = (paper.folder / "errata.md").read_text(encoding="utf-8").partition("\n")[2].strip()
    return linked(re.sub(r"^#+ ", r"#\g<0>", text, flags=re.MULTILINE), base)


def natural(path: Path) -> list[tuple[int, str]]:
    """A key that sorts figure 10 after figure 9."""
    return [(int(part or 0), text) for text, part in re.findall(r"(\D*)(\d*)", path.stem)]


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
