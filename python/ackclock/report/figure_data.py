"""The data of a figure in the units of its axes, small enough to be kept as text.

`figure_data` reads them from the SVG that matplotlib writes for every figure; `ackclock.report.figure_svg`
draws the figure again from the data. A panel has its box on the page and a transform for each axis, and items
in the order in which they are drawn:

- `line` and `area`: a style, and the coordinates x and y; `null` begins another line. With the name of the
  legend where the style has one.
- `marks`: a style, a glyph, and the coordinates x and y.
- `cells`: a grid of colours between edges in x and y; `image`: one of too many points, as a PNG in a box.
- `text`, `rules` (straight lines), `outline` and `ticks` (glyphs): a style and positions on the page, in
  points; `grid`: the lines across the box at places of x or y.
- `raw`: letters of mathematics, as SVG.

Coordinates are rounded to a tenth of a point of the page, and points that change a line by less than a
fifth of a point are left out.
"""

from __future__ import annotations

import base64
import io
import json
import math
import re
from collections.abc import Iterator, Sequence
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
from numpy.typing import NDArray

from ackclock.report.figure_axes import (
    SVG,
    Axis,
    Floats,
    box_of,
    kept,
    lines_of,
    number,
    place_of,
    share,
    ticks_of,
)

__all__ = ["SCHEMA", "figure_data", "written"]

SCHEMA = "ackclock-figure/1"

LINK = "{http://www.w3.org/1999/xlink}href"
DC = "{http://purl.org/dc/elements/1.1/}"
MOST_CELLS = 2000
"""The most cells of a grid: an image with more shows many points, and stays an image."""

ORDER = {"grid": 0, "rules": 1, "ticks": 2, "text": 3, "raw": 4}
"""Of the parts of an axis."""

Item = list[Any]


class Reader:
    """Reads one figure."""

    def __init__(self) -> None:
        self.styles: dict[str, int] = {}
        self.glyphs: dict[str, int] = {}
        self.defined: dict[str, tuple[str, str]] = {}
        """The paths that `use` refers to, with their styles."""

    def style(self, *parts: str | None) -> int:
        """The place of a style in the list."""
        joined = dict(pair.split(":", 1) for part in parts for pair in (part or "").split(";") if ":" in pair)
        stripped = {key.strip(): value.strip() for key, value in joined.items()}
        # Properties that the style sheet of the figure sets, and defaults.
        for key, usual in (
            ("stroke-linejoin", "round"),
            ("stroke-dashoffset", "0"),
            ("text-anchor", "start"),
        ):
            if stripped.get(key) == usual:
                del stripped[key]
        stripped.pop("font-family", None)
        text = ";".join(f"{key}:{value}" for key, value in stripped.items())
        return self.styles.setdefault(text, len(self.styles))

    def glyph(self, path: str) -> int:
        """The place of a glyph in the list."""
        return self.glyphs.setdefault(_rounded_path(path, 2), len(self.glyphs))

    def panel(self, group: ET.Element) -> dict[str, Any]:
        """A set of axes, or the elements outside of all axes."""
        box = box_of(group)
        axes = [Axis((box[0], box[2])), Axis((box[3], box[1]))] if box else None
        if axes is not None:
            for axis, place in zip(axes, ("x", "y"), strict=True):
                axis.ticks = list(ticks_of(group, place))
        return {"box": box, "axes": axes, "group": group}

    def items(self, group: ET.Element, axes: Sequence[Axis] | None, on_page: bool) -> Iterator[Item]:
        """The items of a group. Axes, legends and elements beyond the box are drawn on the page."""
        name = group.get("id", "")
        on_page = on_page or axes is None or name.startswith(("matplotlib.axis", "legend", "text"))
        for child in group:
            tag = str(child.tag).removeprefix(SVG)
            if tag == "defs":
                for path in child.iter(f"{SVG}path"):
                    self.defined[path.get("id", "")] = (path.get("d", ""), path.get("style", ""))
            elif tag == "g" and "transform" in child.attrib:
                yield ["raw", _compact(child)]
            elif tag == "g" and child.get("id", "").startswith("matplotlib.axis"):
                # Lines come before letters, so that equal styles are neighbours.
                yield from sorted(
                    self.items(child, axes, on_page), key=lambda item: (ORDER[item[0]], item[1])
                )
            elif tag == "g":
                yield from self.items(child, axes, on_page)
            elif tag == "path":
                yield from self.path(child.get("d", ""), child, axes, on_page, name)
            elif tag == "use":
                yield from self.use(child, axes, on_page, name)
            elif tag == "text":
                yield self.text(child)
            elif tag == "image":
                yield self.cells(child, axes)

    def path(
        self, d: str, element: ET.Element, axes: Sequence[Axis] | None, on_page: bool, name: str,
        moved: tuple[float, float] = (0.0, 0.0), *styles: str,
    ) -> Iterator[Item]:  # fmt: skip
        """A path in data coordinates, or on the page."""
        style = self.style(*styles, element.get("style"))
        if re.search("[CQ]", d):
            yield ["curve", style, _rounded_path(d, 1, moved)]
            return
        lines = lines_of(d, moved)
        if not lines:
            return
        is_area = "z" in d.lower()
        is_cut = "clip-path" in element.attrib or element.tag == f"{SVG}use"
        on_page = on_page or (axes is not None and not is_cut and _is_beyond(lines, axes))
        if on_page or (name.startswith("patch") and axes is not None and _is_frame(lines, axes)):
            for x, y in lines:
                if axes is not None and (place := _across(x, y, axes)):
                    yield ["grid", style, *place]
                    continue
                kind = "outline" if is_area else "rules"
                yield [kind, style, [place_of(v) for pair in zip(x, y, strict=True) for v in pair]]
            return
        if axes is None:
            raise ValueError("a line in data coordinates outside of any axes")
        xs: list[Any] = []
        ys: list[Any] = []
        for x, y in lines:
            shown = kept(x, y)
            if xs:
                xs.append(None)
                ys.append(None)
            xs += axes[0].rounded(x[shown])
            ys += axes[1].rounded(y[shown])
        yield ["area" if is_area else "line", style, xs, ys]

    def use(
        self, element: ET.Element, axes: Sequence[Axis] | None, on_page: bool, name: str
    ) -> Iterator[Item]:
        """A glyph at a place, or a path that is defined elsewhere."""
        d, style = self.defined[element.get(LINK, "#")[1:]]
        x, y = float(element.get("x", 0)), float(element.get("y", 0))
        if "transform" in element.attrib:
            yield ["raw", _compact(element, d)]
        elif name.startswith(("FillBetween", "LineCollection", "PolyCollection")):
            yield from self.path(d, element, axes, on_page, name, (x, y), style)
        elif on_page or axes is None:
            yield [
                "ticks",
                self.style(style, element.get("style")),
                self.glyph(d),
                [place_of(x)],
                [place_of(y)],
            ]
        else:
            places = axes[0].rounded(np.array([x])), axes[1].rounded(np.array([y]))
            yield ["marks", self.style(style, element.get("style")), self.glyph(d), *places]

    def text(self, element: ET.Element) -> Item:
        """Letters at a place, with the angle if there is one."""
        if element.find(f"{SVG}tspan") is not None:
            return ["raw", _compact(element)]
        words = "".join(element.itertext())
        found = [float(n) for n in re.findall(r"-?[\d.]+(?:e-?\d+)?", element.get("transform", ""))]
        is_placed = "x" in element.attrib
        x, y = (float(element.get(key, 0)) for key in "xy") if is_placed else (found[0], found[1])
        angle = (found[0] if is_placed else found[2] if len(found) > 2 else 0.0) if found else 0.0
        anchor = ""
        if length := element.get("textLength"):
            # If another font is wider, the middle keeps its place.
            turned = math.radians(angle)
            x += float(length) / 2 * math.cos(turned)
            y += float(length) / 2 * math.sin(turned)
            anchor = "text-anchor:middle"
        place = [place_of(x), place_of(y), words]
        return [
            "text",
            self.style(element.get("style"), anchor),
            [*place, place_of(angle)] if angle else place,
        ]

    def cells(self, element: ET.Element, axes: Sequence[Axis] | None) -> Item:
        """An image whose pixels are cells of one colour."""
        from PIL import Image  # noqa: PLC0415 - few figures have images

        if axes is None:
            raise ValueError("an image outside of any axes")
        data = base64.b64decode(element.get(LINK, "").split(",", 1)[1])
        with Image.open(io.BytesIO(data)) as image:
            pixels = np.asarray(image.convert("RGBA"))
        x, width = float(element.get("x", 0)), float(element.get("width", 0))
        top, height = float(element.get("y", 0)), float(element.get("height", 0))
        if turned := re.search(r"scale\(1 -1\) translate\(0 -([\d.]+)\)", element.get("transform", "")):
            pixels = pixels[::-1]
            top = float(turned[1]) - top - height
        rows = np.flatnonzero(np.r_[True, (pixels[1:] != pixels[:-1]).any((1, 2))])
        columns = np.flatnonzero(np.r_[True, (pixels[:, 1:] != pixels[:, :-1]).any((0, 2))])
        if rows.size * columns.size > MOST_CELLS:
            return ["image", [place_of(value) for value in (x, top, width, height)], _png(pixels)]
        colours = [
            ["#" + bytes(pixels[r, c][:3]).hex() if pixels[r, c][3] else "" for c in columns] for r in rows
        ]
        across = x + np.r_[columns, pixels.shape[1]] * width / pixels.shape[1]
        down = top + np.r_[rows, pixels.shape[0]] * height / pixels.shape[0]
        return ["cells", axes[0].rounded(across), axes[1].rounded(down), colours]


def _png(pixels: NDArray[np.uint8]) -> str:
    from PIL import Image  # noqa: PLC0415 - few figures have images

    picture = io.BytesIO()
    Image.fromarray(pixels).quantize(64).save(picture, "png", optimize=True)
    return base64.b64encode(picture.getvalue()).decode()


def figure_data(svg: str) -> dict[str, Any]:
    """The data of a figure, from the SVG of matplotlib. Raises ElementTree.ParseError."""
    parser = ET.XMLParser(target=ET.TreeBuilder(insert_comments=True))  # noqa: S314 - our own
    root = ET.fromstring(svg, parser)  # noqa: S314
    reader = Reader()
    figure = next(group for group in root.iter(f"{SVG}g") if group.get("id") == "figure_1")
    panels: list[dict[str, Any]] = []
    outside = ET.Element("g")
    for child in figure:
        if child.get("id", "").startswith("axes"):
            panels.append(reader.panel(child))
        elif child.tag == f"{SVG}g" and child.get("id") != "patch_1":
            outside.append(child)
    share([panel["axes"] for panel in panels if panel["axes"]])
    document = {
        "schema": SCHEMA,
        "title": _metadata(root, "title"),
        "description": _metadata(root, "description"),
        "size": [number(n) for n in root.get("viewBox", "").split()[2:]],
        "styles": [],
        "glyphs": [],
        "panels": [_panel_document(reader, panel) for panel in panels],
        "page": _merged(reader.items(outside, None, True)),
    }
    return document | {"styles": list(reader.styles), "glyphs": list(reader.glyphs)}


def _panel_document(reader: Reader, panel: dict[str, Any]) -> dict[str, Any]:
    axes = panel["axes"]
    names = _legend(panel["group"])
    items = _merged(reader.items(panel["group"], axes, False))
    for item in items:
        if item[0] in ("line", "marks", "area") and (name := names.get(_look(list(reader.styles)[item[1]]))):
            item.append(name)
    if axes is None:
        return {"items": items}
    return {"x": axes[0].document(), "y": axes[1].document(), "items": items}


def _merged(items: Iterator[Item]) -> list[Item]:
    """Neighbours that look alike as one item."""
    merged: list[Item] = []
    for item in items:
        last = merged[-1] if merged else None
        alike = last is not None and item[0] == last[0] and item[1] == last[1]
        if alike and last is not None and item[0] in ("text", "rules", "outline"):
            last[2].append(item[2])
        elif alike and last is not None and item[0] in ("ticks", "marks", "grid") and item[2] == last[2]:
            for mine, other in zip(last[3:], item[3:], strict=True):
                mine.extend(other)
        elif item[0] in ("text", "rules", "outline"):
            merged.append([item[0], item[1], [item[2]]])
        else:
            merged.append(item)
    for item in merged:
        if item[0] == "ticks":
            # The ticks of one axis share a coordinate.
            item[3:] = [places[0] if len(set(places)) == 1 else places for places in item[3:]]
    return merged


def _metadata(root: ET.Element, key: str) -> str:
    found = root.find(f".//{DC}{key}")
    return "" if found is None else found.text or ""


def _legend(group: ET.Element) -> dict[str, str]:
    """The names in the legend, by the look of their samples."""
    names: dict[str, str] = {}
    for legend in group.iter(f"{SVG}g"):
        if not legend.get("id", "").startswith("legend"):
            continue
        look = ""
        for element in legend.iter():
            if element.tag in (f"{SVG}path", f"{SVG}use") and element.get("style"):
                look = _look(element.get("style", ""))
            elif element.tag == f"{SVG}text" and look:
                names.setdefault(look, "".join(element.itertext()))
    return names


def _look(style: str) -> str:
    """The look that a sample in a legend shares with its curve: colour and dashes."""
    pairs = dict(pair.replace(" ", "").split(":", 1) for pair in style.split(";") if ":" in pair)
    colour = pairs.get("stroke", pairs.get("fill", ""))
    return f"{colour} {pairs.get('stroke-dasharray', '')}"


def _across(x: Floats, y: Floats, axes: Sequence[Axis]) -> tuple[str, list[float | int]] | None:
    """The axis and the place of a line that crosses the whole box."""
    for key, across, along, axis in (("x", x, y, axes[1]), ("y", y, x, axes[0])):
        ends = sorted(axis.ends)
        if x.size == 2 and across[0] == across[1] and np.abs(np.sort(along) - ends).max() < 0.1:
            return key, [place_of(float(across[0]))]
    return None


def _is_beyond(lines: Sequence[tuple[Floats, Floats]], axes: Sequence[Axis]) -> bool:
    """True for an element that leaves the box."""
    return any(
        bool((places < min(axis.ends) - 0.5).any() or (places > max(axis.ends) + 0.5).any())
        for line in lines
        for places, axis in zip(line, axes, strict=True)
    )


def _is_frame(lines: Sequence[tuple[Floats, Floats]], axes: Sequence[Axis]) -> bool:
    """True for the background and the four sides of the box."""
    (x, y) = lines[0]
    left, right = axes[0].ends
    bottom, top = axes[1].ends
    on_side = ((np.abs(x - left) < 0.1) | (np.abs(x - right) < 0.1)) & (
        (np.abs(y - top) < 0.1) | (np.abs(y - bottom) < 0.1)
    )
    return len(lines) == 1 and bool(on_side.all())


def _rounded_path(d: str, decimals: int, moved: tuple[float, float] = (0.0, 0.0)) -> str:
    """A path with rounded numbers, moved."""
    place = iter(range(10**9))

    def rounded(found: re.Match[str]) -> str:
        value = float(found[0]) + moved[next(place) % 2]
        return f"{number(round(value, decimals)):g}"

    text = re.sub(r"-?[\d.]+(?:e-?\d+)?", rounded, d)
    return re.sub(r"\s*([A-Za-z])\s*", r"\1", " ".join(text.split()))


def _compact(element: ET.Element, path: str = "") -> str:
    """An element that is kept as SVG: glyphs of mathematical text, and shapes that are turned or scaled."""
    if path:
        style, transform = element.get("style", ""), element.get("transform", "")
        x, y = element.get("x", "0"), element.get("y", "0")
        return (
            f'<path d="{_rounded_path(path, 2)}" transform="{transform} translate({x} {y})" style="{style}"/>'
        )
    text = ET.tostring(element, encoding="unicode")
    text = re.sub(r'\s*xmlns:?\w*="[^"]*"|<!--.*?-->|ns0:|\sid="[^"]*"', "", text, flags=re.DOTALL)
    text = re.sub(r"\d+\.\d{3,}", lambda found: f"{float(found[0]):.2f}", text)
    return re.sub(r">\s+<", "><", " ".join(text.split()))


def written(document: dict[str, Any]) -> str:
    """The data as JSON with a line for each item."""

    def line(value: object) -> str:
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False)

    def listed(items: Sequence[object], indent: str) -> str:
        return (
            "[\n" + ",\n".join(f"{indent} {line(item)}" for item in items) + f"\n{indent}]" if items else "[]"
        )

    head = [f' "{key}": {line(document[key])}' for key in ("schema", "title", "description", "size")]
    head += [f' "{key}": {listed(document[key], " ")}' for key in ("styles", "glyphs")]
    panels = []
    for panel in document["panels"]:
        axes = "".join(f'"{key}": {line(panel[key])}, ' for key in "xy" if key in panel)
        panels.append(f'  {{{axes}"items": {listed(panel["items"], "  ")}}}')
    inside = ",\n".join(panels)
    head += [f' "panels": [\n{inside}\n ]', f' "page": {listed(document["page"], " ")}']
    return "{\n" + ",\n".join(head) + "\n}\n"
