"""COBALT in the simulator and in plain Python: with the same random numbers, the same packets."""

import pytest

from ackclock._native import uniform_numbers
from reference.queue.cobalt import Cobalt
from reference.queue.codel import Waiting
from tests.differential.gateway import RATE, agree, agree_on_marks, driven, rows, simulated

MS = 1_000_000
SEED = 1
FRAME_NS = 1514 * 8_000_000_000 / RATE
SLOW = {"increment": 0.0, "target": 20 * MS, "interval": 50 * MS}


@pytest.mark.parametrize(
    ("settings", "twin", "buffer", "load", "ecn"),
    [
        # Nothing is left to chance: CoDel alone, without overflow and with it.
        ("increment=0", {"increment": 0.0}, 1000, 0.3, None),
        ("increment=0", {"increment": 0.0}, 25, 0.3, None),
        ("increment=0", {"increment": 0.0}, 1000, 0.3, "classic"),
        ("increment=0,target=20,interval=50", SLOW, 60, 0.8, None),
        # BLUE in addition.
        ("", {}, 25, 0.3, None),
        ("", {}, 25, 1.4, None),
        ("increment=0.05,decrement=0.01", {"increment": 0.05, "decrement": 0.01}, 15, 0.1, "classic"),
    ],
)  # fmt: skip
def test_cobalt_drops_and_marks_the_same(
    settings: str, twin: dict[str, float], buffer: int, load: float, ecn: str | None
) -> None:
    queue = f"cobalt({settings})" if settings else "cobalt"
    result = simulated(queue, 3, buffer=buffer, load=load, ecn=ecn)
    numbers = iter(uniform_numbers(SEED, "queue gateway->sink", 200_000))
    gateway = Cobalt(lambda: next(numbers), buffer, FRAME_NS, **twin)  # type: ignore[arg-type]
    sent = driven(
        rows(result, "sources->gateway"), lambda waiting, _: gateway.enqueue(waiting), gateway.dequeue
    )
    agree(result, sent, gateway.dropped, 10)
    if ecn:
        agree_on_marks(result, sent, gateway.marked, 10)


def test_the_count_rises_and_falls_by_hand() -> None:
    """`cobalt_should_drop`: a packet each millisecond waited 10 ms from 2 to 299 ms, else 1.

    The one at 2 ms starts an interval of 100 ms. Drops are due at 102 ms, then 100 / sqrt(count) later: at
    172.7, 230.4, 280.4 and 325.2 ms. Above the target there are drops; below it the count falls from 5 at
    325.2 ms, and 100 / sqrt(count) later: at 375.2, 432.9, 503.6 and 603.6 ms, when none is left.
    """
    gateway = Cobalt(lambda: 1.0, 100, 0.5 * MS)
    drops, falls = [], []
    for now_ms in range(1, 700):
        before, wait_ms = gateway.count, 10 if 2 <= now_ms < 300 else 1
        if gateway.should_drop(Waiting((now_ms - wait_ms) * MS, 1000), now_ms * MS):
            drops.append(now_ms)
        if gateway.count < before:
            falls.append((now_ms, gateway.count))
    assert drops == [102, 173, 231, 281]
    assert falls == [(326, 4), (376, 3), (433, 2), (504, 1), (604, 0)]


def test_blue_by_hand() -> None:
    """`cobalt_queue_full` and `cobalt_queue_empty`: the probability changes once per target of 5 ms at most.

    A full buffer at 6, 9 and 12 ms adds 1/256 twice, not at 9 ms. An empty queue at 15 ms is too early; at 18
    ms 1/4096 is taken away.
    """
    gateway = Cobalt(lambda: 1.0, 100, 0.5 * MS)
    for now_ms in (6, 9, 12):
        gateway.on_full(now_ms * MS)
    assert gateway.p_drop == 2 / 256
    gateway.on_empty(15 * MS)
    assert gateway.p_drop == 2 / 256
    gateway.on_empty(18 * MS)
    assert gateway.p_drop == 2 / 256 - 1 / 4096
