"""Draws a figure from its data (`ackclock.report.figure_data`), as SVG."""

from __future__ import annotations

import html
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ackclock.report.figure_data import SCHEMA

__all__ = ["figure_svg"]

SHEET = "*{stroke-linejoin:round;stroke-linecap:butt}text{font-family:'DejaVu Sans',Verdana,sans-serif}"
"""The style that all figures share: the joints of lines, and the letters."""

Numbers = Sequence[float | None]


def figure_svg(data: Mapping[str, Any]) -> str:
    """The text of the SVG file. Raises ValueError for data of another schema."""
    if data.get("schema") != SCHEMA:
        raise ValueError(f"found the schema {data.get('schema')!r}; expected {SCHEMA!r}")
    width, height = data["size"]
    title, description = (html.escape(data[key]) for key in ("title", "description"))
    box = f'viewBox="0 0 {width} {height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}pt" height="{height}pt" {box}>',
        f"<title>{title}</title><desc>{description}</desc><style>{SHEET}</style>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    for number, panel in enumerate([*data["panels"], {"items": data["page"]}]):
        drawing = _Panel(panel, number, data["styles"], data["glyphs"])
        parts += drawing.frame()
        parts += [element for item in panel["items"] for element in drawing.item(item)]
    return "\n".join([*parts, "</svg>"]) + "\n"


class _Panel:
    """A set of axes, or the page.

    The last field of an item, the name in the legend, is for readers of the data.
    """

    def __init__(
        self, panel: Mapping[str, Any], number: int, styles: Sequence[str], glyphs: Sequence[str]
    ) -> None:
        self.x: Sequence[Any] = panel.get("x", ("linear", 0, 1, 0, 1))
        self.y: Sequence[Any] = panel.get("y", ("linear", 0, 1, 0, 1))
        self.name = f"panel{number}" if "x" in panel else ""
        self.styles = styles
        self.glyphs = glyphs

    def frame(self) -> Iterator[str]:
        """The box that clips the elements beyond the axes."""
        if self.name:
            (left, right), (bottom, top) = self.x[3:], self.y[3:]
            box = f'x="{left}" y="{top}" width="{right - left:.1f}" height="{bottom - top:.1f}"'
            yield f'<clipPath id="{self.name}"><rect {box}/></clipPath>'

    def item(self, item: Sequence[Any]) -> Iterator[str]:
        """The elements that draw an item."""
        kind, *rest = item
        if kind == "raw":
            yield rest[0]
        elif kind == "image":
            yield _image(*rest)
        elif kind == "cells":
            yield from self._cells(*rest)
        else:
            style = f' style="{self.styles[rest[0]]}"'
            yield from getattr(self, f"_{kind}")(style, *rest[1:])

    def _line(self, style: str, xs: Numbers, ys: Numbers, *_name: str, end: str = "") -> Iterator[str]:
        parts: list[str] = []
        letter = "M"
        for x, y in zip(_places(self.x, xs), _places(self.y, ys), strict=True):
            if x is None or y is None:
                letter = f"{end}M"
                continue
            parts.append(f"{letter}{x:.2f} {y:.2f}")
            letter = " "
        yield f'<path d="{"".join(parts)}{end}"{style} clip-path="url(#{self.name})"/>'

    def _area(self, style: str, xs: Numbers, ys: Numbers, *_name: str) -> Iterator[str]:
        yield from self._line(style, xs, ys, end="z")

    def _marks(self, style: str, glyph: int, xs: Numbers, ys: Numbers, *_name: str) -> Iterator[str]:
        yield from self._ticks(style, glyph, _places(self.x, xs), _places(self.y, ys))

    def _ticks(self, style: str, glyph: int, xs: Any, ys: Any, *_name: str) -> Iterator[str]:
        n = max(len(each) if isinstance(each, list) else 1 for each in (xs, ys))
        first, second = (each if isinstance(each, list) else [each] * n for each in (xs, ys))
        for x, y in zip(first, second, strict=True):
            if x is not None and y is not None:
                place = f'transform="translate({x:.2f} {y:.2f})"'
                yield f'<path d="{self.glyphs[glyph]}" {place}{style}/>'

    def _grid(self, style: str, axis: str, places: Sequence[float]) -> Iterator[str]:
        (left, right), (bottom, top) = self.x[3:], self.y[3:]
        lines = (f"M{p} {bottom}V{top}" if axis == "x" else f"M{left} {p}H{right}" for p in places)
        yield f'<path d="{"".join(lines)}"{style}/>'

    def _rules(self, style: str, lines: Sequence[Sequence[float]], end: str = "") -> Iterator[str]:
        d = " ".join("M" + " ".join(f"{value:g}" for value in line) + end for line in lines)
        yield f'<path d="{d}"{style}/>'

    def _outline(self, style: str, lines: Sequence[Sequence[float]]) -> Iterator[str]:
        yield from self._rules(style, lines, end="z")

    def _curve(self, style: str, d: str) -> Iterator[str]:
        yield f'<path d="{d}"{style}/>'

    def _text(self, style: str, texts: Sequence[Sequence[Any]]) -> Iterator[str]:
        for x, y, words, *angle in texts:
            turned = f' transform="rotate({angle[0]} {x} {y})"' if angle else ""
            yield f'<text x="{x}" y="{y}"{turned}{style}>{html.escape(words)}</text>'

    def _cells(self, xs: Numbers, ys: Numbers, colours: Sequence[Sequence[str]]) -> Iterator[str]:
        across = [x for x in _places(self.x, xs) if x is not None]
        down = [y for y in _places(self.y, ys) if y is not None]
        for y, below, row in zip(down[:-1], down[1:], colours, strict=True):
            for x, right, colour in zip(across[:-1], across[1:], row, strict=True):
                if colour:
                    # The rectangle is slightly larger than the cell, so that no line is visible between two.
                    width, height = right - x + 0.05, abs(below - y) + 0.05
                    box = f'x="{x:.2f}" y="{min(y, below):.2f}" width="{width:.2f}" height="{height:.2f}"'
                    yield f'<rect {box} fill="{colour}"/>'


def _places(axis: Sequence[Any], values: Numbers) -> list[float | None]:
    """The places on the page of values of an axis."""
    kind, first, last, begin, end = axis

    def scaled(value: float) -> float:
        return math.log10(value) if kind == "log" else value

    low, high = scaled(first), scaled(last)
    return [
        None if value is None else begin + (scaled(value) - low) / (high - low) * (end - begin)
        for value in values
    ]


def _image(box: Sequence[float], png: str) -> str:
    x, y, width, height = box
    place = f'x="{x}" y="{y}" width="{width}" height="{height}" preserveAspectRatio="none"'
    return f'<image {place} href="data:image/png;base64,{png}"/>'
