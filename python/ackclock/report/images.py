"""Matplotlib figures as images, rendered by a process of their own while this one draws the page.

The process reads pickled figures from its standard input and writes pickled images to its standard output.
"""

from __future__ import annotations

import io
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Mapping

import matplotlib as mpl
from matplotlib.figure import Figure

from ackclock.report import style

__all__ = ["ImageProcess", "Images", "render"]

Metadata = Mapping[str, Mapping[str, str | None]]
"""The metadata of images, by format."""
Images = dict[tuple[str, str], bytes | str]
"""Images by figure and format; a text is the message of a figure that could not be rendered."""


def render(figure: Figure, kind: str, metadata: Mapping[str, str | None]) -> bytes:
    """The figure as the bytes of a file of this format: "svg", "png" or "pdf"."""
    buffer = io.BytesIO()
    with mpl.rc_context(style.MATPLOTLIB):
        figure.savefig(buffer, format=kind, metadata=dict(metadata))
    return buffer.getvalue()


def render_all(figures: Mapping[str, Figure], metadata: Metadata) -> Images:
    """Every figure in every format that has metadata."""
    images: Images = {}
    for name, figure in figures.items():
        for kind, about in metadata.items():
            try:
                images[name, kind] = render(figure, kind, about)
            except Exception as error:  # noqa: BLE001 - whatever a drawing library raises
                images[name, kind] = " ".join(str(error).split()) or type(error).__name__
    return images


class ImageProcess:
    """Renders figures in a process of its own, from its construction to `images()`.

    Without such a process (an interpreter inside another program) this one renders them in `images()`.
    """

    def __init__(self, figures: Mapping[str, Figure], metadata: Metadata) -> None:
        self._work = (dict(figures), {kind: dict(about) for kind, about in metadata.items()})
        self._process: subprocess.Popen[bytes] | None = None
        if figures and metadata and sys.executable:
            self._start()

    def _start(self) -> None:
        try:
            with tempfile.TemporaryFile() as task:
                pickle.dump(self._work, task)
                task.seek(0)
                # Not from the working directory, which may be a folder of somebody else's files.
                command = [sys.executable, "-P", "-m", __name__]
                self._process = subprocess.Popen(command, stdin=task, stdout=subprocess.PIPE)
        except (OSError, pickle.PicklingError, AttributeError, TypeError):
            # No process, or a figure that holds a function: pickle has an error for each kind.
            self._process = None

    def images(self) -> Images:
        """All images. Waits for the process."""
        if self._process is None:
            return render_all(*self._work)
        with self._process as process:
            try:
                answer, _ = process.communicate()
            except BaseException:
                process.kill()
                raise
        if process.returncode:
            return render_all(*self._work)
        images: Images = pickle.loads(answer)  # noqa: S301 - written by this program's own process
        return images


def main() -> None:
    """The process: figures in, images out."""
    figures, metadata = pickle.load(sys.stdin.buffer)  # noqa: S301 - written by this program itself
    sys.stdout.buffer.write(pickle.dumps(render_all(figures, metadata)))


if __name__ == "__main__":
    main()
