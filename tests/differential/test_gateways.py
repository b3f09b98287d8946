"""Gateways that choose what leaves next, in the simulator and in plain Python.

Plain Python is given the packets that the simulator brings to the gateway, when it brings them, and must drop
and transmit the same ones in the same order.
"""

import pytest

import ackclock
from reference.queue.active_flows import ActiveFlows
from reference.queue.admission import Admission
from reference.queue.budgets import Budgets
from reference.queue.classes import Classes
from reference.queue.codel import Waiting
from reference.queue.drop_head import DropHead
from reference.queue.flow_monitor import Arrival, FlowMonitor
from reference.queue.flow_proportional import FlowProportional
from reference.queue.fq_codel import FqCodel
from reference.queue.protect import Protect
from reference.queue.red import Red
from reference.queue.rio import Rio, ShortFlows
from reference.queue.sfq import Sfq
from tests.differential.gateway import (
    BUFFER,
    RATE,
    Packet,
    agree,
    choice,
    driven,
    packet_of,
    rows,
    simulated,
)


@pytest.mark.parametrize("flows", [2, 5])
@pytest.mark.parametrize("depth", [0, 5])
@pytest.mark.parametrize("perturbation_s", [1000, 0.05])
def test_sfq_serves_and_drops_the_same(flows: int, depth: int, perturbation_s: float) -> None:
    """The twin has no hash, so that 600 new hashes in 30 s neither reorder flows nor lose a turn."""
    result = simulated(f"sfq(buckets=1048576,depth={depth},perturbation={perturbation_s})", flows)
    twin = Sfq(BUFFER, depth or None, choose=choice(result, lambda: len(twin.dropped)))
    sent = driven(
        rows(result, "sources->gateway"),
        lambda waiting, packet: twin.enqueue(waiting, packet.flow),
        twin.dequeue,
    )
    agree(result, sent, twin.dropped, 100)


@pytest.mark.parametrize(
    ("flows", "quantum", "limit", "memory"),
    [(2, 1514, 10240, 32e6), (5, 300, 10240, 32e6), (5, 1514, 12, 32e6), (5, 1514, 10240, 20_000)],
)
def test_fq_codel_serves_and_drops_the_same(flows: int, quantum: int, limit: int, memory: float) -> None:
    """The last is limited by bytes."""
    queue = f"fq-codel(quantum={quantum},limit={limit},memory={memory:.0f},flows=65536)"
    result = simulated(queue, flows, buffer=10240)
    twin = FqCodel(5_000_000, 100_000_000, quantum, limit, memory)
    twin.choose = choice(result, lambda: len(twin.dropped))
    sent = driven(
        rows(result, "sources->gateway"),
        lambda waiting, packet: twin.enqueue(waiting, packet.flow),
        twin.dequeue,
    )
    agree(result, sent, twin.dropped, 20)


def end_of(packet: Packet) -> int | None:
    """The sequence number after its last; a SYN has one, an acknowledgment and a datagram have none."""
    is_syn = packet.sequence == 0
    has_one = packet.kind == "data" and (packet.payload > 0 or is_syn)
    return packet.sequence + packet.payload + is_syn if has_one else None


@pytest.mark.parametrize("flows", [2, 12])
@pytest.mark.parametrize("fair", [False, True])
@pytest.mark.parametrize("pushout", [False, True])
def test_protect_serves_and_drops_the_same(flows: int, fair: bool, pushout: bool) -> None:
    buckets = "buckets=65536,depth=4,perturbation=1000," if fair else ""
    result = simulated(f"protect({buckets}pushout={int(pushout)})", flows)
    twin = Protect(BUFFER, BUFFER // 5, 4 if fair else None, fair, pushout)
    twin.new.choose = choice(result, lambda: len(twin.dropped))
    sent = driven(
        rows(result, "sources->gateway"),
        lambda waiting, packet: twin.enqueue(waiting, packet.flow, end_of(packet)),
        twin.dequeue,
    )
    agree(result, sent, twin.dropped, 100)
    link = next(row for row in result.links.iter_rows(named=True) if row["name"] == "gateway->sink")
    assert twin.offered_again == link["offered_protected"] > 100


MS = 1_000_000


def seen(packet: Packet) -> Arrival:
    """What the gateway reads of it; datagrams are numbered."""
    end = packet.sequence + 1 if packet.kind == "udp" else end_of(packet)
    return Arrival(packet.time, packet.flow, end, packet.kind == "data" and packet.sequence == 0)


@pytest.mark.parametrize("flows", [2, 12, 40])
@pytest.mark.parametrize("threshold", [0.5, 0.9, None])
def test_classes_and_budgets_drop_the_same(flows: int, threshold: float | None) -> None:
    """Without a threshold: budgets."""
    monitor = FlowMonitor(400 * MS)
    twin = Budgets(BUFFER, monitor) if threshold is None else Classes(BUFFER, monitor, threshold)
    result = simulated(f"classes(threshold={threshold})" if threshold else "budgets", flows)
    sent = driven(
        rows(result, "sources->gateway"),
        lambda waiting, packet: twin.enqueue(waiting, seen(packet)),
        twin.dequeue,
    )
    agree(result, sent, twin.dropped, 200)


@pytest.mark.parametrize("flows", [2, 12, 40])
def test_classes_transmit_the_same_first(flows: int) -> None:
    twin = Classes(BUFFER, FlowMonitor(400 * MS), 0.5, transmission=True)
    result = simulated("classes(threshold=0.5,transmission=1)", flows)
    sent = driven(
        rows(result, "sources->gateway"),
        lambda waiting, packet: twin.enqueue(waiting, seen(packet)),
        twin.dequeue,
    )
    agree(result, sent, twin.dropped, 200)


@pytest.mark.parametrize(("flows", "per_flow", "memory_ms"), [(2, 10, 20_000), (12, 2.5, 700), (40, 1, 300)])
def test_flow_proportional_drops_the_same(flows: int, per_flow: float, memory_ms: int) -> None:
    twin = FlowProportional(ActiveFlows(memory_ms * MS), per_flow, 2 * BUFFER)
    queue = f"flow-proportional(per_flow={per_flow},memory={memory_ms / 1e3})"
    result = simulated(queue, flows, buffer=2 * BUFFER)
    sent = driven(
        rows(result, "sources->gateway"),
        lambda waiting, packet: twin.enqueue(waiting, packet.flow),
        twin.dequeue,
    )
    agree(result, sent, twin.dropped, 50)


@pytest.mark.parametrize("flows", [2, 12])
def test_drop_head_drops_the_same(flows: int) -> None:
    twin = DropHead(BUFFER)
    result = simulated("drop-head", flows)
    sent = driven(rows(result, "sources->gateway"), lambda waiting, _: twin.enqueue(waiting), twin.dequeue)
    agree(result, sent, twin.dropped, 50)


def _never() -> float:
    raise AssertionError("an average hit the ramp between the thresholds")


@pytest.mark.parametrize("flows", [2, 12, 40])
@pytest.mark.parametrize("marked", [False, True])
@pytest.mark.parametrize(("short", "in_max"), [(20, 4), (100, 8), (0, 6)])
def test_rio_drops_the_same(flows: int, short: int, in_max: int, marked: bool) -> None:
    """With a threshold for each kind nothing is left to chance. Without `short` a priority means In.

    Where an edge router marks, the gateway, whose own count would find every packet In, believes it.
    """
    near, weight, out_max = 1e-7, 0.02, 10
    setting = (
        f"in_min={in_max - near},in_max={in_max},out_min={out_max - near},out_max={out_max},weight={weight}"
    )
    priorities = [0, 3, 0] if short == 0 and not marked else None
    if marked:
        core, edge_queue = f"rio(marked=1,short=1000000,{setting})", f"marker(flows=65536,short={short})"
    else:
        core, edge_queue = f"rio(flows=65536,short={short},{setting})", "droptail"
    result = simulated(core, flows, priorities=priorities, edge=edge_queue)
    service = 1000 * 8e9 / RATE
    within, out = (
        Red(_never, most - near, most, weight=weight, gentle=False, service=service)
        for most in (in_max, out_max)
    )
    twin = Rio(BUFFER, _never, within, out)
    edge = ShortFlows(short)
    number_of_datagrams = flows

    def enqueue(waiting: Waiting, packet: Packet) -> None:
        place = 0 if packet.flow == number_of_datagrams else packet.flow + 1
        is_syn = packet.kind != "udp" and (packet.sequence, packet.payload) == (0, 0)
        is_first = edge.is_in(packet.flow, is_syn)
        is_in = is_first if priorities is None else priorities[place % len(priorities)] > 0
        twin.enqueue(waiting, is_in)

    sent = driven(rows(result, "sources->gateway"), enqueue, twin.dequeue)
    agree(result, sent, twin.dropped, 50)


@pytest.mark.parametrize(("flows", "most", "memory_ms"), [(12, 5, 20_000), (40, 8, 300)])
def test_admission_drops_the_same(flows: int, most: int, memory_ms: int) -> None:
    twin = Admission(ActiveFlows(memory_ms * MS), ActiveFlows(memory_ms * MS), most, BUFFER)
    result = simulated(f"admission(flows={most},memory={memory_ms / 1e3})", flows)
    sent = driven(
        rows(result, "sources->gateway"),
        lambda waiting, packet: twin.enqueue(waiting, packet.flow),
        twin.dequeue,
    )
    agree(result, sent, twin.dropped, 50)


@pytest.mark.parametrize("is_reset", [False, True])
@pytest.mark.parametrize(("most", "memory_ms"), [(5, 20_000), (8, 300)])
def test_admission_frees_the_same_places(most: int, memory_ms: int, is_reset: bool) -> None:
    """Files of 20 packets, each over a connection of its own. The last packet of a file carries the FIN.

    A reset is a packet of its own without data, after the last acknowledgment.
    """
    sources = {
        "packets": 20,
        "think": {"constant": "500 ms"},
        "think_first": False,
        "tcp": {"close_by_reset": is_reset},
    }
    twin = Admission(ActiveFlows(memory_ms * MS), ActiveFlows(memory_ms * MS), most, BUFFER)
    result = simulated(f"admission(flows={most},memory={memory_ms / 1e3})", 12, sources=sources)
    closed = 0

    def enqueue(waiting: Waiting, packet: Packet) -> None:
        nonlocal closed
        whole = 20 * 1460
        is_last = packet.kind != "udp" and packet.sequence + packet.payload > whole
        closes = is_last and (packet.payload == 0) == is_reset
        closed += closes
        twin.enqueue(waiting, (packet.flow, packet.connection), closes)

    sent = driven(rows(result, "sources->gateway"), enqueue, twin.dequeue)
    assert closed > 100
    agree(result, sent, twin.dropped, 50)


A, B, C = range(3)


def few(queue: str, sources: dict[int, tuple[float, float, int]], buffer: int) -> list[int]:
    """The flows in the order in which their datagrams of 1500 bytes leave the simulator's gateway.

    Each flow has the time of its first packet in ms, the time between two, and their number; a packet takes
    3 ms.
    """
    link = {
        "from": "gateway",
        "to": "sink",
        "rate": f"{RATE} bit/s",
        "delay": "10 ms",
        "buffer": f"{buffer} packets",
        "queue": queue,
    }
    datagrams = [
        {
            "from": "gateway",
            "to": "sink",
            "packet": "1500 bytes",
            "rate": f"{12e6 / gap:.0f} bit/s",
            "start": f"{start:g} ms",
            "stop": f"{start + (count - 0.5) * gap:g} ms",
        }
        for start, gap, count in sources.values()
    ]
    result = ackclock.run(
        {
            "name": "few",
            "duration": "1 s",
            "topology": {"graph": {"link": [link]}},
            "udp": datagrams,
            "trace": {"interval": "1 s", "packets": ["gateway->sink"]},
        }
    )
    return [packet.flow for packet in rows(result, "gateway->sink")]


def of(sources: dict[int, tuple[float, float, int]]) -> list[Packet]:
    """Their packets in the order of arrival."""
    packets = [
        Packet(round((start + number * gap) * MS), flow, 1500 * number, 0, 1500, "udp")
        for flow, (start, gap, count) in sources.items()
        for number in range(count)
    ]
    return sorted(packets, key=lambda packet: packet.time)


def test_a_flow_whose_queue_was_found_empty_is_new_again() -> None:
    """RFC 8290, 4.1 and 4.2, by hand: a quantum of 1514 bytes, two packets of 1500 in a turn.

    | ms   | what happens                                                    | new     | old     |
    |------|-----------------------------------------------------------------|---------|---------|
    | 0    | A1 leaves: A has 14 credits left                                | A       |         |
    | 3    | the link is idle; A, found empty, becomes old, then is no more  |         |         |
    | 3.5  | C1 leaves                                                       | C       |         |
    | 4    | A2 arrives: A is new and has 1514                               | C A     |         |
    | 4.1  | B1, then B2 and B3                                              | C A B   |         |
    | 6.5  | C is empty; A2 leaves; A3 arrives at 8                          | A B     | C       |
    | 9.5  | 14 credits are enough for A3                                    | A B     | C       |
    | 12.5 | A has none, gets a quantum; B1 leaves                           | B       | C A     |
    | 15.5 | B2                                                              | B       | C A     |
    | 18.5 | B has none, gets a quantum; C and A are empty; B3               |         | B       |
    """
    sources = {A: (0.0, 4.0, 3), B: (4.1, 0.1, 3), C: (3.5, 1.0, 1)}
    by_hand = [A, C, A, A, B, B, B]
    twin = FqCodel(5 * MS, 100 * MS)
    sent = driven(of(sources), lambda waiting, packet: twin.enqueue(waiting, packet.flow), twin.dequeue)
    assert [packet.flow for packet in sent] == by_hand
    assert few("fq-codel(flows=65536)", sources, 100) == by_hand


def test_half_of_the_largest_queue_is_dropped_from_its_head() -> None:
    """RFC 8290, 4.1, by hand: a limit of five packets.

    A1 leaves at 0; A2 to A6 wait at 2.5 ms, and with B1 at 2.6 six wait: of A's five, three are dropped: A2
    to A4. At 3 ms A has 14 credits and sends A5; A6 waits until B1 has left.
    """
    sources = {A: (0.0, 0.5, 6), B: (2.6, 1.0, 1)}
    twin = FqCodel(5 * MS, 100 * MS, limit=5)
    sent = driven(of(sources), lambda waiting, packet: twin.enqueue(waiting, packet.flow), twin.dequeue)
    assert [packet.name for packet in sent] == [(A, 0, 0), (A, 6000, 0), (B, 0, 0), (A, 7500, 0)]
    assert few("fq-codel(flows=65536,limit=5)", sources, 100) == [A, A, B, A]


def test_the_longest_queue_gives_its_latest_packet() -> None:
    """Buffer stealing and turns by hand: room for four, and the first to arrive is not waiting.

    A2 to A5 wait when B1 comes: A5 is dropped. When B2 comes, A2, A3, A4 and B1 wait: A4 is dropped. Then
    they take turns: A2, B1, A3, B2.
    """
    sources = {A: (0.0, 0.2, 5), B: (1.0, 0.2, 2)}
    twin = Sfq(4)
    sent = driven(of(sources), lambda waiting, packet: twin.enqueue(waiting, packet.flow), twin.dequeue)
    by_hand = [A, A, B, A, B]
    assert [packet.flow for packet in sent] == by_hand
    assert [packet_of(waiting).sequence for waiting in twin.dropped] == [6000, 4500]
    assert few("sfq(buckets=65536,perturbation=0)", sources, 4) == by_hand


def test_retransmissions_by_hand() -> None:
    """Section 6.2 of the sub-packet paper: room for four new packets and one retransmission.

    A packet takes 3 ms. Of new packets 0 to 5 at 0 ms, 0 leaves, 1 to 4 wait, and 5 is dropped. Packet 5
    again, at 1 ms, ends where the highest did: a retransmission, which waits. Packet 1 finds the reserve
    full and is dropped; 6, which is new, finds no room either. At 3 ms the retransmission leaves first.
    """
    arrivals = [(0, number) for number in range(6)] + [(1, 5), (1.5, 1), (2, 6)]
    packets = [Packet(round(time * MS), A, 1 + 1460 * n, 1460, 1500, "data") for time, n in arrivals]
    twin = Protect(5, 1)
    sent = driven(
        packets,
        lambda waiting, packet: twin.enqueue(waiting, packet.flow, end_of(packet)),
        twin.dequeue,
    )
    assert [packet.sequence // 1460 for packet in sent] == [0, 5, 1, 2, 3, 4]
    assert [packet_of(waiting).sequence // 1460 for waiting in twin.dropped] == [5, 1, 6]
    assert twin.offered_again == 2


@pytest.mark.parametrize(
    ("queue", "by_hand", "dropped"),
    [
        ("classes", [A, A, A, B, B], [(A, 5), (A, 4), (B, 3)]),
        ("budgets", [A, A, B, B, B], [(A, 5), (A, 4), (A, 3)]),
    ],
)
def test_whose_timeout_is_least_likely_is_dropped_from(
    queue: str, by_hand: list[int], dropped: list[tuple[int, int]]
) -> None:
    """Sections 3.2 and 6.2 of the sub-packet paper by hand: room for four, and no losses before.

    A1 leaves at 0 ms. A2 and A3 wait, in a window of fewer than four packets; A4 and A5 find four and five.
    Three packets of B come. By classes, A5 and A4 are dropped for B1 and B2: all others would lead to
    timeouts, so B3 is dropped itself. By budgets, A sustains the drop of A5; after that its timeout is
    certain, and A4 and A3 are dropped for B2 and B3.
    """
    sources = {A: (0.0, 0.2, 5), B: (1.0, 0.2, 3)}
    monitor = FlowMonitor(400 * MS)
    twin = Budgets(4, monitor) if queue == "budgets" else Classes(4, monitor)
    sent = driven(of(sources), lambda waiting, packet: twin.enqueue(waiting, seen(packet)), twin.dequeue)
    assert [packet.flow for packet in sent] == by_hand
    lost = [packet_of(waiting) for waiting in twin.dropped]
    assert [(packet.flow, packet.sequence // 1500 + 1) for packet in lost] == dropped
    assert few(queue, sources, 4) == by_hand


def test_a_timeout_is_remembered_until_new_data_has_passed_by_hand() -> None:
    """Section 3.3 of the sub-packet paper by hand, with epochs of 100 ms.

    | ms   | packet | drop | the timer                                             |
    |------|--------|------|-------------------------------------------------------|
    | 0    | 1      | yes  |                                                       |
    | 350  | 1      |      | backed off: a retransmission after silence            |
    | 450  | 2      |      | backed off: new data, whose fate is open              |
    | 700  | 3      |      | not: packet 2 was not dropped                         |
    | 710  | 4      | yes  |                                                       |
    | 1000 | 4      |      | backed off                                            |
    | 1100 | 5      | yes  | backed off                                            |
    | 1400 | 6      |      | backed off: packet 5 was dropped                      |
    """
    packets = [(0, 1, True, False), (350, 1, False, True), (450, 2, False, True), (700, 3, False, False)]
    packets += [(710, 4, True, False), (1000, 4, False, True), (1100, 5, True, True), (1400, 6, False, True)]
    monitor = FlowMonitor(100 * MS)
    for time, number, is_dropped, backed_off in packets:
        flow = monitor.arrive(Arrival(time * MS, A, number + 1))
        assert flow is not None
        assert flow.backed_off == backed_off, f"at {time} ms"
        if is_dropped:
            monitor.drop(A)
