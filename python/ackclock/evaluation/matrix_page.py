"""The page of a matrix of pairs: sections with a heat map, a sentence and the numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from matplotlib.figure import Figure

from ackclock import provenance
from ackclock.report.figures import image
from ackclock.report.forgiving import forgiving
from ackclock.report.tables import View
from ackclock.report.templates import html_page
from ackclock.results_folder import ResultsFolder

__all__ = ["MatrixSection", "drawn", "page"]


@dataclass(frozen=True)
class MatrixSection:
    """A part of the page about one quantity."""

    key: str
    """Its anchor."""
    title: str
    said: str
    """The outcome in a sentence."""
    svg: str
    """Its heat map, see `drawn`; empty if it could not be drawn."""
    views: Sequence[View]


def drawn(name: str, title: str, draw: Callable[[], Figure], folder: ResultsFolder) -> str:
    """Writes figures/NAME.svg; its SVG from behind the tag's name on, or nothing if it fails."""
    about = {
        "Title": f"{name}: {title}",
        "Description": f"ackclock {provenance.version()}: {provenance.command_line()}",
    }
    with forgiving(f"figure {name}"):
        svg = image(draw(), "svg", about)
        folder.write_bytes(f"figures/{name}.svg", svg)
        return svg.decode().partition("<svg")[2]
    return ""


def page(
    kind: str,
    title: str,
    conditions: str,
    notes: Sequence[str],
    sections: Sequence[MatrixSection],
    seeds: Sequence[int],
    files: Sequence[tuple[str, str]],
    *,
    quick: bool,
) -> str:
    """The page as HTML. `files` has the files in its folder, by their contents."""
    return html_page(
        "matrix.html.j2",
        eyebrow=f"{kind}, quick" if quick else kind,
        title=title,
        conditions=conditions,
        notes=notes,
        sections=sections,
        provenance=[
            ("Command", provenance.command_line()),
            ("Seeds", ", ".join(map(str, seeds))),
            ("Ackclock", provenance.described_version(provenance.git_commit())),
            *files,
        ],
    )
