"""Copies the built playground, if there is one, into the documentation as static files in `playground/`."""

import shutil
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util import logging

BUILT = Path(__file__).resolve().parents[2] / "python" / "ackclock" / "data" / "playground"


def copy(app: Sphinx, error: Exception | None) -> None:
    """After the pages; a documentation without the playground is whole too."""
    if error is not None or app.builder.format != "html":
        return
    if not (BUILT / "index.html").is_file():
        logging.getLogger(__name__).info("the playground is not built, and left out (make playground)")
        return
    shutil.copytree(BUILT, Path(app.outdir) / "playground", dirs_exist_ok=True)


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("build-finished", copy)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
