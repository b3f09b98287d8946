"""RFC 8698: NADA."""

from __future__ import annotations

from functools import partial

import numpy as np

from verification.media.claim import Claim
from verification.media.runs import BETWEEN_FRAMES, call, run

__all__ = ["CLAIMS"]

REPORT = 200
"""The bytes of a feedback message in the RFC's example (6.3)."""


def _standing(rate_mbit: float, count: int) -> float:
    """The mean queueing delay in ms that the first call sees in the last third of 150 s."""
    found = run([call("nada", count=count)], f"{rate_mbit * 1e6:.0f} bit/s", seconds=150)
    return found.mean_gauge("nada_queuing_delay_ms", (100, 150))


def _equilibrium(rate_mbit: float, count: int, expected_ms: float) -> Claim:
    calls = "one call" if count == 1 else f"{count} calls"
    return Claim(
        "equilibrium",
        "4.3",
        "x_curr = PRIO·XREF·RMAX/r_ref at equilibrium",
        f"queueing delay of {calls} on {rate_mbit:g} Mbit/s; {expected_ms:.1f} ms follow",
        "ms",
        1,
        partial(_standing, rate_mbit, count),
        0.75 * expected_ms,
        1.25 * expected_ms,
    )


def _priorities() -> float:
    calls = [call("nada(priority=2)", name="a"), call("nada", name="b"), call("nada", name="c")]
    rates = run(calls, "1.75 Mbit/s", seconds=200).all_rates((100, 200))
    return rates[0] / ((rates[1] + rates[2]) / 2)


def _ramp_queue(one_way_ms: float) -> float:
    """The longest queue in ms before the rate first has 95 % of the capacity."""
    found = run([call("nada", variation=0)], "1 Mbit/s", one_way_ms=one_way_ms, seconds=60)
    reached = np.flatnonzero(found.rates[0] >= 0.95e6)
    end = float(found.times[reached[0]]) if len(reached) else 60.0
    return 1e3 * found.queue_95_s([(0.0, end + 1.0)])


def _swing(one_way_ms: float, feedback_ms: float) -> float:
    keys = {"feedback_interval": f"{feedback_ms:g} ms"}
    found = run([call("nada", **keys)], "1 Mbit/s", one_way_ms=one_way_ms, seconds=150)
    return 100 * found.swing((100, 150))


def _overhead() -> float:
    """The feedback of a call of 1 Mbit/s over its media, in %."""
    found = run([call("constant(rate=1000000)", feedback_interval="100 ms")], "2 Mbit/s", seconds=60)
    return 100 * found.link("bytes_forwarded", "right->left") / found.link("bytes_forwarded")


def _next_to_tcp(algorithm: str) -> float:
    """The rate in kbit/s next to a TCP flow over 2 Mbit/s."""
    traffic = {"flow": [{"algorithm": "newreno"}]}
    found = run([call(algorithm, start="5 s")], "2 Mbit/s", seconds=120, traffic=traffic)
    return found.rate(0, (30, 119)) / 1e3


def _warping() -> float:
    return _next_to_tcp("nada") / _next_to_tcp("nada(qth=1000)")


def _share() -> float:
    return run([call("nada", count=2)], "2 Mbit/s", seconds=120).ratio((60, 120))


def _latecomer() -> float:
    calls = [call("nada", name="first"), call("nada", name="late", start="60 s")]
    rates = run(calls, "2 Mbit/s", seconds=180).all_rates((120, 180))
    return rates[1] / rates[0]


def _marks(dmark: float) -> float:
    """The share of packets marked in the last half."""
    link = {"ecn_threshold": "1 packets"}
    calls = [call(f"nada(dmark={dmark:g})", ecn="ect0")]
    found = run(calls, "1 Mbit/s", seconds=150, link=link)
    return max(found.link("marked") / found.link("packets_forwarded"), 1e-6)


def _marks_fall() -> float:
    return _marks(8) / _marks(2)


def _spike() -> float:
    """The rate 10 s after a second in which each packet takes 200 ms more, over the rate before."""
    delay = {"steps": [["0 s", "48 ms"], ["60 s", "248 ms"], ["61 s", "48 ms"]]}
    found = run([call("nada")], "1 Mbit/s", seconds=90, link={"delay": delay})
    return found.rate(0, (71, 76)) / found.rate(0, (50, 60))


def _limits() -> float:
    """The largest distance of a target from the range of the encoder, in bit/s."""
    found = run([call("nada")], {"steps": [["0 s", "3 Mbit/s"], ["40 s", "100 kbit/s"]]}, seconds=80)
    _, target = found.gauge("nada_reference_bit_per_s")
    return float(max(0.0, 150e3 - target.min(), target.max() - 1.5e6))


def _highest() -> float:
    return run([call("nada")], "2.5 Mbit/s", seconds=100).rate(0, (60, 100)) / 1.5e6


def _waiting() -> float:
    """The share of samples with packets that wait for the pacer, in %, over a steady half minute."""
    found = run([call("nada")], "1 Mbit/s", seconds=100, traffic=BETWEEN_FRAMES)
    return 100 * float((found.waits((70, 100)) > 2000).mean())


CLAIMS = (
    _equilibrium(1.0, 1, 15.0),
    _equilibrium(0.6, 1, 25.0),
    _equilibrium(0.5, 1, 30.0),
    _equilibrium(3.5, 3, 12.9),
    _equilibrium(1.0, 3, 45.0),
    Claim(
        "priorities",
        "4.3",
        "rates are proportional to priorities",
        "rate of priority 2 over those of priority 1, 1.75 Mbit/s",
        "",
        2,
        _priorities,
        1.7,
        2.3,
    ),
    Claim(
        "maximum",
        "4.3",
        "RMAX is reached while x_curr is below PRIO·XREF",
        "rate on 2.5 Mbit/s over RMAX",
        "",
        2,
        _highest,
        0.95,
        1.05,
    ),
    *(
        Claim(
            "ramp-up",
            "4.3",
            "self-inflicted queueing delay during ramp-up is at most QBOUND",
            f"longest queue until 1 Mbit/s is reached, {2 * one_way} ms round trip, 95th percentile",
            "ms",
            1,
            partial(_ramp_queue, one_way),
            high=50,
            stated=True,
        )
        for one_way in (20, 50, 200)
    ),
    *(
        Claim(
            "stable",
            "1",
            "stable for round trips below 250 ms with default parameters",
            f"oscillation of the rates of seconds at {2 * one_way} ms",
            "%",
            1,
            partial(_swing, one_way, 100),
            high=10,
        )
        for one_way in (10, 50, 100, 120)
    ),
    *(
        Claim(
            "feedback",
            "6.3",
            "a feedback interval below 250 ms does not break the control loop",
            f"oscillation of the rates of seconds, reports every {interval} ms",
            "%",
            1,
            partial(_swing, 50, interval),
            high=10,
        )
        for interval in (50, 200, 240)
    ),
    Claim(
        "overhead",
        "6.3",
        "1.6 % overhead for 1 Mbit/s at 200 bytes a message",
        "feedback over media, reports of RFC 8888 every 100 ms",
        "%",
        2,
        _overhead,
        high=1.6,
        stated=True,
    ),
    Claim(
        "warping",
        "4.2",
        "warping lets a flow hold its ground next to loss-based flows",
        "rate next to TCP, over the rate without warping",
        "times",
        2,
        _warping,
        low=1.1,
    ),
    Claim(
        "next to TCP",
        "7",
        "a reasonable throughput next to loss-based TCP flows",
        "rate on 2 Mbit/s, RMIN is 150",
        "kbit/s",
        0,
        partial(_next_to_tcp, "nada"),
        low=165,
    ),
    Claim(
        "fair",
        "7",
        "a fair share next to other NADA flows",
        "higher rate of two over the lower (RFC 8868: 3)",
        "",
        2,
        _share,
        high=3,
    ),
    Claim(
        "latecomer",
        "6.1",
        "a late flow may take the standing queue for propagation: slightly unfair",
        "its rate over that of the first",
        "",
        2,
        _latecomer,
        0.9,
        3,
    ),
    Claim(
        "marking",
        "6.3",
        "a higher DMARK gives a lower steady marking ratio",
        "marking ratio with 8 ms over that with 2 ms, a packet or more waiting is marked",
        "",
        2,
        _marks_fall,
        high=0.95,
    ),
    Claim(
        "spike",
        "7",
        "recovers quickly from intermittent delay spikes",
        "rate 10 s after 1 s of 200 ms more, over the rate before",
        "",
        2,
        _spike,
        low=0.9,
    ),
    Claim(
        "limits",
        "4.3",
        "r_ref stays within RMIN and RMAX",
        "largest distance from the range",
        "bit/s",
        0,
        _limits,
        high=0,
        stated=True,
    ),
    Claim(
        "shaping",
        "5.2.2",
        "the rate-shaping buffer typically stays empty",
        "samples with more than 2000 bytes in it",
        "%",
        0,
        _waiting,
        high=20,
        reason="Frames leave at about the reference rate, so that a frame takes most of its period.",
    ),
)
