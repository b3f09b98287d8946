"""CAKE in the simulator and in plain Python: the same packets leave at the same times, marked or dropped.

Plain Python is given the packets that the simulator brings to the gateway, when it brings them. Rates make
every time a whole number of nanoseconds, and quanta of 300 bytes are whole for up to six flows of a host, so
that nothing but the hash is left to chance.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest
from scapy.layers.inet import TCP
from scapy.utils import PcapNgReader

import ackclock
from reference.queue.cake.departures import departures
from reference.queue.cake.link_layer import LinkLayer
from reference.queue.cake.packets import Packet, TcpHeader
from reference.queue.cake.scheduler import Cake, Settings
from tests.differential.gateway import CE

RATE = 8_000_000
"""Of the link, in bits per second: a byte takes 1000 ns."""
BANDWIDTH = 6_400_000
"""Of the shaper: a byte takes 1250 ns, and in the tins a multiple of that."""
DELAY_NS = 10_000_000
SECONDS = 10
IN, OUT = "edge->gateway", "gateway->sink"
LONG_MS = 3_600_000
"""`interplanetary`: COBALT drops nothing."""


@dataclass(frozen=True)
class Flow:
    """A flow from a host to the sink, or datagrams at a rate."""

    host: int
    priority: int = 0
    algorithm: str = "rack+cubic"
    backward: bool = False
    rate: float = 0.0

    def group(self, number: int) -> dict[str, object]:
        """The table of its group."""
        ends = {"from": f"host{self.host}", "to": "sink", "priority": self.priority}
        if self.rate:
            return {
                **ends,
                "rate": f"{self.rate:.0f} bit/s",
                "packet": "1000 bytes",
                "pattern": "poisson",
            }
        start = f"{0.037 * number:g} s"
        return {**ends, "algorithm": self.algorithm, "backward": self.backward, "start": start}


def simulated(
    queue: str,
    flows: Sequence[Flow],
    tcp: Mapping[str, object] | None = None,
) -> ackclock.Result:
    """The flows over one link with that queue; their hosts have unequal distances. TCP flows come first."""
    link = {"from": "gateway", "to": "sink", "rate": f"{RATE} bit/s", "delay": "10 ms"}
    reverse = {"queue": "droptail", "rate": "20 Mbit/s", "buffer": "1000 packets"}
    hosts = sorted({flow.host for flow in flows})
    access = [
        {
            "from": f"host{host}",
            "to": "edge",
            "rate": "89 Mbit/s",
            "delay": f"{1.7 + 3.3 * host:g} ms",
            "buffer": "10000 packets",
        }
        for host in hosts
    ]
    edge = {"from": "edge", "to": "gateway", "rate": "97 Mbit/s", "delay": "5 ms", "buffer": "10000 packets"}
    gateway = {**link, "buffer": "100000 packets", "queue": queue, "reverse": reverse}
    return ackclock.run(
        {
            "name": "cake",
            "duration": f"{SECONDS} s",
            "topology": {"graph": {"link": [edge, gateway, *access]}},
            "flow": [flow.group(number) for number, flow in enumerate(flows) if not flow.rate],
            "udp": [flow.group(0) for flow in flows if flow.rate],
            "tcp": dict(tcp or {}),
            "trace": {"interval": "1 s", "packets": [IN, OUT]},
        }
    )


def table_of(result: ackclock.Result, link: str) -> pl.DataFrame:
    """The packets at the far end of a link."""
    number = result.links["name"].to_list().index(link)
    return result.packets.filter(pl.col("link") == number)


def arrivals(
    result: ackclock.Result, flows: Sequence[Flow], headers: Sequence[TcpHeader | None] | None = None
) -> list[Packet]:
    """The packets that come to the gateway."""
    rows = table_of(result, IN).iter_rows(named=True)
    return [
        Packet(
            round(row["time_s"] * 1e9),
            row["wire_bytes"],
            name_of(row),
            row["ecn"],
            flow=row["flow"],
            source=flows[row["flow"]].host,
            destination=-1,
            dscp=flows[row["flow"]].priority << 3,
            tcp=None if headers is None else headers[place],
        )
        for place, row in enumerate(rows)
    ]


def name_of(row: Mapping[str, object]) -> tuple[object, ...]:
    """Tells a packet from others, but for its retransmissions."""
    return row["flow"], row["kind"], row["sequence"], row["acknowledgment"], row["payload_bytes"]


def agree(
    result: ackclock.Result,
    flows: Sequence[Flow],
    settings: Settings,
    headers: Sequence[TcpHeader | None] | None = None,
) -> Cake:
    """Every departure at the same nanosecond, with the same mark, and the same drops in the same order."""
    number = result.links["name"].to_list().index(OUT)
    dropped = result.drops.filter(pl.col("link") == number)["flow"].to_list()
    twin = Cake(settings)
    # Of equally long queues, the one from which the simulator drops next.
    twin.choose = lambda equals: next(
        (flow for flow in dropped[len(twin.dropped) :][:1] if flow in equals), equals[0]
    )
    sent = departures(twin, arrivals(result, flows, headers), lambda packet: packet.size * 1000)
    there = [
        (round(row["time_s"] * 1e9) - DELAY_NS - row["wire_bytes"] * 1000, name_of(row), row["ecn"] == CE)
        for row in table_of(result, OUT).iter_rows(named=True)
    ]
    marked = {id(packet) for packet in twin.marked}
    here = [
        (time, packet.name, packet.ecn == CE or id(packet) in marked) for time, packet in sent[: len(there)]
    ]
    assert len(there) > 1000
    for place, (found, expected) in enumerate(zip(here, there, strict=True)):
        assert found == expected, f"the {place}. to leave is {expected} in the simulator, {found} in Python"
    last = there[-1][0]
    flows_here = [packet.flow for packet in twin.dropped if isinstance(packet, Packet)]
    assert flows_here[: len(dropped)] == dropped
    # What is under way at the end may be dropped later.
    late = [packet for packet in twin.dropped[len(dropped) :] if packet.came < last - 5_000_000_000]
    assert not late
    return twin


HOME = [
    Flow(0),
    Flow(1),
    Flow(1),
    Flow(1, algorithm="sack"),
    Flow(2, algorithm="reno"),
    Flow(2, backward=True),
]
"""One, three, and one with the acknowledgments of a download."""


@pytest.mark.parametrize(
    "isolation",
    ["flowblind", "srchost", "dsthost", "hosts", "flows", "dual-srchost", "dual-dsthost", "triple-isolate"],
)
@pytest.mark.parametrize("is_shaped", [True, False])
def test_isolation_serves_and_drops_the_same(isolation: str, is_shaped: bool) -> None:
    """Without a shaper a turn has 1514 bytes, which two flows of a host share evenly."""
    flows = HOME if is_shaped else [Flow(0), Flow(1), Flow(1, algorithm="sack"), Flow(2, backward=True)]
    if not is_shaped and isolation in ("dual-dsthost", "triple-isolate"):
        flows = [*flows[:1], flows[3]]
    bandwidth = f"bandwidth={BANDWIDTH}," if is_shaped else ""
    result = simulated(f"cake({bandwidth}tins=besteffort,isolation={isolation})", flows)
    rate = BANDWIDTH if is_shaped else None
    twin = agree(result, flows, Settings(rate=rate, diffserv="besteffort", isolation=isolation))
    assert len(twin.dropped) > 5


SERVICES = [
    Flow(0),
    Flow(1, 1),
    Flow(2, 3),
    Flow(3, 6),
    Flow(1, 1, "sack"),
    Flow(0, 7, rate=3e5),
    Flow(2, 4, rate=1e6),
]
"""Best effort, bulk, video and voice, as responsive flows and as datagrams."""


SHAPED = ("besteffort", "diffserv3", "diffserv4")


@pytest.mark.parametrize(
    ("tins", "is_shaped"),
    [(tins, True) for tins in SHAPED] + [(tins, False) for tins in (*SHAPED, "diffserv8", "precedence")],
)
def test_tins_share_the_same(tins: str, is_shaped: bool) -> None:
    """Eight tins have thresholds whose times are no whole numbers; they are compared without a shaper."""
    bandwidth = f"bandwidth={BANDWIDTH}," if is_shaped else ""
    result = simulated(f"cake({bandwidth}tins={tins},isolation=flows)", SERVICES)
    rate = BANDWIDTH if is_shaped else None
    twin = agree(result, SERVICES, Settings(rate=rate, diffserv=tins, isolation="flows"))
    assert len(twin.dropped) > 5


@pytest.mark.parametrize("rtt_ms", [10, 100, 300])
@pytest.mark.parametrize("ecn", ["off", "classic"])
def test_round_trip_times_and_marks_are_the_same(rtt_ms: int, ecn: str) -> None:
    flows = HOME[:4]
    result = simulated(f"cake(bandwidth={BANDWIDTH},rtt={rtt_ms})", flows, {"ecn": ecn})
    twin = agree(result, flows, Settings(rate=BANDWIDTH, rtt=rtt_ms * 1_000_000))
    assert len(twin.marked if ecn == "classic" else twin.dropped) > 5


@pytest.mark.parametrize(
    ("overhead", "mpu", "framing"),
    [(40, 0, "atm"), (22, 0, "ptm"), (38, 84, "none"), (-20, 0, "none"), (-64, 64, "atm")],
)
def test_overheads_are_charged_the_same(overhead: int, mpu: int, framing: str) -> None:
    link_layer = "noatm" if framing == "none" else framing
    queue = f"cake(bandwidth={BANDWIDTH},overhead={overhead},mpu={mpu},link_layer={link_layer})"
    result = simulated(queue, HOME)
    layer = LinkLayer(overhead, mpu, framing=framing)  # type: ignore[arg-type]
    agree(result, HOME, Settings(rate=BANDWIDTH, link_layer=layer))


@pytest.mark.parametrize("tins", ["besteffort", "diffserv4"])
def test_ingress_charges_drops_the_same(tins: str) -> None:
    result = simulated(f"cake(bandwidth={BANDWIDTH},tins={tins},isolation=flows,ingress=1)", SERVICES)
    settings = Settings(rate=BANDWIDTH, diffserv=tins, isolation="flows", ingress=True)
    assert len(agree(result, SERVICES, settings).dropped) > 5


@pytest.mark.parametrize("tins", ["besteffort", "diffserv4"])
@pytest.mark.parametrize("ingress", [False, True])
def test_the_longest_queue_overflows_the_same(tins: str, ingress: bool) -> None:
    """BLUE's probability changes once per target of three minutes, and therefore never."""
    settings = f"bandwidth={BANDWIDTH},tins={tins},isolation=flows,rtt={LONG_MS},memlimit=60000"
    result = simulated(f"cake({settings},ingress={int(ingress)})", SERVICES)
    twin = Settings(
        rate=BANDWIDTH,
        diffserv=tins,
        isolation="flows",
        rtt=LONG_MS * 1_000_000,
        memory=60_000,
        ingress=ingress,
    )
    assert len(agree(result, SERVICES, twin).dropped) > 100


DOWNLOADS = [
    Flow(0, backward=True),
    Flow(1, algorithm="sack", backward=True),
    Flow(1, algorithm="rack+reno", backward=True),
]


@pytest.mark.parametrize("ack_filter", ["on", "aggressive"])
@pytest.mark.parametrize(
    "tcp",
    [
        {},
        {"timestamps": True},
        {"ecn": "classic", "segments_per_ack": 1},
        {"segments_per_ack": 1, "timestamps": True},
    ],
    ids=["plain", "timestamps", "classic marks", "every segment"],
)
def test_acknowledgments_are_filtered_the_same(
    ack_filter: str, tcp: Mapping[str, object], tmp_path: Path
) -> None:
    """Downloads of 20 Mbit/s, whose losses make selective reports, over an uplink of 160 kbit/s."""
    bandwidth = 160_000
    result = simulated(f"cake(bandwidth={bandwidth},ack_filter={ack_filter})", DOWNLOADS, tcp)
    settings = Settings(rate=bandwidth, ack_filter=ack_filter)  # type: ignore[arg-type]
    twin = agree(result, DOWNLOADS, settings, headers(result, tmp_path / "in.pcapng"))
    thinned = result.links.filter(pl.col("name") == OUT)["thinned"].item()
    assert thinned > 500
    assert 0 <= len(twin.filtered) - thinned <= 100, "those that come after the run ends"


def headers(result: ackclock.Result, file: Path) -> list[TcpHeader | None]:
    """The TCP headers of the packets that come to the gateway, as scapy reads them."""
    file.write_bytes(result.captures[IN])
    with PcapNgReader(str(file)) as reader:
        return [header_of(packet[TCP]) if TCP in packet else None for packet in reader]


def header_of(tcp: TCP) -> TcpHeader:
    """A header. Options other than these are of SYNs."""
    options = dict(option for option in tcp.options if option[0] not in ("NOP", "EOL"))
    edges = [int(edge) for edge in options.get("SAck", ())]
    flags = set(str(tcp.flags))
    return TcpHeader(
        acknowledges=int(tcp.ack) if "A" in flags else None,
        is_plain=not len(tcp.payload) and flags <= set("AEC") and set(options) <= {"SAck", "Timestamp"},
        is_syn="S" in flags,
        ece="E" in flags,
        cwr="C" in flags,
        sack=tuple(zip(edges[::2], edges[1::2], strict=True)),
        timestamps=options.get("Timestamp"),
    )
