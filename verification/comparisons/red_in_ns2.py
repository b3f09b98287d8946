"""RED in ns-2 and here: long flows through one queue, by the rules of the paper and by those that ns-2 adds.

`python -m verification.comparisons.red_in_ns2` prints the table; `--publish` renews the one that the
documentation shows. ns-2 must be installed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from ackclock.measures.statistics import Interval, mean_interval
from verification.checks.runs import Settings, row, simulate_all
from verification.comparisons.publication import parser, print_and_publish, written
from verification.peers.harness import NS2, cached_output

RATE_BIT_PER_S = 10_000_000
DELAY_S = 0.039
LIMIT = 100
WARM_UP_S, SECONDS = 20, 220
FLOWS = (10, 20, 40)
SEEDS = range(1, 9)
OURS = ("red", "red(least_queue=2)", "red(least_gap=1)", "red(least_gap=1,least_queue=2)")
NS2_WAITS = {"ns-2, wait_ false": "false", "ns-2, wait_ true": "true"}


def here(flows: int, queue: str, seed: int) -> Settings:
    """Long SACK flows through RED, whose defaults are those of ns-2's script."""
    bottleneck = {
        "rate": f"{RATE_BIT_PER_S} bit/s",
        "delay": f"{DELAY_S * 1e3:g} ms",
        "buffer": f"{LIMIT} packets",
        "queue": queue,
    }
    return {
        "name": "red",
        "seed": seed,
        "duration": f"{SECONDS} s",
        "warm_up": f"{WARM_UP_S} s",
        "topology": {
            "dumbbell": {
                "pairs": flows,
                "bottleneck": bottleneck,
                "access": {"rate": "100 Mbit/s", "delay": "1 ms"},
            }
        },
        "tcp": {
            "algorithm": "sack",
            "mss": "960 bytes",
            "header": "40 bytes",
            "initial_window": "2 packets",
            "segments_per_ack": 1,
            "handshake": False,
            "rto_min": "1 s",
        },
        "flow": [{"count": flows, "start_jitter": "1 s"}],
    }


def measured_here(flows: int, queue: str) -> tuple[Interval, Interval, Interval]:
    """Per cent lost, packets waiting, and Mbit/s sent on, over seeds."""
    results = simulate_all([here(flows, queue, seed) for seed in SEEDS])
    links = [row(result.links, "left->right") for result in results]
    seconds = SECONDS - WARM_UP_S
    return _intervals(
        [
            (link["dropped_queue"], link["packets_forwarded"], link["mean_queue_packets"], seconds)
            for link in links
        ]
    )


def measured_in_ns2(flows: int, waits: str) -> tuple[Interval, Interval, Interval]:
    """The same in ns-2."""
    found = []
    for seed in SEEDS:
        values = (flows, RATE_BIT_PER_S, DELAY_S, LIMIT, WARM_UP_S, SECONDS, seed)
        printed = cached_output(NS2, "red_queue", *(f"{value:.12g}" for value in values), f"wait_={waits}")
        drops, departures, waiting = (float(word) for word in printed.splitlines()[-1].split())
        found.append((drops, departures, waiting, SECONDS - WARM_UP_S))
    return _intervals(found)


def _intervals(found: Sequence[tuple[float, float, float, float]]) -> tuple[Interval, Interval, Interval]:
    return (
        mean_interval([100 * drops / (drops + departures) for drops, departures, *_ in found]),
        mean_interval([waiting for *_, waiting, _ in found]),
        mean_interval([departures * 8e-3 / seconds for _, departures, _, seconds in found]),
    )


def table() -> Iterator[list[str]]:
    """A row per number of flows and rule: the paper's, with either addition of ns-2, and with both."""
    yield ["flows", "queue", "dropped, %", "packets waiting", "Mbit/s"]
    for flows in FLOWS:
        found = {queue: measured_here(flows, queue) for queue in OURS}
        found |= {name: measured_in_ns2(flows, waits) for name, waits in NS2_WAITS.items()}
        for name in (*OURS[:2], "ns-2, wait_ false", *OURS[2:], "ns-2, wait_ true"):
            yield [str(flows), name, *(written(cell, 2) for cell in found[name])]


def main(arguments: Sequence[str]) -> int:
    """Prints the table, and publishes it if asked."""
    chosen = parser("red_in_ns2", __doc__).parse_args(arguments)
    print_and_publish("red", {"table": table()}, chosen.publish)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
