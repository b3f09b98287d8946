"""A sketch of a scenario's network as SVG, in the colours of the surrounding page."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from ackclock._native import Scenario
from ackclock.report.text import counted

__all__ = ["algorithms", "facts", "sketch"]

# The width of the drawing, its margins at the left and at the top, and the height of a row, in its own units.
WIDTH, LEFT, TOP, ROW = 680, 60, 40, 62
# The width of a letter of a label, the room next to a note at the border, and the largest drawing.
LETTER, MARGIN, WIDEST = 6.4, 6, 1100
LINE = 30
"""The least characters of a line of a label before it is broken."""

# Half the height of the box of a host, and the radius of a router.
HOST, ROUTER = 15, 21


def facts(scenario: Scenario) -> list[tuple[str, str]]:
    """A summary of the scenario as pairs of name and value."""
    document = json.loads(scenario.to_json())
    tcp = document.get("tcp") or {}
    rows = [("Duration", f"{scenario.duration_s:g} s")]
    if scenario.warm_up_s:
        rows.append(("Averages from", f"{scenario.warm_up_s:g} s"))
    rows += [(kind, text) for kind, text in _traffic(document)]
    for key, title in (
        ("mss", "MSS"),
        ("header", "Header"),
        ("initial_window", "Initial window"),
        ("receive_window", "Receive window"),
    ):
        if tcp.get(key) is not None:
            rows.append((title, _quantity(tcp[key])))
    every = tcp.get("segments_per_ack")
    if every is not None:
        rows.append(("ACK", "for every packet" if every == 1 else f"for every {every} packets"))
    return rows


def _traffic(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    rows = []
    for group in document.get("flow") or []:
        count = group.get("count", 1)
        size = _transfer(group)
        if group.get("think"):
            size += f", thinking {_distribution(group['think'])}"
        protocol = "QUIC" if group.get("stack") or _http(group) == "3" else "TCP"
        rows.append((protocol, f"{count} × {size}" if count > 1 else size))
    for group in document.get("udp") or []:
        count = group.get("count", 1)
        pattern = group.get("pattern", "on and off" if group.get("on") else "constant")
        text = f"{group.get('rate')} {pattern}, {group.get('packet', '')}".rstrip(", ")
        name = f"{group['name']}: " if group.get("name") else ""
        rows.append(("UDP", name + (f"{count} × {text}" if count > 1 else text)))
    for group in document.get("call") or []:
        count = group.get("count", 1)
        least, most = group.get("min_rate", "150 kbit/s"), group.get("max_rate", "1.5 Mbit/s")
        text = f"{group.get('algorithm', 'nada')}, {least} to {most}"
        rows.append(("Call", f"{count} × {text}" if count > 1 else text))
    return rows


def _transfer(group: Mapping[str, Any]) -> str:
    """The load of a flow in words: a page, a film, or a file of some size."""
    if page := group.get("page"):
        return f"page {page if isinstance(page, str) else 'of its own'} over HTTP/{_http(group)}"
    if film := group.get("film"):
        return f"film by {film.get('adaptation', 'bola')}" if isinstance(film, Mapping) else "film"
    if group.get("packets"):
        return counted(group["packets"], "packet")
    return _distribution(group.get("size"))


def _http(group: Mapping[str, Any]) -> str:
    """The version of HTTP that carries the pages of a flow."""
    version = group.get("http", "2")
    return str(version.get("version", "2") if isinstance(version, Mapping) else version)


def algorithms(scenario: Scenario) -> list[tuple[str, str]]:
    """The congestion controls of the TCP flows as a fact; none for calls alone, which name theirs."""
    names = scenario.algorithm_names()
    if not names and json.loads(scenario.to_json()).get("call"):
        return []
    return [("Algorithm", ", ".join(names) or "none")]


def _quantity(value: object) -> str:
    """A quantity as written, in the singular for one thing."""
    return re.sub(r"^1 (packet|byte)s$", r"1 \1", str(value))


def _distribution(value: Mapping[str, Any] | None) -> str:
    """A distribution in words: `pareto(mean 60 packets, shape 1.5)`."""
    if not value:
        return "bulk"
    kind, parameters = next(iter(value.items()))
    if not isinstance(parameters, Mapping):
        return str(parameters)
    return f"{kind}({', '.join(f'{name} {number}' for name, number in parameters.items())})"


def sketch(scenario: Scenario) -> str:
    """The network as an SVG element; empty if it is too large to draw."""
    nodes, links = scenario.sketch()
    if not nodes:
        return ""
    links = [
        (start, end, trunk, _broken(label, abs(nodes[end][2] - nodes[start][2])))
        for start, end, trunk, label in links
    ]
    width = _width(nodes, links)
    places = [(LEFT + x * (width - 2 * LEFT), TOP + y * ROW) for _, _, x, y, _ in nodes]
    canvas = _Canvas(math.ceil(width), math.ceil(max(y for _, y in places)) + TOP)
    for start, end, trunk, _ in links:
        ends = (
            _border(nodes[start], places[start], places[end]),
            _border(nodes[end], places[end], places[start]),
        )
        canvas.line(*ends[0], *ends[1], "thick" if trunk else "")
    for start, end, _, label in links:
        canvas.along(*places[start], *places[end], label)
    for (name, role, _, _, note), (x, y) in zip(nodes, places, strict=True):
        canvas.node(role, x, y, name, _abridged(note))
    return canvas.svg()


def _abridged(note: str) -> str:
    """The groups of flows at a node, or the first of them and the number of the others."""
    first, *others = note.split(" + ")
    return note if len(note) <= LINE or not others else f"{first} + {len(others)} more"


def _border(node: Any, at: tuple[float, float], towards: tuple[float, float]) -> tuple[float, float]:
    """The point at which a line leaves a node, at its border: it does not run through the name."""
    name, role = node[:2]
    (x, y), (dx, dy) = at, (towards[0] - at[0], towards[1] - at[1])
    share = 0.0
    if role == "host":
        sizes = ((_half(name), dx), (HOST, dy))
        share = min((size / abs(step) for size, step in sizes if step), default=0.0)
    elif role == "router":
        share = ROUTER / (math.hypot(dx, dy) or math.inf)
    return x + share * dx, y + share * dy


def _half(name: str) -> float:
    """Half the width of the box of a host."""
    return max(33.0, 4.0 * len(name))


def _broken(label: Sequence[str], share: float) -> list[str]:
    """The lines of the label of a link over this share of the width, broken between parts where too long."""
    room = max(LINE, (share * (WIDTH - 2 * LEFT) - 2 * LEFT) / LETTER)
    lines: list[str] = []
    for line in label:
        parts = line.split(" · ")
        row = parts[0]
        for part in parts[1:]:
            if len(row) + len(part) + 3 > room:
                lines.append(row)
                row = part
            else:
                row += f" · {part}"
        lines.append(row)
    return lines


def _width(nodes: Sequence[Any], links: Sequence[Any]) -> float:
    """The width that leaves room for the label of each link between its ends, within bounds."""
    width = float(WIDTH)
    for start, end, _, label in links:
        share = abs(nodes[end][2] - nodes[start][2])
        if share > 0 and label:
            room = LETTER * max(len(line) for line in label) + 2 * LEFT
            width = max(width, room / share + 2 * LEFT)
    return min(width, WIDEST)


class _Canvas:
    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.parts: list[str] = []

    def line(self, x1: float, y1: float, x2: float, y2: float, kind: str = "") -> None:
        self.parts.append(f'<line class="wire {kind}" x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}"/>')

    def text(self, x: float, y: float, text: str, kind: str = "", turned: str = "") -> None:
        self.parts.append(
            f'<text class="{kind}" x="{x:g}" y="{y:g}" text-anchor="middle"{turned}>{escape(text)}</text>'
        )

    def node(self, role: str, x: float, y: float, name: str, note: str) -> None:
        """A box for a host, a circle for a router, or the text alone, with a note below."""
        if role == "host":
            half = _half(name)
            box = f'x="{x - half:g}" y="{y - HOST:g}" width="{2 * half:g}" height="{2 * HOST}"'
            self.parts.append(f'<rect class="host" {box} rx="7"/>')
        if role == "router":
            self.parts.append(f'<circle class="router" cx="{x:g}" cy="{y:g}" r="{ROUTER}"/>')
        if name:
            self.text(x, y + 4, name)
        if note:
            # The note stays within the drawing, also at its ends.
            half = LETTER * len(note) / 2 + MARGIN
            self.text(min(max(x, half), self.width - half), y + (27 if name else 4), note, "note")

    def along(self, x1: float, y1: float, x2: float, y2: float, label: Sequence[str]) -> None:
        """Lines of text in the middle of a link, parallel to it: the first above it, others below."""
        x, y = (x1 + x2) / 2, (y1 + y2) / 2
        angle = math.degrees(math.atan2(y2 - y1, x2 - x1))
        angle -= 180 if angle > 90 else -180 if angle < -90 else 0
        turned = f' transform="rotate({angle:.4g} {x:g} {y:g})"' if angle else ""
        for line, text in enumerate(label):
            self.text(x, y - 8 if line == 0 else y + 4 + 14 * line, text, "note", turned)

    def svg(self) -> str:
        return (
            f'<svg class="topology" role="img" aria-label="the simulated network" '
            f'viewBox="0 0 {self.width} {self.height}">{"".join(self.parts)}</svg>'
        )
