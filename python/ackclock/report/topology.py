"""A sketch of a scenario's network as SVG, in the colours of the page around it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from ackclock._native import Scenario

__all__ = ["facts", "sketch"]

ROWS_SHOWN = 4


def facts(scenario: Scenario) -> list[tuple[str, str]]:
    """What a reader wants to know first: name and value pairs."""
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
    every = tcp.get("ack_every")
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
    """The network as an SVG element, or nothing for a shape it cannot draw."""
    document = json.loads(scenario.to_json())
    topology = document.get("topology") or {}
    if topology.get("dumbbell"):
        return _dumbbell(topology["dumbbell"], document)
    if topology.get("parking_lot"):
        return _parking_lot(topology["parking_lot"])
    if topology.get("three_tier"):
        return _three_tier(topology["three_tier"])
    if topology.get("graph"):
        return _graph(topology["graph"].get("link") or [])
    return ""


def _link_text(link: Mapping[str, Any]) -> list[str]:
    """Rate and delay on one line, what else matters on the next."""
    lines = [" · ".join(str(link[key]) for key in ("rate", "delay") if link.get(key))]
    buffer = link.get("buffer")
    more = [] if buffer in (None, "unlimited") else [f"buffer {buffer}"]
    queue = link.get("queue")
    if queue not in (None, "droptail"):
        more.append(next(iter(queue)) if isinstance(queue, Mapping) else str(queue))
    if link.get("loss"):
        more.append("lossy")
    return [*lines, " · ".join(more)] if more else lines


class _Canvas:
    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.parts: list[str] = []

    def line(self, x1: float, y1: float, x2: float, y2: float, kind: str = "") -> None:
        self.parts.append(f'<line class="wire {kind}" x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}"/>')

    def text(self, x: float, y: float, text: str, kind: str = "", anchor: str = "middle") -> None:
        self.parts.append(
            f'<text class="{kind}" x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(text)}</text>'
        )

    def host(self, x: float, y: float, name: str, note: str = "") -> None:
        self.parts.append(f'<rect class="host" x="{x - 33:g}" y="{y - 15:g}" width="66" height="30" rx="7"/>')
        self.text(x, y + 4, name)
        if note:
            self.text(x, y + 27, note, "note")

    def router(self, x: float, y: float, name: str) -> None:
        self.parts.append(f'<circle class="router" cx="{x:g}" cy="{y:g}" r="21"/>')
        self.text(x, y + 4, name)

    def label(self, x: float, y: float, lines: Sequence[str]) -> None:
        for index, line in enumerate(lines):
            self.text(x, y + 14 * index, line, "note")

    def svg(self) -> str:
        return (
            f'<svg class="topology" role="img" aria-label="the simulated network" '
            f'viewBox="0 0 {self.width} {self.height}">{"".join(self.parts)}</svg>'
        )


def _dumbbell(dumbbell: Mapping[str, Any], document: Mapping[str, Any]) -> str:
    pairs = int(dumbbell.get("pairs", 1))
    shown = list(range(1, pairs + 1)) if pairs <= ROWS_SHOWN else [1, 2, 0, pairs]
    notes = _pair_notes(document, pairs)
    height = max(150, 30 + 62 * len(shown))
    canvas = _Canvas(680, height)
    middle = height / 2
    canvas.line(215, middle, 465, middle, "thick")
    lines = _link_text(dumbbell.get("bottleneck") or {})
    canvas.label(340, middle - 12, lines[:1])
    canvas.label(340, middle + 22, lines[1:])
    for row, pair in enumerate(shown):
        y = middle + (row - (len(shown) - 1) / 2) * 62
        if not pair:
            canvas.text(60, y + 4, "⋮")
            canvas.text(620, y + 4, "⋮")
            continue
        canvas.line(93, y, 215, middle)
        canvas.line(465, middle, 587, y)
        canvas.host(60, y, f"src{pair}", notes.get(pair, ""))
        canvas.host(620, y, f"dst{pair}")
    canvas.router(215, middle, "left")
    canvas.router(465, middle, "right")
    access = " · ".join(_link_text(dumbbell.get("access") or {}))
    canvas.text(215, height - 6, f"access: {access}", "note")
    leaving = dumbbell.get("exit")
    if leaving and leaving != dumbbell.get("access"):
        canvas.text(465, height - 6, f"exit: {' · '.join(_link_text(leaving))}", "note")
    return canvas.svg()


def _pair_notes(document: Mapping[str, Any], pairs: int) -> dict[int, str]:
    """What each pair carries, where flows take the pairs in order."""
    kinds: dict[int, list[str]] = {}
    index = 0
    for kind, groups in (("TCP", document.get("flow") or []), ("UDP", document.get("udp") or [])):
        for group in groups:
            named = str(group.get("from") or "")
            for _ in range(int(group.get("count", 1))):
                automatic = index % pairs + 1
                is_pair = named.startswith("src") and named[3:].isdigit()
                pair = int(named[3:]) if is_pair else automatic
                kinds.setdefault(pair, []).append(kind)
                index += 1
    return {
        pair: " + ".join(
            f"{found.count(kind)} {kind}" if found.count(kind) > 1 else kind for kind in dict.fromkeys(found)
        )
        for pair, found in kinds.items()
    }


def _parking_lot(lot: Mapping[str, Any]) -> str:
    hops = int(lot.get("hops", 1))
    drawn = min(hops, 5)
    step = 480 / drawn
    canvas = _Canvas(680, 210)
    link = _link_text(lot.get("link") or {})
    for hop in range(drawn):
        x1, x2 = 100 + hop * step, 100 + (hop + 1) * step
        canvas.line(x1, 90, x2, 90, "thick")
        canvas.line(x1 + 8, 108, x1 + step * 0.28, 150)
        canvas.line(x2 - step * 0.28, 150, x2 - 8, 108)
        last = hop == drawn - 1 and hops > drawn
        canvas.text(x1 + step * 0.3, 168, f"src{hops if last else hop + 1}", "note")
        canvas.text(x2 - step * 0.3, 168, f"dst{hops if last else hop + 1}", "note")
    canvas.line(40, 40, 100, 90)
    canvas.line(100 + 480, 90, 640, 40)
    canvas.host(40, 36, "src0")
    canvas.host(640, 36, "dst0")
    for router in range(drawn + 1):
        canvas.router(100 + router * step, 90, f"r{router if router < drawn else hops}")
    canvas.label(340, 40, link)
    canvas.text(340, 200, f"{hops} hops, each with its own cross traffic; one path over all of them", "note")
    return canvas.svg()


def _three_tier(tiers: Mapping[str, Any]) -> str:
    """One router of each tier below the backbone, and how many of them there are."""
    backbone = tiers["backbone"]
    canvas = _Canvas(680, 150 + 70 * (2 + bool(tiers.get("host"))))
    shape = backbone.get("shape", "ring")
    canvas.line(140, 40, 540, 40, "thick")
    for x in (140, 273, 407, 540):
        canvas.router(x, 40, "b")
    canvas.text(340, 80, f"backbone: {shape} of {backbone['count']}", "note")
    canvas.label(340, 96, [" · ".join(_link_text(backbone["link"]))])
    names = [("pop", "p", "POPs at each"), ("access", "a", "access routers at each")]
    names += [("host", "h", "hosts at each")] if tiers.get("host") else []
    for row, (tier, letter, words) in enumerate(names):
        y = 110 + 70 * row
        for x in (140, 540):
            canvas.line(x, y - 34 if row else 61, x, y + 10)
            canvas.router(x, y + 15, letter)
        lines = [f"{tiers[tier]['count']} {words}", " · ".join(_link_text(tiers[tier]["link"]))]
        canvas.label(340, y + 14, lines)
    return canvas.svg()


def _graph(links: Sequence[Mapping[str, Any]]) -> str:
    """Nodes in columns by distance from the first one, links as lines."""
    neighbours: dict[str, list[str]] = {}
    for link in links:
        neighbours.setdefault(link["from"], []).append(link["to"])
        neighbours.setdefault(link["to"], []).append(link["from"])
    if not neighbours or len(neighbours) > 24:
        return ""
    depth: dict[str, int] = {}
    for root in neighbours:
        if root in depth:
            continue
        depth[root] = 0
        queue = [root]
        for node in queue:
            for other in neighbours[node]:
                if other not in depth:
                    depth[other] = depth[node] + 1
                    queue.append(other)
    columns: dict[int, list[str]] = {}
    for node, column in depth.items():
        columns.setdefault(column, []).append(node)
    height = max(130, 40 + 66 * max(len(nodes) for nodes in columns.values()))
    canvas = _Canvas(680, height)
    step = 560 / max(1, len(columns) - 1)
    place = {
        node: (60 + column * step, height / 2 + (row - (len(nodes) - 1) / 2) * 66)
        for column, nodes in columns.items()
        for row, node in enumerate(nodes)
    }
    for link in links:
        (x1, y1), (x2, y2) = place[link["from"]], place[link["to"]]
        canvas.line(x1, y1, x2, y2)
        canvas.label((x1 + x2) / 2, (y1 + y2) / 2 - 8, [" · ".join(_link_text(link))])
    for node, (x, y) in place.items():
        canvas.host(x, y, node)
    return canvas.svg()
