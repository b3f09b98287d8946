"""draft-ietf-ccwg-rfc8298bis-screamv2 (August 2026): SCReAMv2."""

from __future__ import annotations

from functools import partial

import numpy as np

from verification.media.claim import Claim
from verification.media.runs import BETWEEN_FRAMES, Run, call, run

__all__ = ["CLAIMS"]

L4S = {"queue": "dualpi2"}


def _marked(**keys: object) -> Run:
    """A call over 1 Mbit/s with a queue that marks L4S packets."""
    return run([call("scream2", ecn="ect1", **keys)], "1 Mbit/s", seconds=120, link=L4S)


def _marks_per_round_trip() -> float:
    found = _marked()
    trips = 1e3 * float(np.nanmean(np.asarray(found.result.columns("flow_series")["rtt_s"], dtype=float)))
    return found.link("marked") / (120e3 / max(trips, 25.0))


def _queue(found: Run) -> float:
    """The mean queueing delay that the sender sees after a minute, in ms."""
    return found.mean_gauge("scream_mean_queue_delay_ms", (60, 120))


def _drop_tail() -> float:
    return _queue(run([call("scream2")], "1 Mbit/s", seconds=120))


def _limited() -> float:
    """The largest window over 1.5 round trips of bytes and a packet, at the encoder's highest rate."""
    found = run([call("scream2", max_rate="500 kbit/s")], "10 Mbit/s", seconds=60)
    _, window = found.gauge("scream_window_bytes")
    # In flight are at most two frames, with 100 ms of round trip and 40 ms until a report.
    flight = 500e3 / 8 * (0.1 + 0.04 + 2 / 30)
    return float(window[-100:].max()) / (1.5 * flight + 1200)


def _short_and_long() -> float:
    """The higher of two mean rates over the lower: round trips of 5 and of 20 ms over an L4S queue."""
    links = [
        {"from": f"sender{number}", "to": "left", "rate": "100 Mbit/s", "delay": f"{delay} ms"}
        for number, delay in ((1, 1.0), (2, 8.5))
    ]
    links.append({"from": "left", "to": "right", "rate": "2 Mbit/s", "delay": "1 ms", **L4S})
    calls = [
        call("scream2", ecn="ect1", name=f"call{number}", **{"from": f"sender{number}", "to": "right"})
        for number in (1, 2)
    ]
    traffic = {"topology": {"graph": {"link": links}}}
    return run(calls, seconds=120, traffic=traffic).ratio((60, 120))


def _pacing(max_rate: str) -> float:
    """The mean pacing rate over the target after half a minute."""
    found = run([call("scream2", max_rate=max_rate)], "1 Mbit/s", seconds=90)
    return found.mean_gauge("pacing_bit_per_s", (40, 90)) / found.mean_gauge("target_bit_per_s", (40, 90))


def _utilisation(variation: float) -> float:
    found = run([call("scream2", variation=variation)], "1 Mbit/s", seconds=120)
    return found.rate(0, (60, 120)) / 1e6


def _variation() -> float:
    return _utilisation(0.4) / _utilisation(0.0)


def _waiting() -> float:
    """The 95th percentile of the wait for the pacer in steady state, in periods of frames."""
    found = run([call("scream2")], "1 Mbit/s", seconds=120, traffic=BETWEEN_FRAMES)
    pacing = found.mean_gauge("pacing_bit_per_s", (60, 120))
    return float(np.quantile(8 * found.waits((60, 120)) / pacing, 0.95)) * 30


def _sparse() -> float:
    """The rate with reports every 200 ms over that with reports every 40 ms, up to 20 Mbit/s."""
    keys = {"max_rate": "20 Mbit/s", "start_rate": "1 Mbit/s"}
    rates = [
        run([call("scream2", feedback_interval=f"{each} ms", **keys)], "15 Mbit/s", seconds=60).rate(
            0, (30, 60)
        )
        for each in (200, 40)
    ]
    return rates[0] / rates[1]


def _next_to_tcp() -> float:
    traffic = {"flow": [{"algorithm": "newreno"}]}
    link = {"buffer": "1000 ms"}
    found = run([call("scream2", start="5 s")], "2 Mbit/s", seconds=120, link=link, traffic=traffic)
    return found.rate(0, (30, 119)) / 1e3


def _faster() -> float:
    """The time in s from a rise of the capacity to 2.5 Mbit/s until the rate has 90 % of 1.5 Mbit/s."""
    found = run([call("scream2")], {"steps": [["0 s", "1 Mbit/s"], ["40 s", "2.5 Mbit/s"]]}, seconds=80)
    seconds = found.windows(0, (40, 80), 1.0)
    reached = np.flatnonzero(seconds >= 0.9 * 1.5e6)
    return float(reached[0] + 1) if len(reached) else 40.0


CLAIMS = (
    Claim(
        "marks",
        "Reference Window Increase",
        "two marked packets per round trip at steady state; it can settle for fewer",
        "marks per round trip of at least 25 ms, L4S queue",
        "",
        2,
        _marks_per_round_trip,
        0.1,
        2.0,
        stated=True,
    ),
    Claim(
        "delay",
        "Increased Queue Delay",
        "the queue delay reduces the window from 30 ms on, in full at 60 ms",
        "mean queue delay, drop-tail",
        "ms",
        1,
        _drop_tail,
        high=60,
        stated=True,
    ),
    Claim(
        "L4S",
        "Increased Queue Delay",
        "delay control rests while marks keep the queue below 30 ms",
        "mean queue delay, L4S queue",
        "ms",
        1,
        lambda: _queue(_marked()),
        high=30,
        stated=True,
    ),
    Claim(
        "limited",
        "Reference Window Increase",
        "the window stays below 1.5 times the largest flight and a packet",
        "window over that bound, encoder at its highest rate",
        "",
        2,
        _limited,
        high=1,
        stated=True,
    ),
    Claim(
        "VIRTUAL_RTT",
        "Constants",
        "roughly equal shares over an L4S path for round trips below 25 ms",
        "higher rate over the lower, 5 and 20 ms",
        "",
        2,
        _short_and_long,
        high=2,
    ),
    Claim(
        "pacing",
        "Packet Pacing",
        "1.5 times the target below the highest rate",
        "pacing over target, below 80 % of the highest rate",
        "",
        2,
        partial(_pacing, "1.5 Mbit/s"),
        1.45,
        1.55,
    ),
    Claim(
        "pacing",
        "Packet Pacing",
        "up to 4 times as fast at the highest rate",
        "pacing over target, encoder at most 500 kbit/s",
        "",
        2,
        partial(_pacing, "500 kbit/s"),
        1.5,
        6.05,
    ),
    Claim(
        "variation",
        "Discussion",
        "link utilisation is lower with large variation of frame sizes",
        "utilisation with a scale of 0.4 over that with 0",
        "",
        2,
        _variation,
        high=0.97,
    ),
    Claim(
        "short queue",
        "Media Rate Control",
        "the data unit queue should be as short as possible",
        "wait for the pacer, 95th percentile, in periods of frames",
        "",
        2,
        _waiting,
        high=1,
    ),
    Claim(
        "feedback",
        "Feedback",
        "too sparse feedback cannot reach high rates",
        "rate with reports every 200 ms over every 40 ms, 15 Mbit/s",
        "",
        2,
        _sparse,
        high=0.9,
        reason="14.5 Mbit/s of 15 are reached with reports every 200 ms too: the window needs no dense "
        "reports here.",
    ),
    Claim(
        "competing",
        "Competing Flows",
        "without compensation basically zero throughput next to loss-based traffic",
        "rate next to TCP, a queue of 1000 ms, the least rate is 150",
        "kbit/s",
        0,
        _next_to_tcp,
        high=165,
    ),
    Claim(
        "increase",
        "Reference Window Increase",
        "multiplicative increase enables a faster convergence to a higher rate",
        "time to 1.35 Mbit/s after a rise from 1 to 2.5 Mbit/s",
        "s",
        0,
        _faster,
        high=20,
    ),
)
