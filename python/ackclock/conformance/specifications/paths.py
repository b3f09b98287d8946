"""The scenarios of cases: one flow over one bottleneck, whose delay the seed draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

__all__ = [
    "BOTTLENECK",
    "FAST",
    "FORWARD",
    "client",
    "losing",
    "one_flow",
    "stepped",
    "with_others",
]

BOTTLENECK = "topology.dumbbell.bottleneck"
"""The link whose keys a second run changes."""

ACCESS_MS = 1

FAST = {"rate": "1 Gbit/s", "delay": f"{ACCESS_MS} ms"}

FORWARD = ("src1->left", "left->src1")
"""Where the data of the first flow leaves its sender, and where acknowledgments reach it."""


def one_flow(  # noqa: PLR0913 - what cases vary, most of them one of it
    rate: object,
    rtt_ms: float,
    seconds: float,
    *,
    buffer: str = "200 packets",
    flow: Mapping[str, object] | None = None,
    tcp: Mapping[str, object] | None = None,
    sample: str = "1 ms",
    shorter_at_s: float | None = None,
    watch: Sequence[str] = (),
    **link: object,
) -> dict[str, object]:
    """A scenario of one flow over a bottleneck of this rate.

    Its round trip without a queue is `rtt_ms` within a tenth, which the seed draws. It becomes 2 ms shorter
    at `shorter_at_s`, if that is given. A link with a `delay` has that one. The packets that pass the link
    directions of `watch` are recorded.
    """
    one_way_ms = rtt_ms / 2 - 2 * ACCESS_MS
    spread_ms = rtt_ms / 20
    delay: object = {
        "uniform": {"from": f"{one_way_ms - spread_ms:g} ms", "to": f"{one_way_ms + spread_ms:g} ms"}
    }
    if shorter_at_s is not None:
        begins = [one_way_ms - spread_ms, one_way_ms, one_way_ms + spread_ms]
        delay = {"choice": [stepped(f"{ms:g} ms", (shorter_at_s, f"{ms - 1:g} ms")) for ms in begins]}
    drawn = {} if "delay" in link else {"draw": {"topology": {"dumbbell": {"bottleneck": {"delay": delay}}}}}
    return {
        "duration": f"{seconds:g} s",
        "topology": {
            "dumbbell": {"bottleneck": {"rate": rate, "buffer": buffer, **link}, "access": dict(FAST)}
        },
        **drawn,
        "tcp": dict(tcp or {}),
        "flow": [dict(flow or {})],
        "trace": {"interval": sample, **({"packets": list(watch)} if watch else {})},
    }


def with_others(scenario: dict[str, Any], *others: Mapping[str, object]) -> dict[str, Any]:
    """The scenario of a flow with further flows over the same bottleneck, each between hosts of its own."""
    several = deepcopy(scenario)
    several["topology"]["dumbbell"]["pairs"] = 1 + len(others)
    several["flow"] += [dict(other) for other in others]
    return several


def stepped(first: object, *changes: tuple[float, object]) -> dict[str, object]:
    """A value of a link over time: the first one, and each from its time in seconds on."""
    return {"steps": [["0 s", first], *([f"{round(time_s, 6):.10g} s", value] for time_s, value in changes)]}


def losing(share: float, begin_s: float, end_s: float | None = None) -> dict[str, object]:
    """A link's losses: this share of the packets from one time on, until another if it is given."""
    ends = () if end_s is None else ((end_s, 0.0),)
    return {"schedule": stepped(0.0, (begin_s, share), *ends)}


def client(response: Mapping[str, object], think: str) -> dict[str, object]:
    """A flow of responses of a size, each asked for by one packet this long after the one before."""
    return {
        "backward": True,
        "request": {"size": {"constant": "1 packets"}},
        "response": {"size": dict(response)},
        "think": {"constant": think},
    }
