"""PIE in the simulator and in plain Python: with the same random numbers, the same datagrams are dropped."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

import ackclock
from ackclock._native import uniform_numbers
from reference.queue.pie import Pie
from tests.differential.regular_datagrams import departures_ns

SIZE = 1000
RATE = 8_000_000
SERVICE = 1_000_000
"""Nanoseconds."""
SECONDS = 12
SEED = 7
UPDATE = 15_000_000
ECT_1, ECT_0, CE = 1, 2, 3
"""The ECN field (RFC 3168, section 5)."""
Sent = tuple[int, int, bool]
"""Flow, sequence number, and if it is marked."""


@dataclass(frozen=True)
class Source:
    """Regular datagrams, at a part of the rate that the link can carry, between these times."""

    load: float
    start_ns: int
    stop_ns: int

    def departures_ns(self) -> Iterator[int]:
        """The times of the datagrams."""
        return departures_ns(round(RATE * self.load), SIZE, self.start_ns, self.stop_ns)


def in_turn(loads: list[float]) -> list[Source]:
    """One source after the other."""
    part = SECONDS * 1_000_000_000 // len(loads)
    return [Source(load, i * part, (i + 1) * part) for i, load in enumerate(loads)]


def simulated(sources: list[Source], queue: str, *, buffer: int = 10_000) -> list[tuple[int, int]]:
    """Source and number of the datagrams that the simulator drops."""
    link = {
        "from": "a",
        "to": "b",
        "rate": f"{RATE} bit/s",
        "delay": "1 ms",
        "buffer": f"{buffer} packets",
        "queue": queue,
    }
    datagrams = [
        {
            "from": "a",
            "to": "b",
            "rate": f"{RATE * source.load:.0f} bit/s",
            "packet": f"{SIZE} bytes",
            "start": f"{source.start_ns} ns",
            "stop": f"{source.stop_ns} ns",
        }
        for source in sources
    ]
    result = ackclock.run(
        {
            "name": "pie",
            "seed": SEED,
            "duration": f"{SECONDS} s",
            "topology": {"graph": {"link": [link]}},
            "udp": datagrams,
            "trace": {"interval": "1 s", "packets": ["a->b"]},
        }
    )
    drops = result.drops
    rows = zip(drops["flow"].to_list(), drops["sequence_bytes"].to_list(), strict=True)
    return [(flow, sequence // SIZE) for flow, sequence in rows]


def in_python(sources: list[Source], rule: Pie, *, buffer: int = 10_000) -> list[tuple[int, int]]:
    """The same in plain Python. A packet that comes at the time of an update comes after it."""
    arrivals = sorted(
        (time, (number, count))
        for number, source in enumerate(sources)
        for count, time in enumerate(source.departures_ns())
    )
    dropped, free, update = [], 0, UPDATE
    for time, name in arrivals:
        while update <= time:
            rule.calculate_drop_prob(max(free - update, 0))
            update += UPDATE
        # The one being transmitted does not wait.
        waiting = max(0, -(-(free - time) // SERVICE) - 1)
        if waiting >= buffer:
            rule.on_tail_drop()
            dropped.append(name)
        elif rule.on_arrival(waiting * SIZE) == "drop":
            dropped.append(name)
        else:
            free = max(free, time) + SERVICE
    return dropped


@pytest.mark.parametrize("derandomised", [False, True])
@pytest.mark.parametrize("capped", [False, True])
@pytest.mark.parametrize(
    ("loads", "buffer"),
    [([1.1], 10_000), ([1.3, 0.6, 1.05, 0.2, 3.0, 0.9], 10_000), ([2.5, 0.3, 5.0], 40)],
)
def test_pie_drops_the_same(loads: list[float], buffer: int, capped: bool, derandomised: bool) -> None:
    numbers = iter(uniform_numbers(SEED, "queue a->b", 100_000))
    rule = Pie(lambda: next(numbers), derandomised=derandomised, capped=capped)
    queue = f"pie(derandomised={int(derandomised)},capped={int(capped)})"
    expected = in_python(in_turn(loads), rule, buffer=buffer)
    assert len(expected) > 50
    assert simulated(in_turn(loads), queue, buffer=buffer) == expected


def test_a_timeline_by_hand() -> None:
    """Sections 4.1 and 4.2, with alpha 1000, beta 0 and no burst allowance; a packet takes 1 ms.

    26 packets come at once, then one every millisecond, from 0.5 ms on: 26 ms of waiting.

    - At 15 ms: p = 1000 * (0.026 - 0.015) / 2048 = 0.0054. None of the next 15 numbers is below it.
    - At 30 ms: below 0.01 the change is divided by 8: p = 0.0054 + 1.375, so 1. Every packet is dropped.
    - At 45 ms: nothing came in, 11 ms wait: p = 1 - 4, so 0. No packet is dropped from here on, since the
      waiting time stays 11 ms.

    So those of 30.5 to 44.5 ms are dropped, the 30th to the 44th.
    """
    sources = [Source(100, 0, 255_000), Source(1, 500_000, 200_000_000)]
    numbers = uniform_numbers(SEED, "queue a->b", 15)
    assert min(numbers) > 0.0054
    by_hand = [(1, number) for number in range(30, 45)]
    rest = iter(numbers + [0.5] * 200)
    rule = Pie(lambda: next(rest), alpha=1000, beta=0, max_burst=0, burst_allowance=0)
    assert in_python(sources, rule) == by_hand
    assert simulated(sources, "pie(alpha=1000,beta=0,burst=0)") == by_hand


def test_a_full_buffer_is_checked_first() -> None:
    """Appendix B: a packet for which there is no room resets the accumulated probability.

    After the drops at the full buffer, a probability of 0.1 accumulates to 0.85 with the ninth packet.
    """
    rule = Pie(lambda: 0.0, derandomised=True, drop_prob=0.1, delay_old=UPDATE, burst_allowance=0)
    verdicts = [rule.on_arrival(5000) for _ in range(8)]
    rule.on_tail_drop()
    verdicts += [rule.on_arrival(5000) for _ in range(9)]
    assert verdicts == ["enqueue"] * 16 + ["drop"]


def marked_by_both(mark_up_to: float) -> tuple[list[Sent], list[Sent]]:
    """Sequence number, and if it was marked, of all packets on their way out: simulated, and in plain Python.

    Three TCP flows that negotiated ECN, and datagrams, which cannot be marked.
    """
    gateway = {"from": "gateway", "to": "sink", "rate": f"{RATE} bit/s", "delay": "10 ms"}
    queue = {"buffer": "10000 packets", "queue": f"pie(mark_up_to={mark_up_to})"}
    back = {"reverse": {"queue": "droptail", "buffer": "1000 packets"}}
    into = {
        "from": "sources",
        "to": "gateway",
        "rate": "97 Mbit/s",
        "delay": "5 ms",
        "buffer": "10000 packets",
    }
    result = ackclock.run(
        {
            "name": "pie-marks",
            "seed": SEED,
            "duration": f"{SECONDS} s",
            "topology": {"graph": {"link": [into, gateway | queue | back]}},
            "tcp": {"ecn": "classic", "handshake": False},
            "flow": [{"from": "sources", "to": "sink", "count": 3, "start_jitter": "1 s"}],
            "udp": [{"from": "sources", "to": "sink", "rate": "3 Mbit/s", "packet": "400 bytes"}],
            "trace": {"interval": "1 s", "packets": ["sources->gateway", "gateway->sink"]},
        }
    )
    names = result.links["name"].to_list()

    def rows(link: str) -> list[tuple[int, int, int, int, int]]:
        table = result.packets.filter(result.packets["link"] == names.index(link))
        columns = table.select("time_s", "flow", "sequence", "ecn", "wire_bytes")
        return [(round(time * 1e9), *rest) for time, *rest in columns.iter_rows()]

    numbers = iter(uniform_numbers(SEED, "queue gateway->sink", 200_000))
    rule = Pie(lambda: next(numbers), mark_up_to=mark_up_to)
    starts: list[tuple[int, int]] = []
    sent, free, update = [], 0, UPDATE
    for time, flow, sequence, ecn, size in rows("sources->gateway"):
        while update <= time:
            rule.calculate_drop_prob(max(free - update, 0))
            update += UPDATE
        starts = [(start, waits) for start, waits in starts if start > time]
        waiting = sum(waits for _, waits in starts)
        verdict = rule.on_arrival(waiting, capable=ecn in (ECT_0, ECT_1))
        if verdict != "drop":
            free = max(free, time)
            starts.append((free, size))
            free += size * 8_000_000_000 // RATE
            sent.append((flow, sequence, verdict == "mark"))
    simulated = [(flow, sequence, ecn == CE) for _, flow, sequence, ecn, _ in rows("gateway->sink")]
    return simulated, sent[: len(simulated)]


@pytest.mark.parametrize("mark_up_to", [0.1, 0.03])
def test_pie_marks_the_same(mark_up_to: float) -> None:
    """Section 5.1: capable packets are marked up to mark_ecnth; above it they are dropped."""
    there, here = marked_by_both(mark_up_to)
    assert sum(marked for *_, marked in there) > 20
    assert here == there
