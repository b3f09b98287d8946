"""Deficit round robin, priorities, and CE thresholds, in the simulator and in plain Python."""

import pytest

import ackclock
from reference.queue.codel import Waiting
from reference.queue.drr import Drr
from reference.queue.fq_codel import FqCodel
from reference.queue.priority import Priority
from tests.differential.gateway import (
    BUFFER,
    agree,
    agree_on_marks,
    choice,
    driven,
    rows,
    simulated,
)

MS = 1_000_000


def drr_of(result: ackclock.Result, quanta: dict[object, int] | None, quantum: int) -> Drr:
    """A twin whose ties the simulator breaks."""
    twin = Drr(BUFFER, lambda flow: quanta[flow] if quanta else quantum)
    twin.choose = choice(result, lambda: len(twin.dropped))
    return twin


@pytest.mark.parametrize("flows", [2, 5])
@pytest.mark.parametrize("quantum", [1500, 400, 5000])
def test_drr_serves_and_drops_the_same(flows: int, quantum: int) -> None:
    result = simulated(f"drr(quantum={quantum},flows=65536)", flows, load=0.6)
    twin = drr_of(result, None, quantum)
    sent = driven(
        rows(result, "sources->gateway"),
        lambda waiting, packet: twin.enqueue(waiting, packet.flow),
        twin.dequeue,
    )
    agree(result, sent, twin.dropped, 50)


def test_the_paper_s_example() -> None:
    """Figures 2 and 3 of Shreedhar and Varghese: four queues and a quantum of 500 bytes.

    The first queue sends its 200 bytes, and keeps 300 for the next turn, when 800 cover the 750 and the 20.
    """
    twin = Drr(100, lambda _: 500)
    waiting = [(200, 750, 20), (500, 500), (100, 600, 200), (180, 700, 50)]
    for flow, sizes in enumerate(waiting):
        for size in sizes:
            twin.enqueue(Waiting(0, size), flow)
    left = [packet.size for packet in iter(twin.dequeue, None)]
    assert left == [200, 500, 100, 180, 750, 20, 500, 600, 200, 700, 50]


PRIORITIES = (7, 0, 3, 3, 1)


def level_of(flow: int, flows: int) -> int:
    """The class of a flow; datagrams come after the flows of TCP."""
    return PRIORITIES[(flow + 1) % len(PRIORITIES)] if flow < flows else PRIORITIES[0]


def test_strict_priorities_serve_and_drop_the_same() -> None:
    flows = 5
    result = simulated("priority", flows, priorities=PRIORITIES)
    twin = Priority(BUFFER)
    sent = driven(
        rows(result, "sources->gateway"),
        lambda waiting, packet: twin.enqueue(waiting, level_of(packet.flow, flows)),
        twin.dequeue,
    )
    agree(result, sent, twin.dropped, 50)


@pytest.mark.parametrize(
    ("settings", "weights"),
    [("", range(1, 9)), ("weight0=3,weight1=2,weight3=5,weight7=2", (3, 2, 3, 5, 5, 6, 7, 2))],
)
def test_weighted_priorities_serve_and_drop_the_same(settings: str, weights: tuple[int, ...]) -> None:
    """Each class has a quantum of 1514 bytes, times its weight over the smallest."""
    flows = 5
    result = simulated(
        f"weighted-priority({settings})" if settings else "weighted-priority",
        flows,
        load=0.6,
        priorities=PRIORITIES,
    )
    twin = drr_of(
        result, {level: round(1514 * weight / min(weights)) for level, weight in enumerate(weights)}, 0
    )
    # Among classes with equally many bytes it is the lowest.
    twin.choose = min  # type: ignore[assignment]
    sent = driven(
        rows(result, "sources->gateway"),
        lambda waiting, packet: twin.enqueue(waiting, level_of(packet.flow, flows)),
        twin.dequeue,
    )
    agree(result, sent, twin.dropped, 50)


@pytest.mark.parametrize("ecn", [None, "classic"])
@pytest.mark.parametrize("l4s_only", [False, True])
@pytest.mark.parametrize("target_ms", [5, 1000])
def test_a_ce_threshold_marks_the_same(target_ms: int, l4s_only: bool, ecn: str | None) -> None:
    """With CoDel's marks, and without them: a target of a second is never reached."""
    settings = f"target={target_ms},ce_threshold=2,ce_l4s_only={int(l4s_only)},flows=65536"
    result = simulated(f"fq-codel({settings})", 4, buffer=10240, algorithms=("prague", "sack"), ecn=ecn)
    twin = FqCodel(target_ms * MS, 100 * MS, ce_threshold=2 * MS, ce_l4s_only=l4s_only)
    sent = driven(
        rows(result, "sources->gateway"),
        lambda waiting, packet: twin.enqueue(waiting, packet.flow),
        twin.dequeue,
    )
    agree(result, sent, twin.dropped, 0 if target_ms == 5 and ecn is None else -1)
    agree_on_marks(result, sent, twin.marked, 50)
