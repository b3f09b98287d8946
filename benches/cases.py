"""The cases: long flows over one link or a dumbbell, few and many, TCP and abstract."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from verification.peers.harness import HTSIM, NS2, NS3

REPOSITORY = Path(__file__).resolve().parents[1]

WIRE_BYTES = 1500
ACK_BYTES = 40
SIZES = {"mss": "1460 bytes", "header": "40 bytes"}
"""A packet where a scenario gives no size of its own."""

BARE_LOOP = "bare loop"
EARLIER = "earlier build"
ALL_PEERS = frozenset({BARE_LOOP, HTSIM, NS2, NS3})
BARE_ALONE = frozenset({BARE_LOOP})
NO_PEERS: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Case:
    """A scenario, with values replaced."""

    key: str
    scenario: str
    """The name of a file of `folder`, without its ending."""
    changes: Mapping[str, str] = field(default_factory=dict)
    peers: frozenset[str] = ALL_PEERS
    """The other programs that run the case in acceptable time. The bare loop has long flows alone, no losses
    on links and no managed queues: for the others it is a measure."""
    folder: str = "scenarios"
    title: str = ""
    """In words for tables; the key where it says enough."""
    at_least: float = 0.0
    """The aim, in million packets per CPU-second."""
    go_for: float = 0.0
    """The target."""
    mean_rate: str = ""
    """The mean rate of the shared link, where it varies."""

    @property
    def path(self) -> Path:
        """The scenario's file."""
        return REPOSITORY / self.folder / f"{self.scenario}.toml"

    def network(self) -> Network:
        """The scenario as the numbers it comes down to."""
        tree = tomllib.loads(self.path.read_text(encoding="utf-8"))
        for path, value in self.changes.items():
            put(tree, path, value)
        topology = tree["topology"]
        if "dumbbell" in topology:
            shared, access = topology["dumbbell"]["bottleneck"], topology["dumbbell"]["access"]
        else:
            (shared,), access = topology["graph"]["link"], None
        return Network(
            layout="shared" if access is None else "dumbbell",
            flows=sum(
                int(group.get("count", 1)) for kind in ("flow", "udp", "call") for group in tree.get(kind, ())
            ),
            rate=quantity(self.mean_rate or shared.get("rate", "nan bit/s")),
            delay=quantity(shared.get("delay", "0 ms")),
            access_rate=quantity(access["rate"]) if access else 0.0,
            access_delay=quantity(access["delay"]) if access else 0.0,
            buffer=quantity(shared.get("buffer", "nan packets")),
            seconds=quantity(tree["duration"]),
            packet=sum(quantity(tree.get("tcp", {}).get(key, size)) for key, size in SIZES.items()),
            has_frames="call" in tree,
        )


@dataclass(frozen=True)
class Network:
    """A case in bits per second and seconds; delays are of one link, one way.

    The rate is NaN for a link that a path describes.
    """

    layout: Literal["shared", "dumbbell"]
    flows: int
    rate: float
    delay: float
    access_rate: float
    access_delay: float
    buffer: float
    """Of the bandwidth-delay product; NaN for one in other units, which no other program has."""
    seconds: float
    packet: float = WIRE_BYTES
    """The bytes of a data packet on the wire."""
    has_frames: bool = False
    """Whether frames of calls decide how large packets are."""

    @property
    def limit(self) -> int:
        """The buffer in packets: what may wait in addition to the packet in transmission."""
        rates = [self.rate] if self.layout == "shared" else [self.rate, self.access_rate, self.access_rate]
        transmission = sum((self.packet + ACK_BYTES) * 8 / rate for rate in rates)
        round_trip = 2 * (self.delay + 2 * self.access_delay) + transmission
        return max(1, round(self.buffer * self.rate * round_trip / 8 / self.packet))

    @property
    def capacity(self) -> float:
        """Packets that the shared link can carry in the time; NaN where their size or its rate varies."""
        return math.nan if self.has_frames else self.rate * self.seconds / 8 / self.packet


UNITS = {
    "bytes": 1.0,
    "bit/s": 1.0,
    "Mbit/s": 1e6,
    "Gbit/s": 1e9,
    "packets": math.nan,
    "packets/ms": WIRE_BYTES * 8e3,
    "s": 1.0,
    "ms": 1e-3,
    "us": 1e-6,
    "% bdp": 1e-2,
}


def quantity(text: str) -> float:
    """A number with one of the units that the scenarios measured here use."""
    match = re.fullmatch(r"([\d.]+|nan) ?(.+)", text)
    if match is None or match[2] not in UNITS:
        raise ValueError(f"{text!r} has none of the units {', '.join(UNITS)}")
    return float(match[1]) * UNITS[match[2]]


def put(tree: Any, path: str, value: str) -> None:
    """Replaces one value, addressed as in `ackclock run --set`."""
    *above, last = path.split(".")
    for name in above:
        tree = tree[int(name)] if isinstance(tree, list) else tree.setdefault(name, {})
    tree[last] = value


TEN_THOUSAND = {"warm_up": "1 s", "duration": "20 s", "flow.0.count": "10000"}
"""Twenty seconds, in which all programs fill the link: after five the others had filled less of it."""
S10000 = {"topology.graph.link.0.rate": "10 Gbit/s", **TEN_THOUSAND}
D10000 = {
    "topology.dumbbell.bottleneck.rate": "10 Gbit/s",
    "topology.dumbbell.pairs": "10000",
    **TEN_THOUSAND,
}

CASES = (
    Case("S10", "ten-flows-shared", at_least=12, go_for=25),
    Case("D10", "ten-flows-dumbbell", at_least=6, go_for=10),
    # The ACK/NAK transport: other simulators have none.
    Case("M42", "mesonet-dumbbell", peers=BARE_ALONE, at_least=10, go_for=52),
    Case("S1000", "thousand-flows-shared", at_least=8, go_for=20),
    Case("D1000", "thousand-flows-dumbbell", at_least=2.5, go_for=5),
    # ns-2 and ns-3 take a quarter of an hour and more.
    Case("S10000", "thousand-flows-shared", S10000, frozenset({BARE_LOOP, HTSIM}), at_least=4, go_for=15),
    Case("D10000", "thousand-flows-dumbbell", D10000, frozenset({BARE_LOOP, HTSIM}), at_least=1, go_for=2),
)


def of_algorithm(algorithm: str) -> Case:
    """S10's network under another algorithm."""
    title = f"S10's network, `{algorithm}`"
    return Case(algorithm, "ten-flows-shared", with_rfc_timers(algorithm), BARE_ALONE, title=title)


def with_rfc_timers(algorithm: str) -> dict[str, str]:
    """The algorithm with the timers of RFC 8985 and RFC 6298, so that counts stay comparable."""
    return {
        "tcp.algorithm": algorithm,
        "tcp.reordering_timer_slack": "0 ms",
        "tcp.rearm_at_fast_retransmit": "false",
    }


def with_queue(network: str, key: str, queue: str) -> Case:
    """The network of a case with a managed queue."""
    scenario, changes = ("thousand-flows-shared", S10000) if network == "S10000" else ("ten-flows-shared", {})
    changes = {**changes, "topology.graph.link.0.queue": queue}
    return Case(key, scenario, changes, BARE_ALONE, title=f"{network}'s network, `{queue}`")


ALGORITHMS = (
    "newreno", "newreno+cubic", "rack", "rack+cubic", "newreno+dctcp", "newreno+fast", "bbr1", "bbr3",
)  # fmt: skip

RAMPS = '{ ramps = [["0 s", "100 Mbit/s"], ["1 s", "400 Mbit/s"], ["2 s", "100 Mbit/s"]], every = "2001 ms" }'
"""A rate that rises and falls, either way of a link."""

UNTUNED = (
    *map(of_algorithm, ALGORITHMS),
    Case("S1000 bbr3", "thousand-flows-shared", with_rfc_timers("bbr3"), BARE_ALONE, title="S1000, `bbr3`"),
    with_queue("S10", "RED", "red"),
    with_queue("S10", "CoDel", "codel"),
    with_queue("S10", "FQ-CoDel", "fq-codel"),
    # 200 packets/s: ten thousand seconds of them take as long as any other case.
    Case(
        "1 % loss",
        "ten-flows-shared",
        {
            "flow.0.count": "1",
            "topology.graph.link.0.loss": "{ bernoulli = 0.01 }",
            "warm_up": "0 s",
            "duration": "10000 s",
        },
        NO_PEERS,
        title="one flow on S10's network with 1 % random loss",
    ),
    Case(
        "ramps",
        "ten-flows-shared",
        {"topology.graph.link.0.rate": RAMPS},
        NO_PEERS,
        title="S10's network, `rate = { ramps = … }`",
        at_least=3.3,
        mean_rate="250 Mbit/s",
    ),
    # Five seconds, for a log is kept in memory: it has some 600 bytes per packet.
    Case(
        "qlog",
        "ten-flows-shared",
        {"trace.qlog": "true", "warm_up": "0 s", "duration": "5 s"},
        NO_PEERS,
        title="S10's network, `[trace] qlog`",
        at_least=0.4,
    ),
)
"""Other algorithms and queues, on the networks of the cases that the code is tuned by."""


def of_today(scenario: str, duration: str, title: str, at_least: float) -> Case:
    """A built-in scenario, for longer than its own time."""
    return Case(scenario, scenario, {"duration": duration}, NO_PEERS, title=title, at_least=at_least)


PATHS = (
    Case(
        "jitter",
        "ten-flows-shared",
        {"topology.graph.link.0.impairments": '[{ jitter = { uniform = "5 ms" } }]', "tcp.algorithm": "rack"},
        NO_PEERS,
        title="S10's network with jitter by which packets overtake, `rack`",
        at_least=2.0,
    ),
    of_today("l4s-home", "300 s", "Prague and CUBIC over `dualpi2`", 3.3),
    of_today("lte-driving", "1200 s", "two downloads over LTE", 2.5),
    of_today("wifi-home", "120 s", "two downloads over Wi-Fi", 3.3),
    of_today("incast", "6 s", "incast of 200 flows, with series of all", 1.0),
)
"""Paths on which packets overtake, wait for radio or come all at once."""


def ten_thousand(key: str, algorithm: str, at_least: float, **changes: str) -> Case:
    """S10000 under another algorithm."""
    title = f"S10000, `{algorithm}`" + (", paced" if "tcp.pacing" in changes else "")
    changes = S10000 | with_rfc_timers(algorithm) | changes
    return Case(key, "thousand-flows-shared", changes, BARE_ALONE, title=title, at_least=at_least)


WEB_LINK = {
    "topology.dumbbell.bottleneck.rate": "20 Mbit/s",
    "topology.dumbbell.bottleneck.buffer": "100% bdp",
}
"""The link of 100 users, for twenty times as many."""

LARGE = (
    ten_thousand("S10000 bbr3", "bbr3", 1.0),
    ten_thousand("S10000 copa", "copa", 1.1),
    ten_thousand("S10000 paced", "rack+cubic", 1.4, **{"tcp.pacing": "auto"}),
    with_queue("S10000", "S10000 FQ-CoDel", "fq-codel"),
    with_queue("S10000", "S10000 FQ-CoDel, 65,536 queues", "fq-codel(flows=65536)"),
    Case(
        "million files",
        "million-files",
        peers=NO_PEERS,
        folder="benches",
        title="a million files of ten packets",
    ),
    Case(
        "datagrams",
        "datagrams",
        peers=NO_PEERS,
        folder="benches",
        title="100,000 sources of datagrams",
        at_least=2.9,
    ),
    Case(
        "requests",
        "requests",
        peers=NO_PEERS,
        folder="benches",
        title="1000 clients with requests and responses of one packet",
        at_least=2.9,
    ),
    Case(
        "2000 web users",
        "web-users",
        {"flow.0.count": "2000", "topology.dumbbell.pairs": "2000", **WEB_LINK},
        NO_PEERS,
        at_least=2.0,
    ),
    Case(
        "2000 browsers",
        "browsers",
        peers=NO_PEERS,
        folder="benches",
        title="2000 users of pages over HTTP/1.1, 2 and 3",
        at_least=2.0,
    ),
    Case(
        "1000 calls",
        "calls",
        peers=NO_PEERS,
        folder="benches",
        title="1000 calls under three congestion controls",
        at_least=2.0,
    ),
    Case(
        "500 films",
        "films",
        peers=NO_PEERS,
        folder="benches",
        title="500 viewers of films, under four adaptations",
        at_least=2.0,
    ),
)
"""Further cases by which the code is not tuned; counting the instructions of their many flows takes too
long."""
