"""The compiled receiver's rLEDBAT against its plain-Python twin: the window after each segment.

The sender uses the window that it knows, one round trip after it was announced. Segments are lost and sent
again, alone or together with what follows; they are late, repeated, cut in another way, beyond the window,
and after pauses. Their echoes are old, none, or of what was never sent. The application reads at once, or
slowly. No time is a round number, so that no delay lies on a threshold by construction: there the last bit of
either computation would decide.
"""

from collections import Counter
from dataclasses import dataclass, field
from random import Random

import pytest

from ackclock._native import TcpReceiver
from reference.controllers.ledbat_plus_plus import LedbatPlusPlus
from reference.facts import Ack, Congestion
from reference.transport.rledbat import RledbatReceiver

SIZE = 1000
SEEDS = 40
SEGMENTS = [30, 30, 30, 1200]
ACK_DELAY_NS = 40_000_007
GAPS_NS = [0, 311, 1_017, 90_049, 1_300_021, 4_700_003]
PAUSES_NS = [170_000_033, 900_000_011, 7_000_000_001]
BASES_NS = [7_013_000, 39_997_003, 129_991_009]
QUEUES_NS = [0, 0, 0, 2_000_003, 19_000_001, 47_000_021, 71_000_017, 190_000_003]
KINDS = {"new": 100, "lost": 3, "again": 2, "late": 2, "twice": 1, "cut": 2, "beyond": 1, "pause": 1}
EXPECTED = {*KINDS, "edge stays", "halved", "slowed down", "avoidance", "above the target"} - {"lost"}
ECHOES = {"last": 100, "none": 1, "old": 2, "never sent": 2}


def drawn(random: Random, weights: dict[str, int]) -> str:
    return random.choices(list(weights), list(weights.values()))[0]


class Watched(LedbatPlusPlus):
    """The congestion control, which counts what it goes through."""

    def __init__(self, **values: float) -> None:
        super().__init__(**values)
        self.happened = Counter[str]()

    def on_congestion(self, event: Congestion) -> None:
        self.happened["halved"] += 1
        super().on_congestion(event)

    def slow_down(self, ack: Ack) -> None:
        self.happened["slowed down"] += 1
        super().slow_down(ack)

    def avoid(self, ack: Ack, delay: float) -> None:
        self.happened["above the target" if delay > self.target else "avoidance"] += 1
        super().avoid(ack, delay)


@dataclass
class Drive:
    """Both receivers, and a sender."""

    random: Random
    segments_per_ack: int
    now: int = 1_000_000_007
    queue: int = 0
    next: int = 1
    missing: list[tuple[int, int, int]] = field(default_factory=list)
    """First byte, length and TSval of what was lost."""
    happened: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        choose = self.random.choice
        self.base = choose(BASES_NS)
        size, target = choose([5, 40, 2000]) * SIZE + 999, choose([60.0, 23.7])
        rate = choose([None, None, 1_234_567, 20_000_003])
        self.compiled = TcpReceiver(
            segment_size=SIZE,
            receive_window=size,
            read_rate_bit_per_s=rate,
            timestamps=True,
            receiver_control=f"rledbat(target={target},constant=1.5)",
            segments_per_ack=self.segments_per_ack,
            ack_delay_ns=ACK_DELAY_NS,
        )
        self.control = Watched(target=target, constant=1.5)
        self.twin = RledbatReceiver(
            SIZE,
            size,
            rate,
            segments_per_ack=self.segments_per_ack,
            ack_delay=ACK_DELAY_NS,
            controller=self.control,
        )
        self.announced = [(self.now - self.base, self.twin.edge)]
        """The times and right edges of acknowledgments."""
        self.known = 0
        """The last of them that the sender knows."""

    def compare(self, what: str) -> None:
        """Both acknowledge the same, or wait."""
        segment, expected = self.compiled.poll_transmit(self.now), self.twin.reply(self.now)
        found = None if segment is None else segment[:2]
        assert found == expected, f"{what} at {self.now}"
        assert self.compiled.next_wake_ns == self.twin.deadline, f"{what} at {self.now}"
        if expected is not None:
            before = self.announced[-1][1]
            self.announced.append((self.now, sum(expected)))
            moved = sum(expected) - before
            self.happened["edge stays" if moved == 0 else "edge moves" if moved > 0 else "edge falls"] += 1

    def wait(self, until: int) -> None:
        while (due := self.twin.deadline) is not None and due <= until:
            self.now = due
            self.compiled.on_timer(due)
            self.twin.on_timer(due)
            self.compare("timer")
        self.now = max(self.now, until)
        while self.known + 1 < len(self.announced) and self.arrival(self.known + 1) <= self.now:
            self.known += 1

    def arrival(self, number: int) -> int:
        """When data that answers this acknowledgment arrives."""
        return self.announced[number][0] + self.base + self.queue

    def wait_for_room(self) -> bool:
        """Waits until the sender knows of a window for one more segment; False if none was announced."""
        for number in range(self.known, len(self.announced)):
            if self.announced[number][1] >= self.next + SIZE:
                self.wait(max(self.now, self.arrival(number)))
                return True
        if (due := self.twin.deadline) is not None:
            self.wait(due)
            return self.wait_for_room()
        return False

    def echo(self) -> int:
        kind, last = drawn(self.random, ECHOES), self.announced[self.known][0] // 1000
        if kind == "none" or self.known == 0:
            return 0
        if kind == "old":
            return self.announced[self.random.randint(1, self.known)][0] // 1000
        return last if kind == "last" else last - 1

    def arrive(self, first: int, length: int, value: int, what: str) -> None:
        echo = self.echo()
        self.compiled.on_segment(self.now, first, length, echo, value_us=value)
        self.twin.on_data(self.now, first, length, value, echo)
        self.happened[what] += 1
        self.compare(f"{what}: {length} bytes at {first}, TSval {value}, TSecr {echo}")

    def step(self) -> None:
        random = self.random
        kind = drawn(random, KINDS)
        self.wait(self.now + random.choice(GAPS_NS) + (random.choice(PAUSES_NS) if kind == "pause" else 0))
        if random.random() < 0.01:
            self.queue = random.choice(QUEUES_NS)
        if kind in ("new", "lost", "pause") and not self.wait_for_room():
            kind = "again"
        value = self.now // 1000
        if kind in ("again", "late"):
            if not self.missing:
                return
            first, length, sent = self.missing.pop(random.randrange(len(self.missing)))
            more = random.choice([0, 0, SIZE, 3 * SIZE]) if kind == "again" else 0
            more = min(more, max(self.twin.edge - first - length, 0))
            self.next = max(self.next, first + length + more)
            self.arrive(first, length + more, value if kind == "again" else sent, kind)
        elif kind == "lost":
            self.missing.append((self.next, SIZE, value))
            self.next += SIZE
        elif kind == "twice":
            first = max(self.next - random.randint(1, 9) * SIZE, 1)
            self.arrive(first, SIZE, value - random.choice([0, 0, 200_000]), kind)
        elif kind == "cut":
            first = max(self.next - random.randint(1, 5 * SIZE), 1)
            length = min(random.randint(1, 3 * SIZE), self.next - first)
            if length > 0:
                self.arrive(first, length, value, kind)
        elif kind == "beyond":
            self.arrive(self.twin.edge - random.choice([1, SIZE - 1, 0]), SIZE, value, kind)
        else:
            length = SIZE if random.random() < 0.95 else random.randint(1, SIZE)
            first, self.next = self.next, self.next + length
            self.arrive(first, length, value, kind)


@pytest.mark.parametrize("segments_per_ack", [1, 2])
def test_windows_are_those_of_the_twin(segments_per_ack: int) -> None:
    happened: Counter[str] = Counter()
    for seed in range(SEEDS):
        drive = Drive(Random(seed), segments_per_ack)  # noqa: S311
        for _ in range(SEGMENTS[seed % len(SEGMENTS)]):
            drive.step()
        happened += drive.happened + drive.control.happened
    assert all(happened[what] > SEEDS / 4 for what in EXPECTED), happened
