"""Chapter 2: goodput without congestion control (figure 2), and over a ring of three routers (figure 3)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from ackclock import Ack, Congestion, CongestionControl, Scenario
from ackclock.papers import Holds, Measured, Values

from .. import survey
from ..file_runs import ByStack, Floats, Study
from ..stack import THESIS
from . import figures
from .load_point import Point

COUNT = 2
WINDOWS = (1, 2, 3, 4, 5, 6, 7, 8, 10, 15, 20, 30, 50, 100)
"""Windows of each of the ten senders, in packets."""
FEW_SENDERS = (1, 2, 4, 6, 8)
"""This many of them, with windows of one packet, make the rates below the knee."""
SMALL = 7
"""Packets in the router's smaller queue, of figure 2; the larger one has those of its level."""
OVERLOADS = (1.25, 1.5, 2.0, 3.0)
"""Where the two are compared, in the bottleneck's rates."""
LOADS = (0.1, 0.2, 0.3, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7, 0.8, 1.0, 1.5, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0)
"""Rates of the ring's sources, in links' rates."""
RING_MBIT_S = 8.0
RING_LINKS = (0, 3, 6)
"""The places of the ring's own links in the scenario."""
QUICK_RING = "20 s"
"""With ten of warm-up: the greatest loads are thirty million packets a minute."""
SIZES = 3
"""Packet sizes of a source of the ring, each a flow of its own."""


def heedless(window: float) -> type[CongestionControl]:
    """A sender whose window nothing changes."""

    class Heedless(CongestionControl):
        """Sends as it likes."""

        name = "heedless"

        def __init__(self, start: object) -> None:
            """The window of the connection's beginning does not matter."""

        @property
        def cwnd(self) -> float:
            """The offered load, in packets."""
            return window

        def on_ack(self, ack: Ack) -> None:
            """Heeds nothing."""

        def on_congestion(self, event: Congestion) -> None:
            """Nor that."""

    return Heedless


def measure(study: Study) -> ByStack:
    """Figures 2 and 3; no stack of the thesis enters."""
    large = survey.packets("large_queue")
    curves = {queue: over_loads(study, queue) for queue in (large, SMALL)}
    ring = over_ring(study)
    caption = """Figure 2: goodput over what ten senders with timers and without congestion control send, both
    in parts of the bottleneck's rate. Dashed: what it could be."""
    study.context.figure("figure-2", figures.collapse(curves), " ".join(caption.split()))
    caption = """Figure 3: what each of three flows over the ring receives, over what it sends, both in parts
    of a link's rate, with 95 % intervals. Dashed: if a full link chose among its packets at random."""
    study.context.figure(
        "figure-3", figures.ring(LOADS, ring, random_choice(LOADS)), " ".join(caption.split())
    )
    return {THESIS.name: {**collapse(curves[large], curves[SMALL]), **around(ring)}}


# --- Figure 2 ---


def over_loads(study: Study, queue: int) -> list[Point]:
    """The curve, from the least to the greatest rate."""
    timers = {f"tcp.rto_{key}": survey.LEVELS["timer"] for key in ("initial", "min", "max")}
    settings = {"topology.dumbbell.bottleneck.buffer": f"{queue - 1} packets", **timers}
    base = study.context.scenario("collapse", settings)
    items = [(base.with_value("flow.0.count", str(count)), 1.0) for count in FEW_SENDERS]
    items += [(base, float(window)) for window in WINDOWS]

    def work(item: tuple[Scenario, float], told: Callable[[float], bool]) -> Point:
        sender = {"heedless": heedless(item[1])}
        by_timers = {"tcp.algorithm": "newreno+heedless"}
        result = study.context.run(item[0], settings=by_timers, algorithms=sender, progress=told)
        return Point.of(result)

    return study.context.each([(base.duration_s, item) for item in items], work)


def collapse(large: list[Point], small: list[Point]) -> dict[str, Measured]:
    """The statements of 2.1 on figure 2."""
    below = [point for point in large if point.sent < 0.9]
    full = [point for point in large if point.sent >= 0.9]
    best = max(large, key=lambda point: point.goodput)
    worst = large[-1]
    late = [point for point in full if point.queueing_s > 0.2]
    return {
        "knee-proportional": Values([float(np.mean([point.goodput / point.sent for point in below]))]),
        "knee-queue": Holds(
            [
                max(p.queueing_s for p in below) < 0.01,
                full[1].queueing_s > 5 * max(p.queueing_s for p in below),
            ],
            note=f"queueing {1e3 * max(p.queueing_s for p in below):.1f} ms below, then "
            + ", ".join(f"{1e3 * p.queueing_s:.0f} ms" for p in full[:4]),
        ),
        "collapse-needless": Holds(
            [point.needless > 0.3 for point in late],
            note=", ".join(f"{100 * point.needless:.0f} %" for point in late[:4]) + " carried in vain",
        ),
        "collapse-zero": Values([worst.goodput / best.goodput], f"sending {worst.sent:.0f} times what fits"),
        "collapse-loss": Holds(
            [after.lost > before.lost for before, after in pairwise(late)],
            note=", ".join(f"{100 * point.lost:.0f} %" for point in late),
        ),
        "nagle": Holds(
            [_at(large, load) < _at(small, load) for load in OVERLOADS],
            note="; ".join(
                f"sending {load:g}: {_at(large, load):.2f} and {_at(small, load):.2f} of the rate"
                for load in OVERLOADS
            ),
        ),
    }


def _at(curve: list[Point], sent: float) -> float:
    """The goodput at a rate, between the points."""
    ordered = sorted(curve, key=lambda point: point.sent)
    return float(np.interp(sent, [point.sent for point in ordered], [point.goodput for point in ordered]))


# --- Figure 3 ---


def over_ring(study: Study) -> Floats:
    """Received rates in links' rates: a row per load, a column per seed; of the three flows the mean."""
    shorter = {"duration": QUICK_RING} if study.context.quick else {}
    queues = {f"topology.graph.link.{link}.buffer": survey.LEVELS["ring_queue"] for link in RING_LINKS}
    base = study.context.scenario("ring", {**shorter, **queues})
    seeds = range(1, 3 if study.context.quick else 11)
    items = [(load, seed) for load in LOADS for seed in seeds]

    def work(item: tuple[float, int], told: Callable[[float], bool]) -> float:
        rate = f"{item[0] * RING_MBIT_S / SIZES:.9f} Mbit/s"
        settings = {f"udp.{flow}.rate": rate for flow in range(3 * SIZES)}
        result = study.context.run(base, settings=settings, seed=item[1], progress=told)
        return float(result.flows["goodput_bit_per_s"].sum()) / 3 / (RING_MBIT_S * 1e6)

    found = study.context.each([(base.duration_s, item) for item in items], work)
    return np.asarray(found).reshape(len(LOADS), len(seeds))


def random_choice(loads: tuple[float, ...]) -> Floats:
    """Received rates where a full link serves each of its two flows in proportion to what comes of it."""
    sent = np.asarray(loads)
    passed = np.where(sent > 0.5, (np.sqrt(sent**2 + 4 * sent) - sent) / 2, sent)
    return np.asarray(passed**2 / sent, dtype=np.float64)


def around(ring: Floats) -> dict[str, Measured]:
    """The statements of 2.1 on figure 3."""
    mean = ring.mean(axis=1)
    received = dict(zip(LOADS, mean, strict=True))
    low = [index for index, load in enumerate(LOADS) if load <= 0.45]
    ratios = (ring[low] / np.asarray(LOADS)[low, None]).mean(axis=0)
    peaks = [LOADS[index] for index in ring.argmax(axis=0)]
    high = [load for load in LOADS if load >= 0.6]
    falls = [received[after] < received[before] for before, after in pairwise(high)]
    shown = ", ".join(f"{received[load]:.2f} at {load:g}" for load in (0.5, 1.0, 4.0, 32.0, 128.0))
    return {
        "ring-proportional": Values(list(ratios)),
        "ring-turn": Values(peaks),
        "ring-falls": Holds(falls, note=shown),
        "ring-zero": Values(list(ring[-1])),
    }
