"""Copies the built playground, if there is one, and the slides into the documentation, as static files.

They are in `playground/` and `slides/`. Their links to the repository's documentation lead to these pages.

```{slides}
```

is a link to the slides, where they are there.
"""

import re
import shutil
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

REPOSITORY = Path(__file__).resolve().parents[2]
BUILT = REPOSITORY / "python" / "ackclock" / "data" / "playground"
SLIDES = REPOSITORY / "course" / "slides.html"
REVEAL = REPOSITORY / "playground" / "node_modules" / "reveal.js" / "dist"
REVEAL_NEEDS = ("reset.css", "reveal.css", "reveal.js", "theme/white.css", "theme/fonts")
"""What the slides load of reveal.js, and the fonts of the theme."""

PAGE = re.compile(r"https://github\.com/ackclock/ackclock/blob/main/docs/(?:([\w-]+)\.md)?")


def is_built() -> bool:
    """Whether there is a playground to be copied."""
    return (BUILT / "index.html").is_file()


def copy(app: Sphinx, error: Exception | None) -> None:
    """After the pages; a documentation without the playground is whole too."""
    if error is not None or app.builder.format != "html":
        return
    if not is_built():
        logging.getLogger(__name__).info("the playground is not built, and left out (make playground)")
        return
    out = Path(app.outdir)
    shutil.copytree(BUILT, out / "playground", dirs_exist_ok=True)
    for page in (out / "playground").glob("*.html"):
        page.write_text(beside(page.read_text(encoding="utf-8")), encoding="utf-8")
    if REVEAL.is_dir():
        copy_slides(out / "slides")


def beside(text: str) -> str:
    """A page of the playground whose links to the documentation lead to the folder above it."""
    return PAGE.sub(lambda found: f"../{found[1]}.html" if found[1] else "../", text)


def copy_slides(folder: Path) -> None:
    """The slides, with the playground that is next to their folder."""
    folder.mkdir(exist_ok=True)
    text = SLIDES.read_text(encoding="utf-8")
    (folder / "index.html").write_text(text.replace('="playground/', '="../playground/'), encoding="utf-8")
    for name in REVEAL_NEEDS:
        source, made = REVEAL / name, folder / "reveal" / name
        made.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, made, dirs_exist_ok=True)
        else:
            shutil.copyfile(source, made)


class Slides(SphinxDirective):
    """The link to the slides next to these pages."""

    def run(self) -> list[nodes.Node]:
        """A paragraph, or nothing."""
        if not (is_built() and REVEAL.is_dir()):
            return []
        link = nodes.reference("", "The slides in your browser", refuri="slides/index.html")
        return [nodes.paragraph("", "", link, nodes.Text("; arrows move."))]


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_directive("slides", Slides)
    app.connect("build-finished", copy)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
