"""CAKE by hand, from tc-cake(8) and the rules of `net/sched/sch_cake.c`.

At 8 Mbit/s a packet of 1000 bytes takes 1 ms. `LONG` round trips disable COBALT where it does not matter.
"""

from collections import Counter
from dataclasses import replace

import pytest

from reference.queue.cake.departures import departures
from reference.queue.cake.diffserv import shares, tin_of
from reference.queue.cake.flow_table import ISOLATIONS, Hashes, Kind
from reference.queue.cake.link_layer import LinkLayer
from reference.queue.cake.packets import Packet
from reference.queue.cake.scheduler import Cake, Settings
from reference.queue.cake.shaper import Shaper, TinClock
from reference.queue.codel import Waiting

MS = 1_000_000
LONG = 3_600_000 * MS
"""The `interplanetary` round trip: "to (almost) completely disable AQM actions"."""
EIGHT = Settings(rate=8_000_000, diffserv="besteffort", rtt=LONG)
EIGHTY = Settings(rate=80_000_000, diffserv="besteffort", rtt=LONG)
"""Here a packet takes 0.1 ms, and a flow has the largest quantum."""
BULK, VOICE = 8, 46
"""The codepoints CS1 and EF."""


def burst(number: int, flow: int = 1, **fields: object) -> list[Packet]:
    """Packets of 1000 bytes that come together."""
    return [Packet(0, 1000, place, flow=flow, **fields) for place in range(number)]  # type: ignore[arg-type]


def in_ms(sent: list[tuple[int, Packet]]) -> list[tuple[float, object]]:
    """Times of departure, and names."""
    return [(time / MS, packet.name) for time, packet in sent]


def names(packets: list[Waiting]) -> list[object]:
    return [packet.name for packet in packets]


@pytest.mark.parametrize(
    ("link_layer", "size", "length"),
    [
        # `raw`.
        (LinkLayer(), 1500, 1500),
        # `ipoa-vcmux`: 48 bytes are a cell, and a byte more is two cells.
        (LinkLayer(8, framing="atm"), 40, 53),
        (LinkLayer(8, framing="atm"), 41, 106),
        # `pppoe-llcsnap` and `conservative`: 1540 and 1548 bytes take 33 cells.
        (LinkLayer(40, framing="atm"), 1500, 33 * 53),
        (LinkLayer(48, framing="atm"), 1500, 33 * 53),
        # `bridged-ptm`: 64 bytes take 65, and 65 bytes take 67.
        (LinkLayer(22, framing="ptm"), 42, 65),
        (LinkLayer(22, framing="ptm"), 43, 67),
        # `docsis` and `ethernet`: the minimum is for the packet with its overhead.
        (LinkLayer(18, 64), 40, 64),
        (LinkLayer(18, 64), 46, 64),
        (LinkLayer(18, 64), 47, 65),
        (LinkLayer(38, 84), 40, 84),
        # The minimum comes before the cells.
        (LinkLayer(0, 49, "atm"), 40, 106),
        (LinkLayer(-64), 1500, 1436),
        (LinkLayer(-64), 40, 0),
        (LinkLayer(256, 256), 0, 256),
    ],
)
def test_the_length_on_the_wire(link_layer: LinkLayer, size: int, length: int) -> None:
    assert link_layer.length(size) == length


@pytest.mark.parametrize(("overhead", "mpu"), [(-65, 0), (257, 0), (0, -1), (0, 257)])
def test_the_bounds_of_the_overhead(overhead: int, mpu: int) -> None:
    with pytest.raises(ValueError, match="overhead"):
        LinkLayer(overhead, mpu)


def test_the_shaper_saves_nothing_while_it_is_idle() -> None:
    packets = [*burst(2), Packet(10 * MS, 1000, 2, flow=1), Packet(10 * MS, 1000, 3, flow=1)]
    assert in_ms(departures(Cake(EIGHT), packets)) == [(0, 0), (1, 1), (10, 2), (11, 3)]


def test_the_shaper_makes_up_for_a_late_transmitter() -> None:
    """It bursts "precisely as much as required": at 2.5 ms the packets of 1 and 2 ms are due."""
    cake = Cake(EIGHT)
    for packet in burst(5):
        cake.enqueue(packet)
    asked = [(at, cake.dequeue(int(at * MS))) for at in (0, 2.5, 2.5, 2.5, 2.999999, 3)]
    assert [(at, packet and packet.name) for at, packet in asked] == [
        (0, 0),
        (2.5, 1),
        (2.5, 2),
        (2.5, None),
        (2.999999, None),
        (3, 3),
    ]
    assert cake.opens == 4 * MS


def test_cells_take_time() -> None:
    """1000 bytes take 21 cells, which are 1113 bytes."""
    sent = departures(Cake(replace(EIGHT, link_layer=LinkLayer(framing="atm"))), burst(3))
    assert in_ms(sent) == [(0, 0), (1.113, 1), (2.226, 2)]


def test_packets_sent_have_two_thirds_of_the_time() -> None:
    """Ten packets dropped take 10 ms; one that is sent costs 1.5 ms all the same."""
    shaper = Shaper(8_000_000)
    for _ in range(10):
        shaper.charge(1000, sent=False)
    assert shaper.opens == 0
    shaper.charge(1000, sent=True)
    assert (shaper.opens, shaper.next_packet) == (1.5 * MS, 11 * MS)


def test_a_tin_borrows_without_a_debt() -> None:
    """A tin of 2 Mbit/s, whose packets take 4 ms, sends one each millisecond until 3 ms, and one at 20 ms."""
    clock, found = TinClock(2_000_000), []
    for now in (0, 1, 2, 3, 20):
        clock.charge(1000, now * MS)
        found.append(clock.next_packet // MS)
    assert found == [4, 5, 6, 7, 11]


def test_the_example_of_the_manual_page() -> None:
    """`bandwidth 100Mbit diffserv3`: thresholds, quanta, targets, intervals and memory."""
    cake = Cake(Settings(rate=100_000_000))
    best_effort, bulk, voice = cake.tins
    assert [tin.clock.rate for tin in (bulk, best_effort, voice)] == [6_250_000, 100_000_000, 25_000_000]
    assert [tin.parameters.quantum for tin in (bulk, best_effort, voice)] == [300, 1514, 762]
    assert {tin.parameters.target for tin in cake.tins} == {5 * MS}
    assert {tin.parameters.interval for tin in cake.tins} == {100 * MS}
    assert cake.settings.limit == 5_000_000


def test_slow_tins_have_long_targets() -> None:
    """At 1 Mbit/s a frame takes 12.112 ms. The target is 1.5 frames, and the interval grows by as much.

    At a 16th of the rate a frame takes 193.792 ms, and two targets are longer than 100 + 285.688 ms.
    """
    best_effort, bulk, _ = (tin.parameters for tin in Cake(Settings(rate=1_000_000)).tins)
    assert (best_effort.mtu_time, best_effort.target, best_effort.interval) == (12112000, 18168000, 113168000)
    assert (bulk.mtu_time, bulk.target, bulk.interval) == (193792000, 290688000, 581376000)


@pytest.mark.parametrize(
    ("rate", "rtt_ms", "limit"),
    # At least 4 MiB, and at most 10240 frames; without a shaper only the latter.
    [(1_000_000, 100, 4 << 20), (1_000_000_000, 100, 10240 * 1514), (200_000_000, 80, 8_000_000)],
)
def test_the_memory_by_default(rate: int, rtt_ms: int, limit: int) -> None:
    assert Settings(rate=rate, rtt=rtt_ms * MS).limit == limit
    assert Settings().limit == 10240 * 1514


def test_eight_tins_with_seven_eighths_each() -> None:
    found = shares("diffserv8", 8_000_000)
    assert [share.rate for share in found[:4]] == [8_000_000, 7_000_000, 6_125_000, 5_359_375]
    assert [share.quantum for share in found] == [256, 224, 196, 171, 149, 130, 113, 98]
    assert shares("precedence", 8_000_000) == found


@pytest.mark.parametrize(
    ("mode", "named"),
    [
        # The lists of the manual page.
        ("diffserv3", {1: [8, 1], 2: [56, 48, 46, 44, 4]}),
        (
            "diffserv4",
            {1: [8, 1], 2: [34, 36, 38, 26, 28, 30, 24, 18, 20, 22, 16, 4], 3: [56, 48, 46, 44, 40, 32]},
        ),
        # Each digit is the tin of a codepoint, by the code and by RFC 791's precedences.
        ("diffserv8", "20124222 12121212 52424242 32323232 62323232 62226262 72222222 72222222"),
        ("precedence", "".join(str(tin) * 8 for tin in range(8))),
        ("besteffort", "0" * 64),
    ],
)
def test_the_tins_of_codepoints(mode: str, named: dict[int, list[int]] | str) -> None:
    found = [tin_of(mode, dscp) for dscp in range(64)]
    if isinstance(named, str):
        assert found == [int(tin) for tin in named.replace(" ", "")]
    else:
        rest = {dscp: tin for tin, codepoints in named.items() for dscp in codepoints}
        assert found == [rest.get(dscp, 0) for dscp in range(64)]


def test_saturated_tins_have_their_thresholds() -> None:
    """Voice has each fourth millisecond and Bulk each 16th, after Voice; best effort has the rest."""
    packets = [
        Packet(0, 1000, tin, flow=flow, dscp=dscp)
        for flow, (tin, dscp) in enumerate([("voice", VOICE), ("bulk", BULK), ("best", 0)])
        for _ in range(160)
    ]
    sent = departures(Cake(replace(EIGHT, diffserv="diffserv3")), packets)[:160]
    at = {name: [time // MS for time, packet in sent if packet.name == name] for name in ("bulk", "voice")}
    assert at["voice"] == list(range(0, 160, 4))
    assert at["bulk"] == list(range(1, 160, 16))
    assert Counter(packet.name for _, packet in sent) == {"best": 110, "bulk": 10, "voice": 40}


def test_a_lone_tin_borrows_the_whole_rate() -> None:
    sent = departures(Cake(replace(EIGHT, diffserv="diffserv3")), burst(5, dscp=BULK))
    assert in_ms(sent) == [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4)]


def test_above_its_threshold_a_tin_waits_for_the_others() -> None:
    """Voice is at its threshold from 0 to 4 ms, in which best effort sends."""
    packets = [*[replace(packet, dscp=VOICE, name="voice") for packet in burst(2, 2)], *burst(3, 1)]
    sent = departures(Cake(replace(EIGHT, diffserv="diffserv3")), packets)
    assert in_ms(sent) == [(0, "voice"), (1, 0), (2, 1), (3, 2), (4, "voice")]


def test_tins_without_a_shaper_share_by_weights() -> None:
    """Best effort, Bulk, Video and Voice have 16, 1, 8 and 4 parts of 29."""
    packets = [
        Packet(0, 1000, dscp, flow=flow, dscp=dscp)
        for flow, dscp in enumerate((0, BULK, 34, VOICE))
        for _ in range(2900)
    ]
    cake = Cake(Settings(diffserv="diffserv4", rtt=LONG))
    sent = departures(cake, packets, lambda packet: packet.size * 1000)[:2900]
    found = Counter(packet.name for _, packet in sent)
    expected = {0: 1600, BULK: 100, 34: 800, VOICE: 400}
    assert all(abs(found[dscp] - number) <= 2 for dscp, number in expected.items())


def shared_by_hosts(isolation: str, destinations: str) -> float:
    """The share of host 101, which has one flow; host 100 has eight."""
    packets = [
        Packet(
            0,
            1000,
            flow=flow,
            source=101 if flow == 0 else 100,
            destination={"one": 200, "each": 200 + flow}[destinations],
        )
        for flow in range(9)
        for _ in range(1000)
    ]
    # The number of a source is there twice, so that no two pairs of hosts have the same exclusive or.
    hashes = Hashes(source=lambda host: hash(host) * 1025)
    sent = departures(Cake(replace(EIGHTY, isolation=isolation), hashes=hashes), packets)[:1800]
    return sum(packet.source == 101 for _, packet in sent) / 1800


@pytest.mark.parametrize(
    ("isolation", "destinations", "share"),
    [
        ("flows", "one", 1 / 9),
        ("dual-srchost", "one", 1 / 2),
        ("dual-srchost", "each", 1 / 2),
        # All flows have the load of their destination.
        ("dual-dsthost", "one", 1 / 9),
        ("dual-dsthost", "each", 1 / 9),
        # Nine flows to one host load it more than eight load their source.
        ("triple-isolate", "one", 1 / 9),
        ("triple-isolate", "each", 1 / 2),
        # Queues of hosts.
        ("srchost", "one", 1 / 2),
        ("hosts", "one", 1 / 2),
        ("hosts", "each", 1 / 9),
        ("dsthost", "each", 1 / 9),
        # A single queue, whose first packets are all of this host.
        ("dsthost", "one", 1000 / 1800),
        ("flowblind", "each", 1000 / 1800),
    ],
)
def test_shares_of_a_host_with_one_flow_and_one_with_eight(
    isolation: str, destinations: str, share: float
) -> None:
    assert shared_by_hosts(isolation, destinations) == pytest.approx(share, abs=0.005)


def test_a_sparse_flow_goes_first() -> None:
    """The packet that comes at 1.5 ms is the next to leave, and so is that of 3.5 ms.

    With 300 bytes a turn the second one leaves the flow 100 bytes of credit.
    """
    sparse = [Packet(at * MS // 10, 100, "sparse", flow=2) for at in (15, 35)]
    sent = departures(Cake(EIGHT), [*burst(6), *sparse])
    assert in_ms(sent) == [
        (0, 0),
        (1, 1),
        (2, "sparse"),
        (2.1, 2),
        (3.1, 3),
        (4.1, "sparse"),
        (4.2, 4),
        (5.2, 5),
    ]


def test_a_flow_past_its_quantum_takes_turns() -> None:
    """A packet of 1000 bytes uses up four turns of 300 bytes: the flows alternate."""
    sent = departures(Cake(EIGHT), [*burst(3, 1), *burst(3, 2)])
    assert [packet.flow for _, packet in sent] == [1, 2, 1, 2, 1, 2]


def test_an_empty_flow_past_its_quantum_becomes_bulk_with_its_next_packet() -> None:
    cake = Cake(EIGHT)
    cake.enqueue(burst(1)[0])
    queue = cake.tins[0].table.queue(1)
    cake.dequeue(0)
    assert (queue.kind, queue.deficit) == (Kind.SPARSE, -700)
    for packet in burst(2, 2):
        cake.enqueue(packet)
    cake.dequeue(1 * MS)
    assert (queue.kind, queue.deficit) == (Kind.SPARSE_WAIT, -400)
    cake.enqueue(Packet(1 * MS, 1000, flow=1))
    assert queue.kind is Kind.BULK


def test_the_quantum_is_dithered() -> None:
    """1514 times 16383, about a fourth of 65536, is 378 times 65536 and 31254: 34282 is missing."""
    dithers = iter([0, 65535, 34281, 34282])
    cake = Cake(replace(EIGHTY, isolation="dual-srchost"))
    for flow in range(4):
        for packet in burst(2, flow, source=7):
            cake.enqueue(packet)
        cake.tins[0].table.queue(flow).kind = Kind.BULK
    cake.tins[0].dither = lambda: next(dithers)
    assert [cake.tins[0].quantum(cake.tins[0].table.queue(0)) for _ in range(4)] == [378, 379, 378, 379]


def test_eight_flows_of_a_set_have_queues_of_their_own() -> None:
    """Hashes of 3 modulo 1024: the queues 3 to 7, then 0 to 2; the ninth flow shares queue 3."""
    cake = Cake(EIGHT)
    found = []
    for number in range(9):
        cake.enqueue(Packet(0, 1000, flow=3 + 1024 * number))
        table = cake.tins[0].table
        found.append(next(place for place in table.queues if table.tags.get(place) == 3 + 1024 * number))
    assert found == [3, 4, 5, 6, 7, 0, 1, 2, 3]
    assert len(cake.tins[0].table.queue(3).packets) == 2


def test_a_flow_finds_its_idle_queue_again() -> None:
    """Flow 1027 has queue 4 while flow 3 has queue 3, and returns to it although queue 3 is idle then."""
    cake = Cake(EIGHT)
    table = cake.tins[0].table
    for flow in (3, 1027):
        table.queue_of(Packet(0, 1000, flow=flow)).kind = Kind.SPARSE
    for place in (3, 4):
        table.queue(place).kind = Kind.IDLE
    assert table.queue_of(Packet(0, 1000, flow=1027)) is table.queue(4)


def test_a_shared_queue_counts_for_the_host_of_its_last_flow() -> None:
    """Eight bulk flows of host 5 fill the set; then a flow of host 6 takes over the first queue."""
    cake = Cake(replace(EIGHT, isolation="dual-srchost"))
    table = cake.tins[0].table
    for number in range(8):
        table.queue_of(Packet(0, 1000, flow=1024 * number, source=5)).kind = Kind.BULK
    assert table.load(table.queue(0)) == 8
    table.queue_of(Packet(0, 1000, flow=1024 * 8, source=6))
    assert (table.load(table.queue(0)), table.load(table.queue(1))) == (1, 7)


def test_a_host_without_bulk_flows_is_replaced() -> None:
    """Host 1029 takes the place of host 5, and counts as the same, unless that has a bulk flow."""
    for kind, place in ((Kind.SPARSE, 5), (Kind.BULK, 6)):
        table = Cake(replace(EIGHT, isolation="triple-isolate")).tins[0].table
        table.queue_of(Packet(0, 1000, flow=1, source=5, destination=9)).kind = kind
        queue = table.queue_of(Packet(0, 1000, flow=2, source=1029, destination=9))
        assert (queue.source, queue.destination) == (place, 9)


SHORT = replace(EIGHT, rtt=100 * MS)


@pytest.mark.parametrize("ecn", [0, 1])
def test_cobalt_drops_or_marks_by_hand(ecn: int) -> None:
    """Packet n leaves at n ms. More than four frames, 6.056 ms, are too long: 100 ms begin at 7 ms."""
    cake = Cake(SHORT)
    sent = departures(cake, burst(120, ecn=ecn))
    assert names(cake.dropped if ecn == 0 else cake.marked) == [107]
    left = [place for place in range(120) if ecn or place != 107]
    assert in_ms(sent) == list(enumerate(left))


def test_a_drop_costs_time_at_the_ingress() -> None:
    """The packet dropped at 107 ms takes a millisecond: the next one goes at once, the third at 109."""
    cake = Cake(replace(SHORT, ingress=True))
    sent = in_ms(departures(cake, burst(120)))
    assert names(cake.dropped) == [107]
    assert sent[105:110] == [(105, 105), (106, 106), (107, 108), (109, 109), (110, 110)]


def test_at_the_ingress_two_frames_of_each_bulk_flow_may_wait() -> None:
    """A packet each of four flows waits for as long as twice four frames take, which are 12.112 ms."""
    for flows, ingress, most in ((4, True, 12.112), (4, False, 6.056), (1, True, 6.056)):
        cake = Cake(replace(SHORT, ingress=ingress))
        tin = cake.tins[0]
        for flow in range(flows):
            for packet in burst(2, flow):
                cake.enqueue(packet)
            tin.table.queue(flow).kind = Kind.BULK
        queue = tin.table.queue(0)
        cake.take(tin, queue, int(most * MS))
        assert not queue.cobalt.dropping
        queue.packets.extend(burst(2, 0))
        cake.take(tin, queue, int(most * MS) + 1)
        assert queue.cobalt.dropping


def test_an_empty_queue_decays() -> None:
    """Flow 1 has a count of 2 when it is found empty at 130 ms, and is not bulk; it may begin anew."""
    cake = Cake(replace(SHORT, isolation="dual-srchost"))
    later = [Packet(130 * MS, 1000, flow=2, source=4) for _ in range(8)]
    departures(cake, [*burst(120, source=3), *later])
    queue = cake.tins[0].table.queue(1)
    assert (queue.kind, queue.cobalt.count) == (Kind.DECAYING, 2)
    assert cake.tins[0].table.bulk_of_source(3) == 0
    assert queue in cake.tins[0].decaying
    cake.enqueue(Packet(140 * MS, 1000, flow=1, source=3))
    assert queue.kind is Kind.SPARSE
    assert queue not in cake.tins[0].decaying


def test_the_longest_queue_loses_its_head() -> None:
    """The packet of flow 2 makes 3300 bytes of 3000. BLUE's probability rises, and the count is one."""
    cake = Cake(replace(EIGHT, rtt=100 * MS, memory=3000))
    for place in range(3):
        cake.enqueue(Packet(10 * MS, 1000, place, flow=1))
    cake.enqueue(Packet(10 * MS, 300, "other", flow=2))
    assert names(cake.dropped) == [0]
    cobalt = cake.tins[0].table.queue(1).cobalt
    assert (cobalt.p_drop, cobalt.count, cobalt.drop_next) == (1 / 256, 1, 10 * MS)
    assert cake.used == 2300


def test_one_of_equally_long_queues_is_chosen() -> None:
    cake = Cake(replace(EIGHT, memory=2000), choose=lambda flows: flows[-1])
    for flow in (1, 2, 3):
        cake.enqueue(Packet(0, 1000, flow, flow=flow))
    assert names(cake.dropped) == [3]


def test_modes_have_the_names_of_the_manual_page() -> None:
    assert list(ISOLATIONS) == [
        "flowblind", "srchost", "dsthost", "hosts", "flows", "dual-srchost", "dual-dsthost", "triple-isolate",
    ]  # fmt: skip
