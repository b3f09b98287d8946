"""Every packet sent is delivered, dropped, or in flight: over random scenarios that nobody designed.

The engine counts this itself in every run (`Result.conserved`; all other checks require it too). Here its
tables are checked, on random networks, losses and flows, by bookkeeping that shares nothing with that count:

- a router neither makes nor loses packets: what the links into it forward is what the links out of it are
  offered (Kirchhoff's first law; forwarding takes no time);
- a link's packets are forwarded, refused by the queue, lost, or on the way: the number on the way is never
negative, and zero long after all sources have stopped; - a source of datagrams that has stopped: each of its
packets was delivered or is in the table of drops; - a receiver's application gets each packet once: it never
gets more packets than were sent for the first time.

There is no tolerance: these are counts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import cast

import numpy as np
import polars as pl
from matplotlib.axes import Axes

from ackclock import Result, list_algorithms
from ackclock.measures.verdict import Verdict
from ackclock.report.figures import new_figure
from verification.checks.runs import Settings, simulate_all
from verification.report import Report


def _names(kind: str) -> list[str]:
    return [algorithm.name for algorithm in list_algorithms() if algorithm.kind == kind]


RECOVERIES, TRANSPORTS = _names("recovery"), _names("transport")
SLOW_STARTS, AVOIDANCES, MODELS = _names("slow start"), _names("avoidance"), _names("controller")
REGISTERED = RECOVERIES + TRANSPORTS + SLOW_STARTS + AVOIDANCES + MODELS
STOP_S, END_S = 10, 200
"""The time at which half of the scenarios stop sending, and the end of the run, long after the network is
empty."""


def variant(draw: np.random.Generator, dealt: str) -> str:
    """The name that is dealt, with any recovery, slow start and avoidance, or model, that it can go with."""

    def pick(names: list[str]) -> str:
        return dealt if dealt in names else names[draw.integers(len(names))]

    if dealt in TRANSPORTS:
        return dealt
    recovery = pick(RECOVERIES)
    is_model = draw.random() < len(MODELS) / (len(MODELS) + len(AVOIDANCES))
    if dealt in MODELS or (dealt in RECOVERIES and is_model):
        return f"{recovery}+{pick(MODELS)}"
    return f"{recovery}+{pick(SLOW_STARTS)}+{pick(AVOIDANCES)}"


def scenario(seed: int) -> Settings:
    """A random network with random flows; even seeds become quiet before they end."""
    draw = np.random.default_rng(seed)

    def link() -> dict[str, object]:
        buffers = [
            "unlimited",
            f"{draw.integers(0, 30)} packets",
            f"{draw.integers(2000, 60000)} bytes",
            "30% bdp",
        ]
        losses: list[dict[str, object]] = [
            {},
            {},
            {"bernoulli": round(float(draw.uniform(0, 0.1)), 4)},
            {"gilbert_elliott": {"good_to_bad": 0.02, "bad_to_good": 0.3}},
        ]
        loss = losses[draw.integers(len(losses))]
        return {
            "rate": f"{draw.integers(300, 20_000)} kbit/s",
            "delay": f"{draw.integers(0, 40)} ms",
            "buffer": buffers[draw.integers(len(buffers))],
            **({"loss": loss} if loss else {}),
        }

    kind = draw.integers(3)
    flows = int(draw.integers(1, 5))
    ends: list[dict[str, object]] = [{} for _ in range(flows + 1)]
    if kind == 0:
        topology: dict[str, object] = {"dumbbell": {"pairs": flows, "bottleneck": link(), "access": link()}}
    elif kind == 1:
        topology = {"parking_lot": {"hops": 3, "link": link(), "access": link()}}
    else:
        nodes = [f"n{i}" for i in range(int(draw.integers(2, 6)))]
        chain = [{"from": a, "to": b, **link(), "reverse": link()} for a, b in pairwise(nodes)]
        topology = {"graph": {"link": chain}}
        picks = [draw.choice(len(nodes), 2, replace=False) for _ in ends]
        ends = [{"from": nodes[a], "to": nodes[b]} for a, b in picks]
    quiet = {"stop": f"{STOP_S} s"} if seed % 2 == 0 else {}
    tcp = [
        {
            **ends[number],
            **quiet,
            "name": f"tcp{number}",
            "algorithm": variant(draw, REGISTERED[(seed + 17 * number) % len(REGISTERED)]),
            "start": f"{draw.integers(0, 5000)} ms",
            "tcp": {
                "segments_per_ack": int(draw.integers(1, 4)),
                "handshake": bool(draw.integers(2)),
                "timestamps": bool(draw.integers(2)),
                "limited_transmit": bool(draw.integers(2)),
                "initial_window": f"{draw.integers(1, 20)} packets",
                # Hybla's slow start otherwise loses 60,000 packets at once, and repairs them for ten minutes.
                "receive_window": "2000 packets",
            },
        }
        for number in range(flows)
    ]
    pattern = ["constant", "poisson"][draw.integers(2)]
    udp = {**ends[-1], **quiet, "rate": f"{draw.integers(50, 5000)} kbit/s", "pattern": pattern}
    return {
        "name": "random",
        "seed": seed,
        "duration": f"{END_S if quiet else STOP_S} s",
        "topology": topology,
        "flow": tcp,
        "udp": [udp],
        "trace": {"interval": "10 s"},
    }


@dataclass(frozen=True)
class Books:
    """The tables of one run."""

    result: Result
    is_quiet: bool

    def routers(self) -> list[tuple[int, int]]:
        """Packets into and out of each node where nobody sends or receives."""
        flows = self.result.flows
        hosts = {*flows["source"], *flows["destination"]}
        into: dict[str, int] = defaultdict(int)
        out: dict[str, int] = defaultdict(int)
        for link in self.result.links.iter_rows(named=True):
            tail, head = link["name"].split("->")
            into[head] += link["packets_forwarded"]
            out[tail] += link["packets_offered"]
        return [(into[node], out[node]) for node in sorted(into | out) if node not in hosts]

    def on_the_way(self) -> list[int]:
        """Packets in each link direction at the end."""
        forwarded = pl.col("packets_forwarded").cast(pl.Int64)
        dropped = (pl.col("dropped_queue") + pl.col("dropped_loss") + pl.col("thinned")).cast(pl.Int64)
        offered = pl.col("packets_offered").cast(pl.Int64)
        return self.result.links.select(offered - forwarded - dropped).to_series().to_list()

    def datagrams_astray(self) -> int:
        """Datagrams sent, less those delivered and those in the table of drops."""
        udp = self.result.flows.filter(pl.col("kind") == "udp").row(0, named=True)
        dropped = self.result.drops.filter(pl.col("flow") == udp["flow"]).height
        return int(udp["packets_sent"]) - int(udp["packets_delivered"]) - dropped

    def delivered_too_often(self) -> int:
        """Packets delivered to applications beyond those sent for the first time."""
        tcp = self.result.flows.filter(pl.col("kind") == "tcp")
        first = (tcp["packets_sent"] - tcp["retransmissions"]).cast(pl.Int64)
        return int((tcp["packets_delivered"].cast(pl.Int64) - first).clip(lower_bound=0).sum())

    def drops_unlisted(self) -> int:
        """Drops that the links counted, less those in the table of drops."""
        links = self.result.links
        return int((links["dropped_queue"] + links["dropped_loss"]).sum()) - self.result.drops.height


def unused(scenarios: Sequence[Settings]) -> list[str]:
    """Registered algorithms that no flow of these scenarios uses."""
    flows = [flow for settings in scenarios for flow in cast("list[dict[str, str]]", settings["flow"])]
    used = {name for flow in flows for name in flow["algorithm"].split("+")}
    return [name for name in REGISTERED if name not in used]


def verify(*, quick: bool) -> Report:
    """Carries out the bookkeeping."""
    seeds = range(1, 1 + (len(REGISTERED) if quick else 400))
    scenarios = [scenario(seed) for seed in seeds]
    results = simulate_all(scenarios)
    books = [Books(result, seed % 2 == 0) for seed, result in zip(seeds, results, strict=True)]
    routers = [pair for book in books for pair in book.routers()]
    ways = [way for book in books for way in book.on_the_way()]
    quiet = [book for book in books if book.is_quiet]
    packets = sum(int(result.links["packets_offered"].sum()) for result in results)
    over = f"over {len(books)} scenarios and {packets / 1e6:.1f} million packets"
    astray = [book.datagrams_astray() for book in quiet]
    checks = (
        Verdict.same("names of the registry that nobody sends by", unused(scenarios), []),
        Verdict.same(
            f"runs that conserve packets by the engine's count, {over}",
            sum(r.conserved for r in results),
            len(books),
        ),
        Verdict.same(
            f"routers that make or lose packets, of {len(routers)}", sum(a != b for a, b in routers), 0
        ),
        Verdict.same(
            f"links with fewer than no packets on the way, of {len(ways)}", sum(way < 0 for way in ways), 0
        ),
        Verdict.same(
            f"packets on the way in {len(quiet)} networks that are quiet",
            sum(sum(b.on_the_way()) for b in quiet),
            0,
        ),
        Verdict.same("datagrams of stopped sources gone astray", sum(map(abs, astray)), 0),
        Verdict.same("packets delivered twice", sum(book.delivered_too_often() for book in books), 0),
        Verdict.same("drops not in the table of drops", sum(abs(book.drops_unlisted()) for book in books), 0),
    )
    figure, (nodes, links) = new_figure(1, 2, height=3.0)
    _diagonal(nodes, routers, "Routers", "packets into a router", "packets out of it")
    ends = [
        (
            int(link["packets_offered"]),
            int(link["packets_forwarded"] + link["dropped_queue"] + link["dropped_loss"] + link["thinned"]),
        )
        for book in quiet
        for link in book.result.links.iter_rows(named=True)
    ]
    _diagonal(links, ends, "Links that are quiet", "packets offered to a link", "forwarded, refused, or lost")
    return Report("conservation", "No packet is lost or made", checks, figure)


def _diagonal(axis: Axes, pairs: Sequence[tuple[int, int]], title: str, x: str, y: str) -> None:
    counts = np.array([(a, b) for a, b in pairs if a or b])
    ends = [0.8, counts.max() * 1.5]
    axis.plot(ends, ends, color="#444444", linewidth=0.8, label="equal")
    axis.plot(counts[:, 0], counts[:, 1], ".", color="#d55e00", label="counted", rasterized=True)
    axis.set(xscale="log", yscale="log", xlabel=x, ylabel=y, title=title)
    axis.legend(loc="upper left")
