"""The paths of the race: two hundred, each drawn once from its number."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass

__all__ = ["GROUPS", "LOAD", "PATHS", "RIVAL", "WEB", "Path", "drawn"]

PATHS = 200
LOAD = 0.3
"""The share of the nominal rate that web users ask for."""
PAGE_PACKETS = 30
WIRE_BITS = 1500 * 8
RIVAL, WEB = "rival", "web"
SHIPPED = "rack+hystart-linux(paced=1)+cubic"
"""The algorithm of the flows already there: the slow start and the avoidance that Linux ships, paced."""

RADIO = {"wifi-home": 40.0, "lte-driving": 8.0, "5g-driving": 100.0}
"""Typical paths of Wi-Fi and cellular networks, with a nominal rate in Mbit/s for the load of web users."""


@dataclass(frozen=True)
class Path:
    """A path with those who use it already."""

    number: int
    kind: str
    """"wired", or the name of a typical path."""
    rate_mbit_per_s: float
    """Nominal on a typical path."""
    round_trip_ms: float
    """Without queueing; on a typical path that of its median."""
    access_ms: float
    """One way, on either side."""
    buffer_bdp: float
    queue: str
    jitter_ms: float
    rivals: int
    """Long flows that are there before the newcomer."""
    web: bool
    """True if short files of others come all the time."""

    @property
    def bottleneck(self) -> dict[str, object]:
        """The keys of the link that all flows share."""
        if self.kind != "wired":
            return {"path": self.kind}
        packets = max(round(self.buffer_bdp * self.pipe_packets), 5)
        link: dict[str, object] = {
            "rate": f"{self.rate_mbit_per_s:.6g} Mbit/s",
            "delay": f"{self.round_trip_ms / 2 - 2 * self.access_ms:.6g} ms",
            "buffer": f"{packets} packets",
            "queue": self.queue,
        }
        if self.jitter_ms:
            link["impairments"] = [{"jitter": {"uniform": f"{self.jitter_ms:g} ms"}}]
        return link

    @property
    def pipe_packets(self) -> float:
        """The bandwidth-delay product of the whole link."""
        return self.rate_mbit_per_s * 1e3 * self.round_trip_ms / WIRE_BITS

    @property
    def memory_packets(self) -> float:
        """The window that an earlier connection learned: the newcomer's part of the link, without a queue."""
        return max(self.share * self.pipe_packets, 10.0)

    @property
    def wrong_packets(self) -> float:
        """The window learned where the link was eight times as fast."""
        return 8 * self.memory_packets

    @property
    def others(self) -> list[dict[str, object]]:
        """The flows that are there already."""
        groups: list[dict[str, object]] = []
        if self.rivals:
            groups.append(
                {
                    "name": RIVAL,
                    "count": self.rivals,
                    "from": ["src2", "src3", "src4"],
                    "to": ["dst2", "dst3", "dst4"],
                    "start_jitter": "1 s",
                    "algorithm": SHIPPED,
                }
            )
        if self.web:
            per_s = LOAD * self.rate_mbit_per_s * 1e6 / (PAGE_PACKETS * WIRE_BITS)
            groups.append(
                {
                    "name": WEB,
                    "from": ["src2", "src3", "src4"],
                    "to": ["dst2", "dst3", "dst4"],
                    "size": {"pareto": {"mean": f"{PAGE_PACKETS} packets", "shape": 1.3}},
                    "arrivals": {"poisson": {"rate": f"{per_s:.6g} flows/s"}},
                    "algorithm": SHIPPED,
                }
            )
        return groups

    @property
    def share(self) -> float:
        """The part of the link that is the newcomer's by right."""
        return (1 - LOAD if self.web else 1.0) / (1 + self.rivals)


def drawn(number: int) -> Path:
    """The path of a number, always the same."""
    source = random.Random(f"slow starts, path {number}")  # noqa: S311 - no secret
    kind = source.choices(["wired", *RADIO], [70, 12, 12, 6])[0]
    rate, round_trip = _log(source, 4, 60), _log(source, 10, 250)
    buffer = _log(source, 0.1, 4)
    queue = source.choices(["droptail", "fq-codel", "codel", "pie"], [64, 16, 8, 12])[0]
    jitter = source.choice([0.0, 0.0, 1.0, 5.0])
    rivals, web = source.choices([(0, False), (1, False), (3, False), (0, True)], [40, 20, 20, 20])[0]
    access = 1.0
    if kind != "wired":
        rate, access, queue, jitter, buffer = RADIO[kind], _log(source, 2, 20), "", 0.0, 0.0
        round_trip = 4 * access + 40
    return Path(number, kind, rate, round_trip, access, buffer, queue, jitter, rivals, web)


def _log(source: random.Random, low: float, high: float) -> float:
    """A number between two, every ratio equally likely."""
    return float(low * (high / low) ** source.random())


GROUPS: dict[str, Callable[[Path], bool]] = {
    "all": lambda _: True,
    "short buffer": lambda path: path.queue == "droptail" and path.buffer_bdp < 0.5,
    "middling buffer": lambda path: path.queue == "droptail" and 0.5 <= path.buffer_bdp < 1.5,
    "deep buffer": lambda path: path.queue == "droptail" and path.buffer_bdp >= 1.5,
    "managed queue": lambda path: path.queue not in ("", "droptail"),
    "Wi-Fi": lambda path: path.kind == "wifi-home",
    "cellular": lambda path: path.kind in ("lte-driving", "5g-driving"),
    "jitter": lambda path: path.jitter_ms > 0,
    "small pipe": lambda path: path.pipe_packets < 50,
    "large pipe": lambda path: path.pipe_packets > 500,
    "alone": lambda path: not path.rivals and not path.web,
    "with long flows": lambda path: path.rivals > 0,
    "with web users": lambda path: path.web,
}
"""Groups of paths, which overlap. A small pipe holds fewer than 50 packets, a large one more than 500."""


def members(group: str, paths: Iterable[Path]) -> list[Path]:
    """The paths of a group."""
    return [path for path in paths if GROUPS[group](path)]
