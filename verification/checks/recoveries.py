"""One to four losses in a window, retransmission by retransmission, after Fall and Floyd (CCR 26(3), 1996).

Their network: a source, 8 Mbit/s to a router, 800 kbit/s and 100 ms to the sink; packets of 1000 bytes, a
window of at most 28, an acknowledgment for every packet. Slow start from one packet sends packet 0, then 1 to
2, 3 to 6, 7 to 14 (counted from 0 as in the paper). Packet 14 is lost. The acknowledgments of the packets
before it release 15 to 28, so 15 packets are outstanding when the third duplicate acknowledgment comes; of
these 28, or 26 and 28, or 24, 26 and 28 are lost too: figures 2 to 5 of the paper.

The rest is derived by hand from the rules, with 15 packets outstanding and a threshold of 7: - Tahoe restarts
with one packet from the loss on, and sends packets again that may have arrived: 25 and 27.
- Reno (RFC 5681, 3.2): n duplicates let it send up to packet 14 + 7 + n - 1. The first acknowledgment of
  new data ends recovery. Packets sent meanwhile reveal a second loss, which halves the window again; with
  three or four losses too few were sent, and the sender waits for its timer.
- NewReno (RFC 6582): one loss repaired per round trip, no timer. A partial acknowledgment of m packets lets
  the window go by m - 1.
- SACK (RFC 6675): a hole counts as lost when three packets above it have arrived. For 24 to 28 that is the
  case one round trip after 14 was sent again, so two to three round trips suffice for any number of losses.
  (The paper's own sender, older than the RFC, does not wait for the three: it repairs 24 in the first round
  trip.)

Nothing here is random: the packets sent and their order must be exactly these. Round trips are counted in
units of the time from a packet's departure to its acknowledgment in an empty network.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from matplotlib.axes import Axes

from ackclock import Result
from ackclock.measures.verdict import Verdict
from ackclock.report.figures import new_figure
from verification.checks.runs import Settings, simulate_all
from verification.report import Report

PAYLOAD, HEADER = 960, 40
RTT_S = 0.2 + (1000 + 40) * 8 / 8e6 + (1000 + 40) * 8 / 800e3
RTO_S = 1.0
LAST = 28
"""The last packet sent before the loss is noticed."""

ALGORITHMS = ("tahoe", "reno", "newreno", "sack")


@dataclass(frozen=True)
class Expected:
    """The segments from the third duplicate acknowledgment until all data up to `LAST` is acknowledged."""

    sent: str
    """Packets in order, runs as "29-34"."""
    rtts: tuple[float, float]
    """Least and most round trips to the acknowledgment of everything, timeouts not counted."""
    timeouts: int = 0
    episodes: int = 1
    """Times the window is cut by duplicate acknowledgments."""

    @property
    def packets(self) -> list[int]:
        """The packets in order."""
        runs = [run.split("-") for run in self.sent.split()]
        return [packet for run in runs for packet in range(int(run[0]), int(run[-1]) + 1)]

    @property
    def again(self) -> list[int]:
        """The packets sent again."""
        return [packet for packet in self.packets if packet <= LAST]


EXPECTED: dict[tuple[int, ...], dict[str, Expected]] = {
    (14,): {
        "tahoe": Expected("14", (1, 1)),
        "reno": Expected("14 29-34", (1, 1)),
        "newreno": Expected("14 29-34", (1, 1)),
        "sack": Expected("14 29-34", (1, 1)),
    },
    (14, 28): {
        "tahoe": Expected("14 28 29", (2, 2)),
        "reno": Expected("14 29-34 28 35-36", (2, 3), episodes=2),
        "newreno": Expected("14 29-33 28 34-39", (2, 2)),
        "sack": Expected("14 29-36 28 37-42", (2, 3)),
    },
    (14, 26, 28): {
        "tahoe": Expected("14 26-30", (3, 3)),
        "reno": Expected("14 29-32 26 28", (3, 4), timeouts=1, episodes=2),
        "newreno": Expected("14 29-32 26 33-37 28 38-43", (3, 3)),
        "sack": Expected("14 29-34 26 35 28 36-41", (2, 3)),
    },
    (14, 24, 26, 28): {
        # Packet 28 leaves behind 26 and 27, whose transmissions take a tenth of a round trip.
        "tahoe": Expected("14 24-31", (3, 3.2)),
        "reno": Expected("14 29-31 24 26 28 29", (4, 5), timeouts=1, episodes=2),
        "newreno": Expected("14 29-31 24 32-35 26 36-40 28 41-46", (4, 4)),
        "sack": Expected("14 29-32 24 33 26 34 28 35-40", (2, 3)),
    },
}


def scenario(algorithm: str, losses: tuple[int, ...]) -> Settings:
    """The paper's network. Ordinals count from 1, the paper's packets from 0."""
    script = {"scripted": {"flow": 0, "packets": [packet + 1 for packet in losses]}}
    return {
        "name": "recovery",
        "duration": "6 s",
        "topology": {
            "graph": {
                "link": [
                    {"from": "s", "to": "r", "rate": "8 Mbit/s", "delay": "0 ms"},
                    {"from": "r", "to": "k", "rate": "800 kbit/s", "delay": "100 ms", "loss": script},
                ]
            }
        },
        "tcp": {
            "algorithm": algorithm,
            "mss": f"{PAYLOAD} bytes",
            "header": f"{HEADER} bytes",
            "segments_per_ack": 1,
            "initial_window": "1 packets",
            "receive_window": "28 packets",
            "limited_transmit": False,
            "reordering_timer_slack": "0 ms",
            "rearm_at_fast_retransmit": False,
            "handshake": False,
        },
        "flow": [{"from": "s", "to": "k"}],
        "trace": {"packets": ["s->r", "r->s"], "interval": "1 s"},
    }


@dataclass(frozen=True)
class Trace:
    """The segments sent and the acknowledgments received, by time at the sender's router."""

    times: list[float]
    packets: list[int]
    ack_times: list[float]
    acks: list[int]
    """The acknowledgments; each covers the packets before its number."""
    drop_times: list[float]
    drops: list[int]

    @staticmethod
    def of(result: Result) -> Trace:
        """Read from the tables of a run."""
        data = result.packets.filter(pl.col("kind") == "data")
        acks = result.packets.filter(pl.col("kind") == "ack")
        return Trace(
            data["time_s"].to_list(),
            [_number(sequence) for sequence in data["sequence"]],
            acks["time_s"].to_list(),
            [_number(sequence) for sequence in acks["acknowledgment"]],
            result.drops["time_s"].to_list(),
            [_number(sequence) for sequence in result.drops["sequence_bytes"]],
        )

    @property
    def recovery(self) -> tuple[int, float, float]:
        """The index and time of its first packet, and the time when everything to `LAST` is acknowledged."""
        begins = self.packets.index(LAST) + 1
        ends = next(t for t, ack in zip(self.ack_times, self.acks, strict=True) if ack > LAST)
        return begins, self.times[begins], ends

    def sent_in_recovery(self) -> list[int]:
        """Packets in the order they were sent."""
        begins, _, ends = self.recovery
        later = zip(self.times[begins:], self.packets[begins:], strict=True)
        return [packet for time, packet in later if time < ends]


def runs(packets: list[int]) -> str:
    """As `Expected` writes them, e.g. "14 29-31"."""
    found: list[list[int]] = []
    for packet in packets:
        if found and packet == found[-1][-1] + 1:
            found[-1].append(packet)
        else:
            found.append([packet])
    return " ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in found)


def _number(sequence: int) -> int:
    """The number of a packet, from 0; the first byte of data has sequence number 1."""
    return (sequence - 1) // PAYLOAD


def verify(*, quick: bool) -> Report:  # noqa: ARG001 - it is quick
    """Carries out the sixteen recoveries."""
    cases = [(losses, algorithm) for losses in EXPECTED for algorithm in ALGORITHMS]
    results = simulate_all([scenario(algorithm, losses) for losses, algorithm in cases])
    figure, axes = new_figure(len(EXPECTED), len(ALGORITHMS), height=7.0, sharex=True, sharey=True)
    checks = []
    for (losses, algorithm), result, axis in zip(cases, results, axes, strict=True):
        trace = Trace.of(result)
        checks += _compare(algorithm, losses, result, trace)
        _draw(axis, trace, EXPECTED[losses][algorithm])
    for axis, algorithm in zip(axes, ALGORITHMS, strict=False):
        axis.set_title(algorithm)
    for axis, losses in zip(axes[:: len(ALGORITHMS)], EXPECTED, strict=True):
        axis.set_ylabel(f"lost: {', '.join(map(str, losses))}\npacket mod 90")
    for axis in axes[-len(ALGORITHMS) :]:
        axis.set_xlabel("time [s]")
    return Report("recoveries", "Recoveries from one to four losses", tuple(checks), figure)


def _compare(algorithm: str, losses: tuple[int, ...], result: Result, trace: Trace) -> list[Verdict]:
    expected = EXPECTED[losses][algorithm]
    where = f"{algorithm}, {', '.join(map(str, losses))} lost"
    flow = result.flows.row(0, named=True)
    _, begins, ends = trace.recovery
    # Packets are seen at the router, a transmission of 1 ms after they were sent.
    rtts = (ends - begins + 1000 * 8 / 8e6 - expected.timeouts * RTO_S) / RTT_S
    low, high = expected.rtts
    return [
        Verdict.same(f"sent in recovery, {where}", runs(trace.sent_in_recovery()), runs(expected.packets)),
        Verdict.same(
            f"sent again, {where}", flow["retransmissions"], len(expected.again) + _needless(expected)
        ),
        Verdict.same(f"timeouts, {where}", flow["timeouts"], expected.timeouts),
        Verdict.same(f"loss episodes, {where}", flow["fast_retransmits"], expected.episodes),
        Verdict.within(f"round trips to repair, {where}", round(rtts, 6), low, high),
    ]


def _needless(expected: Expected) -> int:
    """Retransmissions above `LAST`: a sender that timed out does not know what arrived behind it."""
    packets = expected.packets
    return len(packets) - len(set(packets))


def _draw(axis: Axes, trace: Trace, expected: Expected) -> None:
    packets, times = np.array(trace.packets), np.array(trace.times)
    again = np.array([packet in trace.packets[:index] for index, packet in enumerate(trace.packets)])
    axis.plot(
        trace.ack_times, np.array(trace.acks) % 90, ".", color="#bbbbbb", markersize=1.5, rasterized=True
    )
    axis.plot(times[~again], packets[~again] % 90, ".", color="#0072b2", markersize=2.2, rasterized=True)
    axis.plot(times[again], packets[again] % 90, "s", color="#d55e00", markersize=2.8)
    axis.plot(trace.drop_times, np.array(trace.drops) % 90, "x", color="#000000", markersize=4)
    _, begins, ends = trace.recovery
    axis.axvspan(begins, ends, color="#f2f2f2", zorder=0)
    axis.set(xlim=(0.5, 3.3), xticks=[1, 2, 3], ylim=(0, 90), yticks=[0, 30, 60, 90])
    label = (
        f"{expected.timeouts} timeout" if expected.timeouts else f"{(ends - begins) / RTT_S:.1f} round trips"
    )
    axis.annotate(
        label,
        (0.05, 0.97),
        xycoords="axes fraction",
        va="top",
        fontsize=7,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
    )
