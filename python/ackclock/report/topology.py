"""A sketch of a scenario's network as SVG, in the colours of the surrounding page."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from ackclock._native import Scenario

__all__ = ["facts", "sketch"]

# The width of the drawing, its margins at the left and at the top, and the height of a row, in its own units.
WIDTH, LEFT, TOP, ROW = 680, 60, 40, 62
# The width of a letter of a label, and the largest drawing.
LETTER, WIDEST = 6.4, 1100


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
            rows.append((title, str(tcp[key])))
    every = tcp.get("segments_per_ack")
    if every is not None:
        rows.append(("ACK", "for every packet" if every == 1 else f"for every {every} packets"))
    return rows


def _traffic(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    rows = []
    for group in document.get("flow") or []:
        count = group.get("count", 1)
        size = f"{group['packets']} packets" if group.get("packets") else _distribution(group.get("size"))
        if group.get("think"):
            size += f", thinking {_distribution(group['think'])}"
        rows.append(("TCP", f"{count} × {size}" if count > 1 else size))
    for group in document.get("udp") or []:
        count = group.get("count", 1)
        text = f"{group.get('rate')} {group.get('pattern', 'constant')}, {group.get('packet', '')}".rstrip(
            ", "
        )
        rows.append(("UDP", f"{count} × {text}" if count > 1 else text))
    return rows


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
    width = _width(nodes, links)
    places = [(LEFT + x * (width - 2 * LEFT), TOP + y * ROW) for _, _, x, y, _ in nodes]
    canvas = _Canvas(math.ceil(width), math.ceil(max(y for _, y in places)) + TOP)
    for start, end, trunk, _ in links:
        canvas.line(*places[start], *places[end], "thick" if trunk else "")
    for start, end, _, label in links:
        canvas.along(*places[start], *places[end], label)
    for (name, role, _, _, note), (x, y) in zip(nodes, places, strict=True):
        canvas.node(role, x, y, name, note)
    return canvas.svg()


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
        """A box for a host, a circle for a router, else the text alone, with a note below."""
        if role == "host":
            half = max(33.0, 4.0 * len(name))
            box = f'x="{x - half:g}" y="{y - 15:g}" width="{2 * half:g}" height="30"'
            self.parts.append(f'<rect class="host" {box} rx="7"/>')
        if role == "router":
            self.parts.append(f'<circle class="router" cx="{x:g}" cy="{y:g}" r="21"/>')
        if name:
            self.text(x, y + 4, name)
        if note:
            # Within the drawing, also at its ends.
            half = LETTER * len(note) / 2
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
