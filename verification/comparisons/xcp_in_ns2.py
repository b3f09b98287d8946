"""XCP in ns-2 and here, and XCP below one packet per round trip.

`python -m verification.comparisons.xcp_in_ns2` prints the tables; `--publish` renews those that the
documentation shows. ns-2 must be installed.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import polars as pl

from ackclock import Result, load_scenario, run
from ackclock.measures.statistics import jain_index
from ackclock.papers import load_paper
from verification.checks.runs import Settings, row, simulate_all
from verification.comparisons.publication import parser, print_and_publish
from verification.peers.harness import NS2, cached_output

SCENARIO = "explicit-control"
BOTTLENECK_KEY = "topology.graph.link.1"
ROUND_TRIPS_MS = (40, 80, 120, 160, 200)
STARTS_S = (0, 2, 4, 6, 8)
RATE_BIT_S = 45_000_000
WARM_UP_S, SECONDS = 20, 40
AMPLE = 10_000
"""The packets of ns-2's buffer, which never fills."""
WIRE_SHARE = 1500 / 1460
"""The ratio of a packet to its payload."""
HERE: Mapping[str, Mapping[str, object]] = {
    "xcp, an acknowledgment per segment": {"tcp.segments_per_ack": 1},
    "xcp, delayed acknowledgments": {},
    "cubic over drop-tail": {"tcp.algorithm": "cubic", f"{BOTTLENECK_KEY}.queue": "droptail"},
}

FLOWS = (25, 40, 60, 200)
PACKETS_OF_A_ROUND_TRIP = 50
"""1 Mbit/s for 200 ms, in packets of 500 bytes."""
LINK_WARM_UP_S, LINK_SECONDS = 60, 240
SEEDS = range(1, 6)
SENDERS: Mapping[str, Settings] = {
    "clockwork": {},
    "random": {"send_overhead": {"uniform": {"from": "0 us", "to": "4000 us"}}},
}
"""The two settings of the paper's folder: ns-2's defaults, and a random overhead with timeouts from 1 s."""
QUEUES = {"xcp": "sack+xcp", "droptail": "sack+reno(limit=1)"}


def in_ns2() -> list[float]:
    """Shares of the flows in Mbit/s; the share of time busy, packets waiting, the most of them, dropped."""
    flows = [
        f"{value:g}"
        for round_trip, start in zip(ROUND_TRIPS_MS, STARTS_S, strict=True)
        for value in (round_trip / 2, start)
    ]
    path = [str(value) for value in (RATE_BIT_S, AMPLE, WARM_UP_S, SECONDS)]
    printed = cached_output(NS2, "xcp", *path, *flows)
    line = next(line for line in printed.splitlines() if line.startswith("found"))
    return [float(word) for word in line.split()[1:]]


def here(changes: Mapping[str, object]) -> list[float]:
    """The same here."""
    result = run(load_scenario(SCENARIO, dict(changes)), seed=1)
    link = row(result.links, "router->exchange")
    shares = [WIRE_SHARE * float(rate) / 1e6 for rate in result.flows["goodput_bit_per_s"]]
    waiting = [float(link[name]) for name in ("mean_queue_packets", "max_queue_packets")]
    return [*shares, float(link["utilisation"]), *waiting, float(link["dropped_queue"])]


def routes() -> Iterator[list[str]]:
    """A row per simulator and sender."""
    yield [
        "simulator",
        "senders",
        "least share, Mbit/s",
        "largest share, Mbit/s",
        "busy, %",
        "waiting, packets",
        "most waiting, packets",
        "dropped",
    ]
    found = {(NS2, "its XCP"): in_ns2()}
    found |= {("Ackclock", name): here(changes) for name, changes in HERE.items()}
    for (simulator, senders), numbers in found.items():
        *shares, busy, waiting, most, dropped = numbers
        yield [
            simulator,
            senders,
            f"{min(shares):.2f}",
            f"{max(shares):.2f}",
            f"{100 * busy:.1f}",
            f"{waiting:.1f}",
            f"{most:.0f}",
            f"{dropped:.0f}",
        ]


def link(flows: int, queue: str, senders: str, seed: int) -> Settings:
    """The sub-packet paper's link."""
    file = load_paper("sub-packet").folder / "scenarios" / "link.toml"
    tree = tomllib.loads(file.read_text(encoding="utf-8"))
    tree |= {"seed": seed, "duration": f"{LINK_SECONDS} s", "warm_up": f"{LINK_WARM_UP_S} s"}
    tree["tcp"]["algorithm"] = QUEUES[queue]
    if SENDERS[senders]:
        tree["tcp"]["rto_min"] = "1 s"
    tree["flow"][0] |= {"count": flows, **SENDERS[senders]}
    tree["topology"]["dumbbell"]["pairs"] = (flows + 1) // 2
    tree["topology"]["dumbbell"]["bottleneck"]["queue"] = queue
    return tree


def numbers_of(result: Result) -> list[float]:
    """Packets waiting, dropped, timeouts, and Jain's index."""
    at = result.links.row(by_predicate=pl.col("name") == "left->right", named=True)
    rates = result.flows["goodput_bit_per_s"].to_numpy()
    timeouts = float(result.flows["timeouts"].sum())
    return [float(at["mean_queue_packets"]), float(at["dropped_queue"]), timeouts, jain_index(rates)]


def below_one_packet() -> Iterator[list[str]]:
    """A row per number of flows, kind of sender and queue: means over seeds."""
    yield ["flows", "packets per round trip", "senders", "queue", "waiting", "dropped", "timeouts", "index"]
    for flows in FLOWS:
        for senders in SENDERS:
            for queue in QUEUES:
                results = simulate_all([link(flows, queue, senders, seed) for seed in SEEDS])
                waiting, dropped, timeouts, index = np.mean([numbers_of(one) for one in results], axis=0)
                yield [
                    str(flows),
                    f"{PACKETS_OF_A_ROUND_TRIP / flows:.2f}",
                    senders,
                    queue,
                    f"{waiting:.1f}",
                    f"{dropped:.0f}",
                    f"{timeouts:.0f}",
                    f"{index:.2f}",
                ]


def main(arguments: Sequence[str]) -> int:
    """Prints the tables, and publishes them if asked."""
    chosen = parser("xcp_in_ns2", __doc__).parse_args(arguments)
    tables = {"unlike-round-trips": routes(), "below-one-packet": below_one_packet()}
    print_and_publish("xcp", tables, chosen.publish)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
