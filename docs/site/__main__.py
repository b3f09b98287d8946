"""Makes the site of built documentation: one folder with relative links, for any server of static files.

`python docs/site HTML SITE` copies the documentation, with the playground if it was built, to `SITE/docs`,
puts a front page above it, and leads from every page to it.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).parent
ICON = HERE.parents[1] / "playground" / "icon.svg"

DOORS = {
    "PLAY": ("docs/playground/index.html", "docs/playground.html"),
    "LESSON": ("docs/playground/lessons.html#bufferbloat", "docs/notebooks/bufferbloat.html"),
}
"""The address of a link in the playground, and of the page that stands in if it was not built."""


BRAND = '<a class="sidebar-brand"'
PLAYGROUND = '<a class="brand" href="index.html" aria-label="Ackclock playground">'
"""What the theme and the playground have at the top of their pages."""


def main(arguments: Sequence[str]) -> int:
    """Returns 0, or 1 if the front page has a link that leads nowhere."""
    html, site = map(Path, arguments)
    if site.exists():
        shutil.rmtree(site)
    shutil.copytree(html, site / "docs", ignore=shutil.ignore_patterns(".buildinfo", "_sources"))
    shutil.copyfile(ICON, site / "icon.svg")
    text = (HERE / "index.html").read_text(encoding="utf-8")
    for word, doors in DOORS.items():
        text = text.replace(f'"{word}"', f'"{next(door for door in doors if _exists(site, door))}"')
    (site / "index.html").write_text(text, encoding="utf-8")
    lead_back(site)
    # Servers that make pages of Markdown leave these files alone.
    (site / ".nojekyll").touch()
    links = re.findall(r'(?:href|src|action)="([^"]+)"', text)
    missing = [link for link in links if not link.startswith("https:") and not _exists(site, link)]
    for link in missing:
        print(f"docs/site/index.html: {link}: there is no such page in the site", file=sys.stderr)
    return 1 if missing else 0


def lead_back(site: Path) -> None:
    """Puts a link to the front page above the navigation of each page, and behind the playground's name."""
    for page in (site / "docs").rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        front = f"{'../' * len(page.relative_to(site).parents[:-1])}index.html"
        led = text.replace(BRAND, f'<a class="front-page" href="{front}">Front page</a>{BRAND}', 1)
        led = led.replace(
            PLAYGROUND, f'<a class="brand" href="{front}" aria-label="Ackclock, front page">', 1
        )
        if led != text:
            page.write_text(led, encoding="utf-8")


def _exists(site: Path, link: str) -> bool:
    """True if the page of a link is in the site."""
    return (site / link.partition("#")[0]).is_file()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
