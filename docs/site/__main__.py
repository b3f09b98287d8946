"""Makes the site of built documentation: one folder with relative links, for any server of static files.

`python docs/site HTML SITE` copies the documentation, with the playground if it was built, to `SITE/docs`,
and puts a front page above it.
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
    # Servers that make pages of Markdown leave these files alone.
    (site / ".nojekyll").touch()
    missing = [link for link in re.findall(r'(?:href|src)="([^"]+)"', text) if not _exists(site, link)]
    for link in missing:
        print(f"docs/site/index.html: {link}: there is no such page in the site", file=sys.stderr)
    return 1 if missing else 0


def _exists(site: Path, link: str) -> bool:
    """True if the page of a link is in the site."""
    return (site / link.partition("#")[0]).is_file()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
