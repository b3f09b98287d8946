"""The networks of the criteria, as nested tables of a scenario."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

__all__ = ["BOTTLENECK", "SAMPLES", "dumbbell", "flows", "star", "udp"]

BOTTLENECK = "left->right"
"""The link direction that measures refer to."""

SAMPLES = "10 ms"
"""The interval of samples of the queue."""

Table = Mapping[str, object]


def dumbbell(
    rate_mbit_per_s: float,
    round_trip_ms: float,
    buffer_bdp: float,
    traffic: Sequence[Table],
    *,
    seconds: float = 30,
    warm_up_s: float = 5,
    datagrams: Sequence[Table] = (),
    link: Table | None = None,
) -> dict[str, object]:
    """A bottleneck that all traffic shares, with links ten times as fast on either side.

    The access takes a tenth of the round trip; more than eight flows share access links. A buffer holds two
    packets at least. `link` has further keys of the bottleneck, such as its queue. With a typical `path` the
    bottleneck has no other key.
    """
    packets = max(2, round(buffer_bdp * rate_mbit_per_s * round_trip_ms * 1e3 / 8 / 1500))
    bottleneck: dict[str, object] = {
        "rate": f"{rate_mbit_per_s:g} Mbit/s",
        "delay": f"{0.45 * round_trip_ms:g} ms",
        "buffer": f"{packets} packets",
        **(link or {}),
    }
    if "path" in bottleneck:
        bottleneck = {"path": bottleneck["path"]}
    pairs = sum(int(str(group.get("count", 1))) for group in (*traffic, *datagrams))
    return {
        "name": "cell",
        "duration": f"{seconds:g} s",
        "warm_up": f"{warm_up_s:g} s",
        "topology": {
            "dumbbell": {
                "pairs": min(pairs, 8),
                "bottleneck": bottleneck,
                "access": {
                    "rate": f"{10 * rate_mbit_per_s:g} Mbit/s",
                    "delay": f"{0.025 * round_trip_ms:g} ms",
                },
            }
        },
        "tcp": {},
        "flow": list(traffic),
        **({"udp": list(datagrams)} if datagrams else {}),
        "trace": {"interval": SAMPLES, "flows": False},
    }


def star(
    senders: int, rate_gbit_per_s: float, round_trip_us: float, traffic: Sequence[Table], seconds: float
) -> Table:
    """Senders with links of one rate through a switch to one receiver whose link is as fast."""
    fast = {"rate": f"{rate_gbit_per_s:g} Gbit/s", "delay": f"{round_trip_us / 4:g} us"}
    links = [{"from": f"host{number}", "to": "left", **fast} for number in range(1, senders + 1)]
    links.append({"from": "left", "to": "right", "buffer": "200 packets", **fast})
    return {
        "name": "cell",
        "duration": f"{seconds:g} s",
        "topology": {"graph": {"link": links}},
        "flow": list(traffic),
        "trace": {"interval": "1 ms", "flows": False},
    }


def flows(name: str, count: int = 1, **keys: object) -> dict[str, object]:
    """A group of flows that begin within a second; without `algorithm` they have the contender's."""
    return {"name": name, "count": count, "start_jitter": "1 s", **keys}


def udp(name: str, rate_kbit_per_s: float, packet_bytes: int) -> dict[str, object]:
    """A stream of datagrams at a constant rate."""
    return {
        "name": name,
        "rate": f"{rate_kbit_per_s:g} kbit/s",
        "packet": f"{packet_bytes} bytes",
        "start_jitter": "1 s",
    }
