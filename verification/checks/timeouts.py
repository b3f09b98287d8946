"""Retransmission timeouts: the sequences that RFC 6298 (and RFC 5681, 7323 by reference) prescribes.

A path carries this many packets and then loses everything. The times at which the same packet is sent show
the timeouts:
- 2.1: before any round-trip time is measured the timeout is one second; 2.4: it is never less;
- 2.2: after the first sample R it is R + 4 R/2 = 3 R;
- 2.3: after n samples that are all R the variation has shrunk to R/2 (3/4)^(n-1), and the timeout is
  R + max(G, 2 R (3/4)^(n-1)): from 3 R down to R + G;
- 5.5: it doubles every time it expires; 2.5: to a maximum of 60 s;
- 5.6 and Karn (1987): a packet sent twice gives no sample, so after it is acknowledged the timeout stays
  backed off until a packet sent once is; here the next packet is lost too, and waits as long as the last
  did;
- 5.7: after a lost SYN data begins with three seconds.
SYNs back off the same way; 3, 6, 12 s with three attempts is what older stacks do (RFC 1122, 4.2.3.1).

Tolerance: nothing here is random. A timeout that follows from a sample is rounded up to the clock's next tick
G (1 ms), so every gap is that of the theory, or up to 2^k G more after k doublings. Bounds have no other
tolerance than a microsecond, the time on the wire before a packet is observed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from matplotlib.axes import Axes

from ackclock import Result
from ackclock.measures.verdict import Verdict
from ackclock.report.figures import new_figure
from verification.checks.runs import Settings, simulate_all
from verification.report import Report

TICK_S = 1e-3
LONGEST_S = 60.0
SEEN_S = 1e-6
FOR_EVER = 200
"""The number of packets to lose, more than are ever sent."""


@dataclass(frozen=True)
class Case:
    """A path that stops carrying packets, and the gaps between the copies of one packet."""

    what: str
    first_s: float
    """The first timeout; each further one is twice as long."""
    count: int
    """Gaps to see."""
    rtt_s: float = 0.05
    lost_from: int = 1
    """The first data packet lost, counted in transmissions."""
    rounded: bool = False
    """True if the timeout follows from a sample, rounded up to the tick."""
    tcp: dict[str, object] = field(default_factory=dict)
    is_syn: bool = False
    loses_syn: bool = False

    def scenario(self) -> Settings:
        """Two links: the first loses a SYN if asked to, the second loses data, or everything."""
        # The first packet finds a Gilbert-Elliott link in the good state; it is lost, and no later packet is.
        first_only = {"good_to_bad": 1.0, "bad_to_good": 0.0, "loss_good": 1.0, "loss_bad": 0.0}
        everything = {"bernoulli": 1.0}
        data = {"scripted": {"flow": 0, "packets": list(range(self.lost_from, self.lost_from + FOR_EVER))}}
        fast: dict[str, object] = {"from": "a", "to": "r", "rate": "100 Gbit/s", "delay": "0 ms"}
        lossy = {"from": "r", "to": "b", "rate": "100 Gbit/s", "delay": f"{self.rtt_s / 2 * 1e9:.0f} ns"}
        if self.loses_syn:
            fast["loss"] = {"gilbert_elliott": first_only}
        last = self.first_s * 2 ** min(self.count, 40)
        seconds = min(last, LONGEST_S * self.count) + 10 * self.rtt_s * self.lost_from + 10
        return {
            "name": "timeouts",
            "duration": f"{seconds:.0f} s",
            "topology": {"graph": {"link": [fast, {**lossy, "loss": everything if self.is_syn else data}]}},
            "tcp": {"segments_per_ack": 1, "clock_granularity": f"{TICK_S * 1e3:g} ms", **self.tcp},
            "flow": [{"from": "a", "to": "b"}],
            "trace": {"packets": ["a->r"]},
        }

    @property
    def gaps(self) -> list[float]:
        """The gaps between copies, in seconds."""
        return [min(self.first_s * 2.0**k, LONGEST_S) for k in range(self.count)]


ONE_BY_ONE: dict[str, object] = {"receive_window": "1 packets", "handshake": False, "rto_min": "1 ms"}
"""One packet per round trip, each of which gives a sample."""

SEQUENCES = (
    Case("data, round trips of 50 ms", 1.0, 9, lost_from=4, tcp={"receive_window": "1 packets"}),
    Case("data, no sample yet", 1.0, 9, tcp={"handshake": False}),
    Case("data, no sample, initially 3 s", 3.0, 7, tcp={"handshake": False, "rto_initial": "3 s"}),
    Case("data, first sample of 1 s by the handshake", 3.0, 7, rtt_s=1.0, rounded=True),
    Case("data after a lost SYN", 3.0, 7, loses_syn=True),
    Case("SYN", 1.0, 6, is_syn=True),
    Case("SYN, 3 s, three attempts", 3.0, 2, is_syn=True, tcp={"syn_timeout": "3 s", "syn_attempts": 3}),
)


def shrinking(samples: int, rtt_s: float = 0.2) -> Case:
    """The timeout after this many equal samples."""
    spread = 2 * rtt_s * 0.75 ** (samples - 1)
    timeout = rtt_s + max(TICK_S, spread)
    what = f"data after {samples} samples of {rtt_s * 1e3:g} ms"
    return Case(what, timeout, 2, rtt_s, samples + 1, rounded=True, tcp=ONE_BY_ONE)


def verify(*, quick: bool) -> Report:
    """Carries out the sequences, the shrinking timeout, and Karn's rule."""
    samples = [1, 2, 4, 8, 16] if quick else [*range(1, 17), 20, 24, 28, 32]
    cases = [*SEQUENCES, *(shrinking(n) for n in samples)]
    results = simulate_all([*(case.scenario() for case in cases), karn_scenario()])
    figure, (doubling, falling) = new_figure(1, 2, height=3.0)
    checks, first_gaps = [], []
    for case, result in zip(cases, results, strict=False):
        gaps = copies(result, case.lost_from if not case.is_syn else 0)[0]
        checks.append(_compare(case, gaps))
        if case in SEQUENCES:
            doubling.plot(
                range(1, case.count + 1), gaps[: case.count], "o", color="#d55e00", markerfacecolor="none"
            )
        else:
            first_gaps.append(gaps[0])
    checks += _karn(results[-1])
    _finish(doubling, falling, samples, first_gaps)
    return Report("timeouts", "Retransmission timeouts", tuple(checks), figure)


def copies(result: Result, *packets: int) -> list[list[float]]:
    """For each packet (from 1; 0 is the SYN), the gaps between its transmissions in seconds."""
    gaps = []
    for packet in packets:
        sequence = 1 + (packet - 1) * 1460 if packet else 0
        chosen = (pl.col("sequence") == sequence) & ((pl.col("payload_bytes") > 0) == (packet > 0))
        gaps.append(result.packets.filter(chosen)["time_s"].diff().drop_nulls().to_list())
    return gaps


def _compare(case: Case, gaps: Sequence[float]) -> Verdict:
    # Data is repeated until the run ends; a SYN as often as there are attempts.
    seen = gaps if case.is_syn else gaps[: case.count]
    more = [TICK_S * 2**k if case.rounded and gap < LONGEST_S else 0.0 for k, gap in enumerate(case.gaps)]
    low = [gap - SEEN_S for gap in case.gaps]
    high = [gap + extra + SEEN_S for gap, extra in zip(case.gaps, more, strict=True)]
    return Verdict.each_within(f"{case.what}: timeouts [s]", seen, low, high)


def karn_scenario() -> Settings:
    """One packet per round trip of 50 ms. The fourth is lost three times, the fifth once."""
    case = Case("", 1.0, 9)
    script = {"scripted": {"flow": 0, "packets": [4, 5, 6, 8]}}
    links = [
        {"from": "a", "to": "r", "rate": "100 Gbit/s", "delay": "0 ms"},
        {"from": "r", "to": "b", "rate": "100 Gbit/s", "delay": "25 ms", "loss": script},
    ]
    tcp = {"segments_per_ack": 1, "receive_window": "1 packets", "handshake": False}
    return {**case.scenario(), "topology": {"graph": {"link": links}}, "tcp": tcp, "duration": "30 s"}


def _karn(result: Result) -> list[Verdict]:
    fourth, fifth, sixth = copies(result, 4, 5, 6)
    return [
        Verdict.same(
            "Karn: the fourth packet, lost three times [s]",
            [round(gap, 5) for gap in fourth],
            [1.0, 2.0, 4.0],
        ),
        Verdict.same("Karn: the fifth, with no sample since [s]", [round(gap, 5) for gap in fifth], [8.0]),
        Verdict.same("Karn: the sixth is not repeated", sixth, []),
    ]


def _finish(doubling: Axes, falling: Axes, samples: Sequence[int], first: Sequence[float]) -> None:
    for start in (1.0, 3.0):
        expected = [min(start * 2.0**k, LONGEST_S) for k in range(9)]
        doubling.plot(range(1, 10), expected, color="#444444", linewidth=0.8, zorder=0)
    doubling.set(xlabel="timeout", ylabel="waited [s]", yscale="log", title="Doubling, from 1 s and from 3 s")
    doubling.set_yticks([1, 3, 10, 30, 60], ["1", "3", "10", "30", "60"])
    doubling.minorticks_off()
    line = np.arange(1, max(samples) + 1)
    theory = 0.2 + np.maximum(TICK_S, 0.4 * 0.75 ** (line - 1.0))
    falling.plot(line, 1e3 * theory, color="#444444", label="RFC 6298, 2.2 and 2.3")
    falling.plot(
        samples, 1e3 * np.array(first), "o", color="#d55e00", markerfacecolor="none", label="simulated"
    )
    falling.set(xlabel="equal samples of 200 ms", ylabel="timeout [ms]", title="Shrinking", ylim=(0, 650))
    falling.legend()
