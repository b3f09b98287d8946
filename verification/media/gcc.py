"""draft-ietf-rmcat-gcc-02: Google's congestion control."""

from __future__ import annotations

from functools import partial

import numpy as np

from verification.media.claim import Claim
from verification.media.runs import call, run

__all__ = ["CLAIMS"]


def _growth() -> float:
    """The largest growth of the delay-based estimate in a second on an empty path, in %."""
    found = run([call("gcc")], "10 Mbit/s", seconds=60)
    time, value = found.gauge("gcc_delay_estimate_bit_per_s")
    growth = [
        100 * (later / value[place] - 1)
        for place, at in enumerate(time)
        if at >= 5
        for later in value[(time > at + 0.9) & (time < at + 1.1)][:1]
    ]
    return float(max(growth))


def _beyond_received() -> float:
    """The largest target over the rate received a second around, of an encoder at 500 kbit/s."""
    found = run([call("gcc", max_rate="500 kbit/s")], "10 Mbit/s", seconds=60)
    time, target = found.gauge("gcc_delay_estimate_bit_per_s")
    rates = np.convolve(found.rates[0], np.ones(5) / 5, mode="same")
    late = time > 30
    return float((target[late] / np.interp(time[late], found.times, rates)).max())


def _with_loss(share: float) -> float:
    """The rate at the end over 10 Mbit/s that lose this share at random, in kbit/s."""
    link = {"loss": {"bernoulli": share}}
    return (
        run([call("gcc", start_rate="800 kbit/s")], "10 Mbit/s", seconds=80, link=link).rate(0, (60, 80))
        / 1e3
    )


def _next_to_tcp(algorithm: str) -> float:
    traffic = {"flow": [{"algorithm": "newreno"}]}
    found = run([call(algorithm, start="5 s")], "2 Mbit/s", seconds=120, traffic=traffic)
    return found.rate(0, (30, 119)) / 1e3


def _adaptive(scaled: int) -> float:
    adaptive, static = (_next_to_tcp(f"gcc(scaled={scaled}{keys})") for keys in ("", ",k_up=0,k_down=0"))
    return adaptive / static


def _fair() -> float:
    return run([call("gcc", count=2)], "2 Mbit/s", seconds=180).ratio((90, 180))


def _interval(milliseconds: int) -> float:
    keys = {"feedback_interval": f"{milliseconds} ms"}
    return run([call("gcc", **keys)], "1 Mbit/s", seconds=120).rate(0, (60, 120)) / 1e6


CLAIMS = (
    Claim(
        "increase",
        "5.5",
        "the estimate increases by at most 8 % per second",
        "largest growth in a second",
        "%",
        1,
        _growth,
        high=8.5,
    ),
    Claim(
        "received",
        "5.5",
        "A_hat stays below 1.5 R_hat",
        "largest estimate over the rate received, an encoder of at most 500 kbit/s",
        "",
        2,
        _beyond_received,
        high=1.6,
        reason="The bound ends increases, and does not lower an estimate when the encoder sends less.",
    ),
    Claim(
        "loss",
        "6",
        "below 2 % the rate grows",
        "rate from 800 kbit/s at 1 % lost",
        "kbit/s",
        0,
        partial(_with_loss, 0.01),
        low=1000,
    ),
    Claim(
        "loss",
        "6",
        "between 2 and 10 % the loss-based rate stays",
        "rate from 800 kbit/s at 5 % lost",
        "kbit/s",
        0,
        partial(_with_loss, 0.05),
        low=640,
    ),
    Claim(
        "loss",
        "6",
        "above 10 % it falls",
        "rate from 800 kbit/s at 20 % lost",
        "kbit/s",
        0,
        partial(_with_loss, 0.2),
        high=200,
    ),
    Claim(
        "threshold",
        "5.4",
        "a static threshold is starved by a TCP flow, an adaptive one is not",
        "rate next to TCP, over the rate with a static threshold, by the draft's own comparison",
        "times",
        2,
        partial(_adaptive, 0),
        low=1.1,
        reason="The estimate stays near 1 ms, below any threshold, with and without adaptation.",
    ),
    Claim(
        "threshold",
        "5.4",
        "the same",
        "with libwebrtc's comparison, scaled = 1",
        "times",
        2,
        partial(_adaptive, 1),
        low=1.1,
    ),
    Claim(
        "fair",
        "5.4",
        "K_u > K_d makes flows of GCC fair to each other",
        "higher rate of two over the lower (RFC 8868: 3)",
        "",
        2,
        _fair,
        high=3,
    ),
    *(
        Claim(
            "interval",
            "3",
            "feedback every 30 ms, which may be 100 ms",
            f"rate on 1 Mbit/s, reports every {each} ms",
            "Mbit/s",
            2,
            partial(_interval, each),
            0.7,
            1.05,
        )
        for each in (30, 100)
    ),
)
