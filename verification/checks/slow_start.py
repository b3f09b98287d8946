"""Slow start, round trip by round trip.

Every acknowledgment of new data lets the window grow by one packet (RFC 5681, 3.1). With an acknowledgment
for every packet the window doubles: I 2^k packets leave in round trip k, I the initial window (Jacobson
1988). With one for every other packet, each releases three packets, the two it acknowledges and one more: the
growth is by 3/2, to be exact 3 floor((N + c) / 2) packets after N, where c is the odd packet that waits for
its partner.

The path is so fast that a round trip's packets leave together and nothing is ever lost, and a round trip is
shorter than an acknowledgment may be delayed. Nothing is random, so the counts must be equal.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from ackclock import Result
from ackclock.measures.verdict import Verdict
from ackclock.report.figures import new_figure
from verification.checks.runs import Settings, simulate_all
from verification.report import Report

RTT_S = 0.1
ROUNDS = 8


def scenario(initial_window: str, segments_per_ack: int) -> Settings:
    """A flow in slow start for some round trips."""
    link = {"from": "a", "to": "b", "rate": "1000 Gbit/s", "delay": f"{RTT_S * 500:g} ms"}
    return {
        "name": "slow-start",
        "duration": f"{(ROUNDS - 0.5) * RTT_S:g} s",
        "topology": {"graph": {"link": [link]}},
        "tcp": {"initial_window": initial_window, "segments_per_ack": segments_per_ack, "handshake": False},
        "flow": [{"from": "a", "to": "b"}],
        "trace": {"packets": ["a->b"]},
    }


def expected(initial: int, segments_per_ack: int) -> list[int]:
    """Packets that arrive in each round trip."""
    counts, waiting = [initial], 0
    while len(counts) < ROUNDS - 1:
        acknowledgments, waiting = divmod(counts[-1] + waiting, segments_per_ack)
        counts.append(acknowledgments * (segments_per_ack + 1))
    return counts


def measured(result: Result) -> list[int]:
    """The window from the packets seen at the far end, half a round trip after their departure."""
    data = result.packets.filter(pl.col("payload_bytes") > 0)["time_s"].to_numpy()
    rounds = np.floor(data / RTT_S).astype(int)
    return [int(count) for count in np.bincount(rounds)]


def verify(*, quick: bool) -> Report:  # noqa: ARG001 - it is quick
    """Carries out the experiment with several initial windows."""
    # RFC 3390: min(4, max(2, 4380 / 1460)) = 3 packets; RFC 6928: 10.
    cases = [
        ("1 packet", 1, 1),
        ("2 packets", 2, 1),
        ("rfc3390", 3, 1),
        ("rfc6928", 10, 1),
        ("rfc6928", 10, 2),
    ]
    results = simulate_all([scenario(text, segments_per_ack) for text, _, segments_per_ack in cases])
    figure, (axis,) = new_figure(height=3.0)
    checks = []
    for (text, initial, segments_per_ack), result, colour in zip(
        cases, results, ["#0072b2", "#009e73", "#cc79a7", "#d55e00", "#e69f00"], strict=True
    ):
        name = f"{text}, acknowledged {'one by one' if segments_per_ack == 1 else 'in pairs'}"
        found, theory = measured(result), expected(initial, segments_per_ack)
        checks.append(Verdict.same(f"packets per round trip, {name}", found, theory))
        axis.plot(theory, color=colour, linewidth=0.8)
        axis.plot(found, "o", color=colour, markerfacecolor="none", label=name)
    axis.set(xlabel="round trip", ylabel="packets", title="Slow start")
    axis.set_yscale("log", base=2)
    axis.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    return Report("slow-start", "Slow start doubles the window", tuple(checks), figure)
