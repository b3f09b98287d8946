"""Vegas keeps between alpha and beta packets of each flow in the queue, and loses none.

Once per round trip Vegas compares what it has under way with what an empty path would carry in the same
time: W (1 - base / rtt) packets wait (Brakmo and Peterson, IEEE JSAC 13(8), 1995, section 3.2). Between
alpha and beta it leaves the window alone. So in equilibrium

- one flow: the window stands still, and the queue it causes, W - C on a pipe of C packets, is between alpha
  and beta;
- two flows that begin together: the queue is between 2 alpha and 2 beta, each flow's part between alpha and
  beta;
- a flow that begins later finds the queue of the first and takes it for part of the path: its base is too
  large by q, the packets it found. With a share s of the rate it therefore keeps s q more in the queue (Low,
  Peterson and Wang, Journal of the ACM 49(2), 2002, 4.3, "persistent congestion"): between 2 alpha + s q and
  2 beta + s q.

Tolerance: windows are whole packets, so less than one packet of W is never sent, of which the part q / W
would have waited: beta / C packets a flow. Queues are averages over fifty seconds of equilibrium, exact to
the nanosecond; there is no loss and nothing random. Every packet is acknowledged, since delayed
acknowledgments make packets come in pairs, the second of which waits for the first.

The base must be the round trip of a full packet. The handshake's round trip is shorter by a packet's
transmission, and a sender that used it as the base would infer a packet in the queue that is not there: with
a handshake, the default, the queue would be one packet shorter. It must be the same.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from matplotlib.axes import Axes

from ackclock import Result
from ackclock.measures.verdict import Verdict
from ackclock.report.figures import new_figure
from verification.checks.runs import Settings, row, simulate_all
from verification.report import Report

BOUNDS = ((1, 3), (2, 4), (4, 8), (10, 20))
RATES_MBIT = (1.2, 12, 120)
END_S, WARM_UP_S = 100, 50
COLOUR = "#cc79a7"


def scenario(
    bounds: tuple[int, int], rate_mbit: float, starts: Sequence[float] = (0,), *, handshake: bool
) -> Settings:
    """Flows that begin at these times, on one bottleneck with room for everything."""
    alpha, beta = bounds
    algorithm = f"vegas+vegas(alpha={alpha},beta={beta})"
    return {
        "name": "vegas",
        "warm_up": f"{WARM_UP_S} s",
        "duration": f"{END_S} s",
        "topology": {
            "dumbbell": {
                "pairs": len(starts),
                "bottleneck": {"rate": f"{rate_mbit} Mbit/s", "delay": "20 ms"},
                "access": {"rate": "10 Gbit/s", "delay": "2 ms"},
            }
        },
        "tcp": {
            "algorithm": algorithm,
            "segments_per_ack": 1,
            "handshake": handshake,
        },
        "flow": [{"name": f"vegas{number}", "start": f"{start} s"} for number, start in enumerate(starts)],
        "trace": {"interval": "100 ms"},
    }


def pipe(rate_mbit: float) -> float:
    """Packets that the path holds without a queue, in 48 ms of propagation and in transmission."""
    slow, fast = (1500 + 40) * 8 / (rate_mbit * 1e6), 2 * (1500 + 40) * 8 / 10e9
    return (0.048 + slow + fast) * rate_mbit * 1e6 / (1500 * 8)


def verify(*, quick: bool) -> Report:
    """Carries out the experiment for one flow at three rates, and for two that begin together or not."""
    rates = RATES_MBIT[1:2] if quick else RATES_MBIT
    singles = [(bounds, rate) for bounds in BOUNDS for rate in rates]
    pairs = [(bounds, start) for bounds in BOUNDS[: 1 if quick else None] for start in (0, 10)]
    results = iter(
        simulate_all(
            [scenario(*single, handshake=handshake) for single in singles for handshake in (False, True)]
            + [scenario(bounds, 12, (0, start), handshake=False) for bounds, start in pairs]
        )
    )
    figure, (queues, windows) = new_figure(1, 2, height=3.0)
    checks = []
    for bounds, rate in singles:
        bare, shaken = next(results), next(results)
        checks += _single(bounds, rate, bare, shaken)
        place = BOUNDS.index(bounds) + (RATES_MBIT.index(rate) - 1) * 0.2
        queues.plot(place, _queue(bare), "o", color=COLOUR)
        queues.plot(place, _queue(shaken), "s", color=COLOUR, markerfacecolor="none", markersize=7)
    _finish_queues(queues)
    for bounds, start in pairs:
        result = next(results)
        checks += _pair(bounds, start, result)
        if (bounds, start) == (BOUNDS[0], 10):
            _draw_pair(windows, result)
    return Report("vegas-queue", "Vegas' queue", tuple(checks), figure)


def _queue(result: Result) -> float:
    return row(result.links, "left->right")["mean_queue_packets"]


def _drops(result: Result) -> int:
    return int((result.links["dropped_queue"] + result.links["dropped_loss"]).sum())


def _single(bounds: tuple[int, int], rate: float, bare: Result, shaken: Result) -> list[Verdict]:
    alpha, beta = bounds
    slack = beta / pipe(rate)
    where = f"alpha {alpha}, beta {beta}, {rate:g} Mbit/s"
    window = bare.flow_series.filter(pl.col("time_s") > WARM_UP_S)["cwnd_packets"]
    waiting = float(np.floor(window.to_numpy()[-1]) - pipe(rate))
    return [
        Verdict.within(f"queue, {where} [packets]", _queue(bare), alpha - slack, beta + slack),
        Verdict.near(f"queue is W - C, {where} [packets]", _queue(bare), waiting, 0.01),
        Verdict.same(
            f"windows in equilibrium, packets lost, {where}", [window.n_unique(), _drops(bare)], [1, 0]
        ),
        Verdict.near(f"queue after a handshake, {where} [packets]", _queue(shaken), _queue(bare), 0.01),
    ]


def _pair(bounds: tuple[int, int], start: float, result: Result) -> list[Verdict]:
    alpha, beta = bounds
    where = f"two flows, the second {start} s later, alpha {alpha}, beta {beta}"
    flows = result.flows.to_dicts()
    capacity = pipe(12)
    slack = beta / capacity * 2
    found = [(flow["min_rtt_s"] - capacity / 1000) * 1000 for flow in flows]
    share = flows[1]["goodput_bit_per_s"] / sum(flow["goodput_bit_per_s"] for flow in flows)
    extra = share * found[1]
    checks = [
        Verdict.near(f"base of the first, {where}: packets too many", found[0], 0, 0.01),
        Verdict.within(
            f"queue, {where} [packets]", _queue(result), 2 * alpha + extra - slack, 2 * beta + extra + slack
        ),
        Verdict.same(f"packets lost, {where}", _drops(result), 0),
    ]
    for number, flow in enumerate(flows):
        own = flow["mean_cwnd_packets"] * (1 - flow["min_rtt_s"] / flow["mean_rtt_s"])
        checks.append(
            Verdict.within(f"own queue of flow {number}, {where} [packets]", own, alpha - slack, beta + slack)
        )
    return checks


def _finish_queues(axis: Axes) -> None:
    for place, (alpha, beta) in enumerate(BOUNDS):
        axis.fill_between([place - 0.35, place + 0.35], alpha, beta, color="#eeeeee")
        axis.hlines([alpha, beta], place - 0.35, place + 0.35, color="#444444", linewidth=0.8)
    axis.plot([], [], "o", color=COLOUR, label="without a handshake")
    axis.plot([], [], "s", color=COLOUR, markerfacecolor="none", label="with one")
    axis.set_yticks(range(0, 21, 5))
    axis.set_xticks(range(len(BOUNDS)), [f"{alpha}, {beta}" for alpha, beta in BOUNDS])
    axis.set(xlabel="alpha, beta", ylabel="mean queue [packets]", title="One flow at 1.2, 12, 120 Mbit/s")
    axis.grid(visible=False, axis="x")
    axis.legend(loc="upper left")


def _draw_pair(axis: Axes, result: Result) -> None:
    link = row(result.links, "left->right")["link"]
    queue = result.link_series.filter(pl.col("link") == link)
    axis.plot(queue["time_s"], queue["queue_packets"], color="#d55e00", linewidth=0.8, label="queue")
    for flow, colour in ((0, COLOUR), (1, "#0072b2")):
        begun = result.flows["start_s"][flow]
        series = result.flow_series.filter((pl.col("flow") == flow) & (pl.col("time_s") >= begun))
        axis.plot(series["time_s"], series["cwnd_packets"], color=colour, label=f"window of flow {flow}")
    axis.set(
        xlabel="time [s]",
        ylabel="packets",
        title="Two flows, alpha 1, beta 3",
        xlim=(0, 30),
        ylim=(0, None),
    )
    axis.legend(loc="upper right")
