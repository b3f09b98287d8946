"""The scenarios of cases: one flow over one bottleneck, whose delay the seed draws."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["BOTTLENECK", "FAST", "one_flow"]

BOTTLENECK = "topology.dumbbell.bottleneck"
"""The link whose keys a second run changes."""

ACCESS_MS = 1

FAST = {"rate": "1 Gbit/s", "delay": f"{ACCESS_MS} ms"}


def one_flow(
    rate: str,
    rtt_ms: float,
    seconds: float,
    *,
    buffer: str = "200 packets",
    flow: Mapping[str, object] | None = None,
    tcp: Mapping[str, object] | None = None,
    sample: str = "1 ms",
    shorter_at_s: float | None = None,
    **link: object,
) -> dict[str, object]:
    """A scenario of one flow over a bottleneck of this rate.

    Its round trip without a queue is `rtt_ms` within a tenth, which the seed draws. It becomes 2 ms shorter
    at `shorter_at_s`, if that is given. A link with a `delay` has that one.
    """
    one_way_ms = rtt_ms / 2 - 2 * ACCESS_MS
    spread_ms = rtt_ms / 20
    delay: object = {
        "uniform": {"from": f"{one_way_ms - spread_ms:g} ms", "to": f"{one_way_ms + spread_ms:g} ms"}
    }
    if shorter_at_s is not None:
        begins = [one_way_ms - spread_ms, one_way_ms, one_way_ms + spread_ms]
        steps = [[["0 s", f"{ms:g} ms"], [f"{shorter_at_s:g} s", f"{ms - 1:g} ms"]] for ms in begins]
        delay = {"choice": [{"steps": each} for each in steps]}
    drawn = {} if "delay" in link else {"draw": {"topology": {"dumbbell": {"bottleneck": {"delay": delay}}}}}
    return {
        "duration": f"{seconds:g} s",
        "topology": {
            "dumbbell": {"bottleneck": {"rate": rate, "buffer": buffer, **link}, "access": dict(FAST)}
        },
        **drawn,
        "tcp": dict(tcp or {}),
        "flow": [dict(flow or {})],
        "trace": {"interval": sample},
    }
