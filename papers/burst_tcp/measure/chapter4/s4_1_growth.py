"""4.1, 4.2 and the example of 3.2.5: windows by round trips, from one packet on, of three slow starts."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ackclock import Result
from ackclock.papers import Context, Holds, Measured, Values

from ..file_runs import Floats

RTT_S = 1 + 1064 * 8 / 1.5e6 + 40 * 8 / 1.5e6
"""The round trip of a packet over the path of 4.3."""
PACKETS = 64
ROOM_PACKETS = 32
"""The capacity of the network of the examples in 3.2.5, 4.1 and 4.2."""
GROWTHS = ("standard", "base(b=3)", "base(b=4)", "btcp(f=4)", "btcp(f=8)")
"""Slow starts of figures 7 and 8 and of the text's examples."""


def growth(context: Context, slow_start: str) -> Floats:
    """The window in each round trip over the path, until it is past 64 packets."""
    settings = {
        "tcp.handshake": False,
        "tcp.initial_window": "1 packets",
        "tcp.receive_window": "unlimited",
        "flow.0.packets": 2000,
        "duration": "14 s",
        "trace.interval": "10 ms",
    }
    result = context.run(
        context.scenario("path", {**settings, "tcp.algorithm": f"newreno+{slow_start}+reno(limit=1)"})
    )
    windows = by_round(result, 0.0)
    past = np.flatnonzero(windows >= PACKETS)
    return windows[: past[0] + 1] if past.size else windows


def by_round(result: Result, begin_s: float) -> Floats:
    """Windows near the end of each round trip; of all packets of a file, acknowledgments are in by then."""
    series = result.flow_series
    times = series["time_s"].to_numpy()
    ends = np.arange(begin_s + 0.9 * RTT_S, times[-1], RTT_S)
    places = np.searchsorted(times, ends, side="right") - 1
    return np.asarray(series["cwnd_packets"].to_numpy()[places], dtype=np.float64)


def rounds_for(windows: Floats, packets: int) -> int:
    """Round trips in which windows of these sizes send this many packets."""
    return int(np.searchsorted(np.cumsum(np.floor(windows)), packets)) + 1


def flow_level(context: Context, windows: Mapping[str, Floats]) -> dict[str, Measured]:
    """4.1 and 4.2, and the example of 3.2.5."""
    room = {name: in_room(context, name, PACKETS) for name in windows}
    standard = rounds_for(windows["standard"], PACKETS)
    burst = {f: rounds_for(windows[f"btcp(f={f})"], PACKETS) for f in (4, 8)}
    factors = windows["base(b=3)"][1:] / windows["base(b=3)"][:-1]
    reached = {b: int(np.argmax(windows[name] >= PACKETS)) for b, name in ((2, "standard"), (4, "base(b=4)"))}
    text = ", ".join(f"{name} {time:.2f} s with {lost} lost" for name, (time, lost, _) in room.items())
    lost = in_room(context, "standard", 4 * PACKETS)[2]
    return {
        "base-3": Values([float(np.mean(factors))]),
        "base-2-reaches-64": Values([reached[2]]),
        "base-4-reaches-64": Values([reached[4]]),
        "base-2-sent": Values([before_loss(context, "standard")]),
        "base-4-sent": Values([before_loss(context, "base(b=4)")]),
        "base-2-ahead": Holds(
            [room["standard"][1] == 0, room["standard"][0] < room["base(b=4)"][0]], note=text
        ),
        "half-lost": Values(
            [100 * float(np.sum((lost >= PACKETS - 1) & (lost < 2 * PACKETS - 1))) / PACKETS]
        ),
        "btcp4-earlier": Values([standard - burst[4]]),
        "btcp8-rounds": Values([burst[8]]),
        "btcp8-as-slow-start": Values([burst[8] - standard]),
        "btcp-no-loss": Holds([room[f"btcp(f={f})"][1] == 0 for f in (4, 8)], note=text),
        "slow-start-loses": Holds([room["standard"][1] > 0], note=text),
    }


def in_room(context: Context, slow_start: str, packets: int) -> tuple[float, int, Floats]:
    """A file over a path that holds 32 packets: its time, what was lost, and the ordinals of that from 0.

    The path is the base experiment's, with a queue in which a window of 32 packets fits, and not many more.
    """
    settings = {
        "flow.0.count": 1,
        "flow.0.start_jitter": "0 s",
        "flow.0.size": f'{{ constant = "{packets} packets" }}',
        "duration": "60 s",
        "topology.dumbbell.bottleneck.buffer": "16 packets",
        "tcp.handshake": False,
        "tcp.initial_window": "1 packets",
        "tcp.receive_window": "unlimited",
        "tcp.algorithm": f"newreno+{slow_start}+reno(limit=1)",
        "trace.flows": True,
        "trace.interval": "1 s",
    }
    result = context.run(context.scenario("base", settings))
    file = result.transfers.row(0, named=True)
    lost = result.drops["sequence_bytes"].to_numpy() // 1024
    return float(file["finish_s"] - file["start_s"]), int(file["packets_lost"]), lost.astype(np.float64)


def before_loss(context: Context, slow_start: str) -> float:
    """Packets sent before the first that is lost, on the path that holds 32."""
    return float(in_room(context, slow_start, 4 * PACKETS)[2].min())
