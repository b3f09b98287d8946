"""Vegas in ns-2, in Linux' code inside ns-2, and here: with datagrams, with Reno, and with itself.

`python -m verification.comparisons.vegas_in_ns2` prints the table; `--publish` renews the one that the
documentation shows. ns-2 must be installed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

import numpy as np

from ackclock.measures.statistics import jain_index, mean_interval
from verification.checks.runs import Settings, row, simulate_all
from verification.comparisons.publication import parser, print_and_publish, written
from verification.peers.harness import NS2, cached_output

WARM_UP_S, SECONDS = 20, 120
SEEDS = range(1, 6)
OVERHEAD_MS = {"datagrams": 0, "reno": 0, "two": 0, "random": 10}
"""The scenes, with the random time that senders take over each packet. Over 2 Mbit/s with 20 packets of
buffer: with 1 Mbit/s of Poisson datagrams at a round trip of 60 ms, and with Reno at round trips of 44 ms and
164 ms. Over 100 Mbit/s: two flows with 80 ms. `random` is `reno` with an overhead."""
NS2_AGENTS = {
    "ns-2": "Vegas",
    "Linux 2.6.22 in ns-2": "Linux",
    "Linux 2.6.22 in ns-2, after an agent that sends nothing": "Linux2",
}
BEFORE = "sack+vegas-linux(round_before=1)+vegas-linux(round_before=1)"
ORDER = (
    "ns-2",
    "vegas",
    "vegas(rounded=1)",
    "vegas(rounded=1,sent=1,spread=1)",
    *list(NS2_AGENTS)[1:],
    BEFORE,
    "sack+vegas-linux",
    "vegas(alpha=2,beta=4,least_rtt=1)",
)
"""Our settings for ns-2's Vegas, and for Linux's."""

Measured = tuple[float, ...]
"""Goodputs in kbit/s, timeouts of the last flow, and per cent lost at the bottleneck."""


def starts(scene: str, seed: int) -> list[float]:
    """The starts of the flows: within the first second; the second of two flows 10 s later."""
    drawn_as = "reno" if scene == "random" else scene
    drawn = np.random.default_rng([["datagrams", "reno", "two"].index(drawn_as), seed]).uniform(0, 1, size=2)
    later = 10.0 if scene == "two" else 0.0
    return [round(float(drawn[0]), 3), round(later + float(drawn[1]), 3)][: 1 if scene == "datagrams" else 2]


def link(start: str, end: str, rate: str, delay: str, buffer: int = 100_000) -> Settings:
    """One link."""
    return {"from": start, "to": end, "rate": rate, "delay": delay, "buffer": f"{buffer} packets"}


def here(scene: str, algorithm: str, seed: int) -> Settings:
    """The scene."""
    slow = link("left", "right", "2 Mbit/s", "20 ms", 20)
    fast = link("left", "right", "100 Mbit/s", "38 ms", 1000)
    unequal = ["1 ms", "61 ms"]
    access = {"datagrams": ["9 ms"], "reno": unequal, "random": unequal, "two": ["1 ms", "1 ms"]}[scene]
    overhead = {"uniform": {"from": "0 us", "to": f"{OVERHEAD_MS[scene]} ms"}}
    links = [fast if scene == "two" else slow]
    flows: list[Settings] = []
    for number, (delay, start) in enumerate(zip(access, starts(scene, seed), strict=True)):
        links += [link(f"from{number}", "left", "100 Mbit/s", delay)]
        links += [link("right", f"to{number}", "100 Mbit/s", "1 ms")]
        is_reno = scene in ("reno", "random") and number == 1
        flows.append(
            {
                "from": f"from{number}",
                "to": f"to{number}",
                "start": f"{start:g} s",
                "algorithm": "reno+reno(limit=1)" if is_reno else algorithm,
                **({"send_overhead": overhead} if OVERHEAD_MS[scene] else {}),
            }
        )
    settings: dict[str, object] = {
        "name": "vegas",
        "seed": seed,
        "duration": f"{SECONDS} s",
        "warm_up": f"{WARM_UP_S} s",
        "tcp": {
            "mss": "960 bytes",
            "header": "40 bytes",
            "initial_window": "2 packets",
            "segments_per_ack": 1,
            "handshake": False,
            "rto_min": "0.2 s",
        },
        "flow": flows,
    }
    if scene == "datagrams":
        links.append(link("source", "left", "100 Mbit/s", "1 ms"))
        poisson = {"rate": "1 Mbit/s", "packet": "1000 bytes", "pattern": "poisson"}
        settings["udp"] = [{"from": "source", "to": "right", **poisson}]
    return settings | {"topology": {"graph": {"link": links}}}


def measured_here(scene: str, algorithm: str) -> list[Measured]:
    """A row per seed."""
    found: list[Measured] = []
    for result in simulate_all([here(scene, algorithm, seed) for seed in SEEDS]):
        bottleneck = row(result.links, "left->right")
        lost, sent = bottleneck["dropped_queue"], bottleneck["packets_forwarded"]
        flows = len(starts(scene, 1))
        goodputs = [float(rate) / 1e3 for rate in result.flows["goodput_bit_per_s"][:flows]]
        timeouts = float(result.flows["timeouts"][flows - 1])
        found.append((*goodputs, timeouts, 100 * lost / (lost + sent)))
    return found


def measured_in_ns2(scene: str, agent: str) -> list[Measured]:
    """The same in ns-2."""
    found: list[Measured] = []
    for seed in SEEDS:
        values = (WARM_UP_S, SECONDS, seed, OVERHEAD_MS[scene] / 1e3, *starts(scene, seed))
        script_scene = "reno" if scene == "random" else scene
        printed = cached_output(NS2, "vegas", script_scene, agent, *(f"{value:g}" for value in values))
        line = next(line for line in printed.splitlines() if line.startswith("found"))
        *goodputs, timeouts, lost, sent = (float(word) for word in line.split()[1:])
        found.append((*goodputs, timeouts, 100 * lost / (lost + sent)))
    return found


def table() -> Iterator[list[str]]:
    """A row per sender."""
    yield [
        "sender",
        "beside datagrams, kbit/s",
        "lost, %",
        "beside Reno, kbit/s",
        "Reno, kbit/s",
        "Reno's timeouts",
        "beside Reno, overhead up to 10 ms, kbit/s",
        "Reno, overhead up to 10 ms, kbit/s",
        "its timeouts",
        "first of two, Mbit/s",
        "second, Mbit/s",
        "Jain",
    ]
    for name in ORDER:
        found = {
            scene: measured_in_ns2(scene, NS2_AGENTS[name])
            if name in NS2_AGENTS
            else measured_here(scene, name)
            for scene in OVERHEAD_MS
        }
        alone, _, lost = zip(*found["datagrams"], strict=True)
        first, second, *_ = zip(*found["two"], strict=True)
        beside_reno = []
        for scene in ("reno", "random"):
            vegas, reno, timeouts, _ = zip(*found[scene], strict=True)
            beside_reno += [_written(vegas, 0), _written(reno, 0), _written(timeouts, 1)]
        shares = [jain_index(list(pair)) for pair in zip(first, second, strict=True)]
        yield [
            name,
            _written(alone, 0),
            _written(lost, 2),
            *beside_reno,
            *(_written([rate / 1e3 for rate in rates], 1) for rates in (first, second)),
            _written(shares, 3),
        ]


def _written(values: Sequence[float], digits: int) -> str:
    return written(mean_interval(values), digits)


def main(arguments: Sequence[str]) -> int:
    """Prints the table, and publishes it if asked."""
    chosen = parser("vegas_in_ns2", __doc__).parse_args(arguments)
    print_and_publish("vegas", {"table": table()}, chosen.publish)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
