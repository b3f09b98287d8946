"""The draft's dumbbell with its nine paths (4.1), and the traffic on them (4.2)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from ackclock.evaluation.networks import Table

__all__ = ["PACKET_BITS", "Central", "Edges", "dumbbell", "packets_of", "sessions"]


@dataclass(frozen=True)
class Central:
    """The link in the middle, whose buffer takes `buffer_s` to drain."""

    rate_mbit_per_s: float
    delay_ms: float
    buffer_s: float
    keys: Table = field(default_factory=dict)
    """Further keys of the link."""


@dataclass(frozen=True)
class Edges:
    """The links of the nodes, without a limit of their buffers."""

    rate_mbit_per_s: float
    delays_ms: tuple[tuple[float, ...], tuple[float, ...]] = ((0.0, 12.0, 25.0), (2.0, 37.0, 75.0))
    """One-way delays, on either side. The draft's delays make round trips of 4 to 200 ms."""


LEFT, RIGHT = ("n1", "n2", "n3"), ("n4", "n5", "n6")

PATHS = [(first, last) for first in LEFT for last in RIGHT]
"""The draft's nine pairs of nodes."""

PACKET_BITS = 1500 * 8

MEDIAN_PACKETS, SIGMA = 10, 2.0
"""The sigma of the lognormal sizes: the mean is exp(sigma²/2) medians.

Flows of 1000 packets and more, one in a hundred, carry two fifths of the load, so that short and long flows
meet, as in the traces of the draft.
"""

MEAN_PACKETS = MEDIAN_PACKETS * math.exp(SIGMA**2 / 2)

BACKWARD_SHARE = 0.1
"""The load of the other direction, as a part of the load; the draft's traces have less load in that direction
too."""


def packets_of(rate_mbit_per_s: float, seconds: float) -> int:
    """A buffer in packets that takes this time to drain."""
    return max(2, round(rate_mbit_per_s * 1e6 * seconds / PACKET_BITS))


def sessions(name: str, load: float, rate_mbit_per_s: float, **keys: object) -> dict[str, object]:
    """Files that arrive as a Poisson process on the nine paths and offer this share of a rate."""
    per_s = load * rate_mbit_per_s * 1e6 / (PACKET_BITS * MEAN_PACKETS)
    return {
        "name": name,
        "from": [first for first, _ in PATHS],
        "to": [last for _, last in PATHS],
        "size": {"lognormal": {"median": f"{MEDIAN_PACKETS} packets", "sigma": SIGMA}},
        "arrivals": {"poisson": {"rate": f"{per_s:.6g} flows/s"}},
        **keys,
    }


def dumbbell(
    central: Central,
    edges: Edges,
    traffic: Sequence[Table],
    *,
    seconds: float,
    warm_up_s: float,
    more_links: Sequence[Table] = (),
) -> dict[str, object]:
    """Nodes on either side of a central link."""
    ends = [(f"n{number}", "left", ms) for number, ms in enumerate(edges.delays_ms[0], start=1)]
    ends += [("right", f"n{number}", ms) for number, ms in enumerate(edges.delays_ms[1], start=4)]
    links = [
        {"from": first, "to": last, "rate": f"{edges.rate_mbit_per_s:g} Mbit/s", "delay": f"{ms:g} ms"}
        for first, last, ms in ends
    ]
    bottleneck = {
        "from": "left",
        "to": "right",
        "rate": f"{central.rate_mbit_per_s:g} Mbit/s",
        "delay": f"{central.delay_ms:g} ms",
        "buffer": f"{packets_of(central.rate_mbit_per_s, central.buffer_s)} packets",
        **central.keys,
    }
    return {
        "name": "cell",
        "duration": f"{seconds:g} s",
        "warm_up": f"{warm_up_s:g} s",
        "topology": {"graph": {"link": [*links, bottleneck, *more_links]}},
        "flow": list(traffic),
        "trace": {"flows": False},
    }
