"""The published signatures of token-bucket policers and shapers.

Datagrams at a constant rate C above the token rate r empty a bucket of b bits after b / (C - r).

*Policer*: by RFC 2475, 2.3.3.4, it discards packets that find no tokens. From then on a part 1 - r / C is
lost, and delivered packets do not wait. Flach et al., "An Internet-Wide Analysis of Traffic Policing"
(SIGCOMM 2016), section 3, find policers in captures by this: a bucket that fills at the policing rate has too
few tokens for a packet at each loss and enough at each delivery, that rate is the goodput between the first
and the last loss, and the round-trip time at a loss is no longer than elsewhere, for no queue stands. The
bucket is computed here from the captured arrivals.

*Shaper*: by RFC 2475, 2.3.3.3, it delays packets instead. Kanuparthy and Dovrolis, "ShaperProbe" (IMC 2011),
section 2: the received rate is C, and r from b / (C - r) on (a level shift), without loss. Between any two
instants no more bits leave than b, r times the interval, and a packet. From the shift on the wait grows by C
/ r - 1 seconds per second.

A flow of CUBIC fills the queue of a shaper and not that of a policer, and loses more behind the policer.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from numpy.typing import NDArray

from ackclock import Result
from ackclock.measures.verdict import Verdict
from ackclock.report.figures import new_figure
from verification.checks.runs import Settings, row, simulate_all
from verification.report import Report

LINK_BIT_PER_S = 100e6
DELAY_S = 10e-3
TOKENS_BIT_PER_S = 10e6
BUCKET_BYTES = 250_000
OFFERED_BIT_PER_S = (15e6, 30e6, 60e6)
PACKET_BYTES = 1000
PACKET_BITS = 8 * PACKET_BYTES
NANOSECOND = 1e-9
COLOURS = {"policer": "#d55e00", "shaper": "#0072b2"}

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Seen:
    """The packets before a token bucket, and the time at which each arrived behind it; NaN for a lost one."""

    arrivals_s: Floats
    delivered_s: Floats
    wire_bytes: Floats

    @property
    def waits_s(self) -> Floats:
        """The waiting times of the delivered packets."""
        transmission = 8 * self.wire_bytes / LINK_BIT_PER_S
        waits: Floats = self.delivered_s - self.arrivals_s - transmission - DELAY_S
        return waits[~np.isnan(waits)]


def scenario(kind: str, traffic: Settings, *, seconds: float, buffer: str) -> Settings:
    """A token bucket on a link of ten times its rate."""
    bucket = f"{kind}(rate={TOKENS_BIT_PER_S:.0f} bit/s, burst={BUCKET_BYTES} bytes)"
    limited = {
        "from": "m",
        "to": "b",
        "rate": f"{LINK_BIT_PER_S:.0f} bit/s",
        "delay": f"{DELAY_S * 1e3:g} ms",
        "buffer": buffer,
        "impairments": [bucket],
        "reverse": {"impairments": []},
    }
    return {
        "name": "policing",
        "duration": f"{seconds:g} s",
        "topology": {
            "graph": {"link": [{"from": "a", "to": "m", "rate": "1 Gbit/s", "delay": "1 us"}, limited]}
        },
        **traffic,
        "trace": {"packets": ["a->m", "m->b"]},
    }


def datagrams(rate_bit_per_s: float) -> Settings:
    """A constant rate."""
    packet = f"{PACKET_BYTES} bytes"
    return {"udp": [{"from": "a", "to": "b", "rate": f"{rate_bit_per_s:.0f} bit/s", "packet": packet}]}


def download() -> Settings:
    """One flow of CUBIC."""
    return {"tcp": {"algorithm": "rack+cubic"}, "flow": [{"from": "a", "to": "b"}]}


def seen(result: Result) -> Seen:
    """Both captures, matched packet by packet: neither link reorders."""
    before, behind = row(result.links, "a->m")["link"], row(result.links, "m->b")["link"]
    packets = result.packets.filter(pl.col("kind").is_in(["data", "udp"]))
    # A retransmission has the sequence number of the packet that it replaces, which did not arrive.
    offered = packets.filter(pl.col("link") == before)
    arrived = packets.filter(pl.col("link") == behind)
    times = np.full(offered.height, np.nan)
    place = 0
    numbers, sent = offered["sequence"].to_list(), offered["time_s"].to_list()
    pending = list(zip(arrived["sequence"].to_list(), arrived["time_s"].to_list(), strict=True))
    for index, (number, since) in enumerate(zip(numbers, sent, strict=True)):
        if place < len(pending) and pending[place][0] == number and pending[place][1] > since:
            times[index] = pending[place][1]
            place += 1
    return Seen(np.array(sent), times, offered["wire_bytes"].to_numpy().astype(float))


def bucket(found: Seen) -> tuple[int, int]:
    """The packets that a bucket computed from the arrivals treats differently, and those that it refuses."""
    tokens, last, wrong, refused = float(BUCKET_BYTES), 0.0, 0, 0
    in_network = np.isnan(found.delivered_s) & (found.arrivals_s > found.arrivals_s[-1] - 2 * DELAY_S)
    for at, size, delivered, late in zip(
        found.arrivals_s, found.wire_bytes, found.delivered_s, in_network, strict=True
    ):
        tokens = min(tokens + TOKENS_BIT_PER_S / 8 * (at - last), float(BUCKET_BYTES))
        last = at
        passes = tokens >= size - 1e-3
        tokens -= size if passes else 0.0
        refused += not passes
        wrong += not late and passes == bool(np.isnan(delivered))
    return wrong, refused


def curve(found: Seen) -> tuple[Floats, Floats]:
    """Times of arrival behind the bucket, and the bits up to each."""
    arrived = ~np.isnan(found.delivered_s)
    return found.delivered_s[arrived], np.cumsum(8 * found.wire_bytes[arrived])


def largest_burst_bits(found: Seen) -> float:
    """The largest excess of the bits that left in any interval over the token rate times the interval."""
    times, bits = curve(found)
    above = bits - TOKENS_BIT_PER_S * times
    before = np.minimum.accumulate(np.concatenate(([0.0], bits[:-1])) - TOKENS_BIT_PER_S * times)
    return float(np.max(above - before))


def policed(found: Seen, rate: float) -> list[Verdict]:
    """The effect of a policer on a constant rate."""
    what = f"{rate / 1e6:g} Mbit/s, policer"
    emptied = 8 * BUCKET_BYTES / (rate - TOKENS_BIT_PER_S)
    lost = np.isnan(found.delivered_s) & (found.arrivals_s < found.arrivals_s[-1] - 2 * DELAY_S)
    first = float(found.arrivals_s[np.argmax(lost)])
    later = found.arrivals_s >= first
    kept = found.arrivals_s < found.arrivals_s[-1] - 2 * DELAY_S
    share = float(np.mean(lost[later & kept]))
    wrong, _ = bucket(found)
    return [
        Verdict.near(f"first loss, {what} [s]", first, emptied, 2 * PACKET_BITS / TOKENS_BIT_PER_S),
        Verdict.near(f"part lost from then on, {what}", share, 1 - TOKENS_BIT_PER_S / rate, 1e-3),
        Verdict.within(f"longest wait, {what} [us]", 1e6 * float(found.waits_s.max()), -0.001, 0.001),
        Verdict.same(f"packets against the bucket, {what}", wrong, 0),
    ]


def shaped(found: Seen, rate: float) -> list[Verdict]:
    """The effect of a shaper on a constant rate."""
    what = f"{rate / 1e6:g} Mbit/s, shaper"
    emptied = 8 * BUCKET_BYTES / (rate - TOKENS_BIT_PER_S)
    times, bits = curve(found)
    times = times - DELAY_S
    end = float(times[-1])

    def mean_rate(begin: float, stop: float) -> float:
        low, high = np.searchsorted(times, (begin, stop))
        return float((bits[high - 1] - bits[low]) / (times[high - 1] - times[low]))

    waits = found.waits_s
    slow = found.arrivals_s[: len(waits)] > emptied
    growth = float(np.polyfit(found.arrivals_s[: len(waits)][slow], waits[slow], 1)[0])
    gaps = ~np.isnan(found.delivered_s)
    return [
        Verdict.near(
            f"rate before the shift, {what} [Mbit/s]", mean_rate(0.0, emptied) / 1e6, rate / 1e6, rate / 1e9
        ),
        Verdict.near(f"rate behind the shift, {what} [Mbit/s]", mean_rate(emptied, end) / 1e6, 10.0, 0.01),
        Verdict.near(
            f"largest burst, {what} [kB]",
            largest_burst_bits(found) / 8e3,
            BUCKET_BYTES / 1e3,
            PACKET_BYTES / 1e3,
        ),
        Verdict.near(f"growth of the wait, {what}", growth, rate / TOKENS_BIT_PER_S - 1, 1e-3),
        # Packets arrive in order and without a gap: those missing at the end still wait.
        Verdict.same(f"packets lost, {what}", int(np.sum(~gaps[: int(gaps.sum())])), 0),
    ]


def downloads(found: dict[str, Seen], results: dict[str, Result]) -> list[Verdict]:
    """The signatures of Flach et al. in a flow of CUBIC."""
    wrong, refused = bucket(found["policer"])
    times = found["policer"].arrivals_s[np.isnan(found["policer"].delivered_s)]
    first, last = float(times[0]), float(times[-1])
    arrived, bits = curve(found["policer"])
    low, high = np.searchsorted(arrived, (first, last))
    rate = float((bits[high - 1] - bits[low]) / (arrived[high - 1] - arrived[low])) / 1e6
    waits = {kind: 1e3 * float(np.quantile(each.waits_s, 0.99)) for kind, each in found.items()}
    again = {kind: float(result.flows["retransmissions"][0]) for kind, result in results.items()}
    return [
        Verdict.same("packets against the bucket, CUBIC behind a policer", wrong, 0),
        Verdict.within("packets lost, CUBIC behind a policer", refused, 100, np.inf),
        Verdict.within("rate between first and last loss, CUBIC behind a policer [Mbit/s]", rate, 8.0, 10.05),
        Verdict.within("99th percentile of waits, CUBIC behind a policer [ms]", waits["policer"], 0.0, 2.0),
        Verdict.within("99th percentile of waits, CUBIC behind a shaper [ms]", waits["shaper"], 50.0, np.inf),
        Verdict.within("sent again, policer over shaper", again["policer"] / again["shaper"], 2.0, np.inf),
    ]


def verify(*, quick: bool) -> Report:
    """Runs both kinds of buckets under datagrams and under a download."""
    rates = OFFERED_BIT_PER_S[1:2] if quick else OFFERED_BIT_PER_S
    kinds = tuple(COLOURS)
    cells = [(kind, rate) for kind in kinds for rate in rates]
    flows = [scenario(kind, download(), seconds=30, buffer="200 packets") for kind in kinds]
    steady = [scenario(kind, datagrams(rate), seconds=5, buffer="unlimited") for kind, rate in cells]
    results = simulate_all([*steady, *flows])
    found = {cell: seen(result) for cell, result in zip(cells, results, strict=False)}
    checks = [
        verdict
        for (kind, rate), each in found.items()
        for verdict in (policed if kind == "policer" else shaped)(each, rate)
    ]
    runs = dict(zip(kinds, results[len(cells) :], strict=True))
    checks += downloads({kind: seen(result) for kind, result in runs.items()}, runs)
    figure, (left, right) = new_figure(1, 2, height=3.0)
    for kind in kinds:
        _draw(left, right, kind, found[kind, 30e6])
    for axis in (left, right):
        axis.axvline(0.1, color="#999999", linewidth=0.6)
        axis.legend()
    left.set(
        xlabel="time [s]",
        ylabel="rate behind [Mbit/s]",
        xlim=(0, 0.5),
        ylim=(0, None),
        title="30 Mbit/s offered",
    )
    right.set(
        xlabel="time [s]", ylabel="wait [ms]", xlim=(0, 0.5), ylim=(-5, 500), title="Waits of what arrives"
    )
    return Report("policing", "Policers and shapers", tuple(checks), figure)


def _draw(left: Axes, right: Axes, kind: str, each: Seen) -> None:
    times, bits = curve(each)
    bins = np.arange(0.0, 0.5, 0.01)
    rates = np.diff(np.interp(bins, times - DELAY_S, bits)) / 0.01 / 1e6
    width = 3.0 if kind == "policer" else 1.2
    left.stairs(rates, bins, color=COLOURS[kind], label=kind, baseline=None, linewidth=width)
    arrived = each.arrivals_s[~np.isnan(each.delivered_s)]
    early = arrived < 0.5
    right.plot(arrived[early], 1e3 * each.waits_s[early], color=COLOURS[kind], label=kind)
