"""FQ-PIE in the simulator and in plain Python: with the same random numbers, the same packets."""

from collections import deque

import pytest

from ackclock._native import uniform_numbers
from reference.queue.codel import Waiting
from reference.queue.fq_pie import FqPie, PieQueue
from tests.differential.gateway import agree, agree_on_marks, driven, rows, simulated

MS = 1_000_000
SEED = 1


@pytest.mark.parametrize(
    ("settings", "twin", "load", "ecn"),
    [
        ("", {}, 0.6, None),
        ("", {}, 1.6, None),
        ("quantum=300,target=5,update=10", {"quantum": 300, "target": 5 * MS, "every": 10 * MS}, 0.4, None),
        ("limit=30", {"limit": 30}, 0.6, None),
        ("", {}, 0.2, "classic"),
        ("mark_up_to=1", {"mark_up_to": 1.0}, 0.6, "classic"),
        # The probability jumps to 1 and back.
        ("alpha=1000,beta=0", {"alpha": 1e3, "beta": 0.0}, 0.6, None),
    ],
)
def test_fq_pie_serves_drops_and_marks_the_same(
    settings: str, twin: dict[str, float], load: float, ecn: str | None
) -> None:
    queue = f"fq-pie({settings + ',' if settings else ''}flows=65536)"
    result = simulated(queue, 4, buffer=10240, load=load, ecn=ecn)
    numbers = iter(uniform_numbers(SEED, "queue gateway->sink", 200_000))
    gateway = FqPie(lambda: next(numbers), **twin)  # type: ignore[arg-type]
    sent = driven(
        rows(result, "sources->gateway"),
        lambda waiting, packet: gateway.enqueue(waiting, packet.flow),
        gateway.dequeue,
    )
    agree(result, sent, gateway.dropped, 20)
    if ecn:
        agree_on_marks(result, sent, gateway.marked, 20)


def never() -> float:
    """For where nothing may be left to chance."""
    raise AssertionError("a number was drawn")


def updated(probability: float, delay_ms: float, before_ms: float) -> float:
    """The probability after an update of a queue with a packet in it."""
    queue = PieQueue(deque([Waiting(0, 1500)]), probability=probability)
    queue.delay, queue.delay_old = delay_ms * MS, before_ms * MS
    FqPie(never).calculate_probability(queue)
    return queue.probability


@pytest.mark.parametrize(
    ("probability", "delay_ms", "before_ms", "by_hand"),
    [
        # 0.125 * 0.015 + 1.25 * 0.01 = 0.014375: over 2048, over 8, over 2, and whole.
        (0.0, 30, 20, 0.014375 / 2048),
        (0.005, 30, 20, 0.005 + 0.014375 / 8),
        (0.05, 30, 20, 0.05 + 0.014375 / 2),
        (0.2, 30, 20, 0.214375),
        # 0.125 * 0.085 + 1.25 * 0.1 = 0.1356 is more than 0.02.
        (0.2, 100, 0, 0.22),
        # Beyond 250 ms 0.02 more.
        (0.2, 300, 0, 0.24),
        # 0.125 * -0.015 + 1.25 * -0.04 = -0.051875.
        (0.2, 0, 40, 0.148125),
        # No delay, but a packet that waits: the probability falls by -0.001875 alone.
        (0.2, 0, 0, 0.198125),
    ],
)
def test_updates_by_hand(probability: float, delay_ms: float, before_ms: float, by_hand: float) -> None:
    """`pie_calculate_probability` with a target of 15 ms."""
    assert updated(probability, delay_ms, before_ms) == pytest.approx(by_hand)


def test_hits_by_hand() -> None:
    """A probability of 0.3 adds up to 0.9 with the third packet, the first that may be hit, and is not."""
    numbers = iter([0.31, 0.29, 0.5, 0.5])
    gateway = FqPie(lambda: next(numbers))
    queue = PieQueue(deque([Waiting(0, 1514)] * 2), probability=0.3, burst=0.0, delay=15 * MS)
    gateway.queues["A"] = queue
    for number in range(8):
        gateway.enqueue(Waiting(0, 1000, number), "A")
    # The fourth is hit, after 0.3, 0.6, 0.9 and 1.2; then it begins again.
    assert [packet.name for packet in gateway.dropped] == [3]
    assert queue.accumulated == pytest.approx(1.2)
