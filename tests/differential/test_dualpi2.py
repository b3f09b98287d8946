"""DualPI2 in the simulator and in plain Python: the same order of departure, the same marks."""

import pytest

from reference.queue.codel import Waiting
from reference.queue.dualpi2 import DualPi2
from tests.differential.gateway import Packet, agree, agree_on_marks, driven, packet_of, rows, simulated

MS = 1_000_000
NOT_ECT, ECT_1, ECT_0 = 0, 1, 2


@pytest.mark.parametrize("ecn", [None, "classic"])
@pytest.mark.parametrize(
    ("settings", "twin", "load"),
    [
        ("classic_weight=0.1", {}, 0.2),
        ("min_threshold=1,range=0,min_packets=0", {"min_threshold": MS, "range": 0, "min_packets": 0}, 0.2),
        ("classic_weight=0.5,coupling=1", {"classic_weight": 0.5, "coupling": 1.0}, 0.2),
        ("time_shift=30", {"time_shift": 30 * MS}, 0.2),
        # Overload: datagrams alone are more than the link takes.
        ("target=20,max_rtt=60", {"target": 20 * MS, "max_rtt": 60 * MS}, 1.3),
    ],
)
def test_dualpi2_serves_drops_and_marks_the_same(
    settings: str, twin: dict[str, float], load: float, ecn: str | None
) -> None:
    """Flows of Prague in the L4S queue; of SACK, with ECN and without, and datagrams in the Classic queue."""
    result = simulated(
        f"dualpi2({settings})", 4, buffer=60, load=load, algorithms=("prague", "sack"), ecn=ecn
    )
    gateway = DualPi2(limit=60, **twin)  # type: ignore[arg-type]
    sent = driven(
        rows(result, "sources->gateway"), lambda waiting, _: gateway.enqueue(waiting), gateway.dequeue
    )
    agree(result, sent, gateway.dropped, 10)
    agree_on_marks(result, sent, gateway.marked, 10)


def test_recur_by_hand() -> None:
    """Figure 5 with 3/8: the count is 3, 6, 9 eighths; then 4, 7, 10; then 5, and 8, which is not above 1."""
    lane = DualPi2().l4s
    assert [lane.recur(0.375) for _ in range(8)] == [False, False, True, False, False, True, False, False]


def test_the_weights_by_hand() -> None:
    """Weighted round robin, a weight of a quarter, packets of 1000 bytes in both queues.

    The credit is 0, so an L4S packet leaves and adds 250; one Classic packet takes 750 away; then two L4S
    packets bring it from -500 to 0, and a third to 250.
    """
    queue = DualPi2(classic_weight=0.25, limit=100)
    for number in range(8):
        for ecn in (NOT_ECT, ECT_1):
            queue.enqueue(Waiting(0, 1000, Packet(0, ecn, number, 0, 1000, "udp", ecn), ecn))
    left = [queue.dequeue(0) for _ in range(9)]
    assert [packet_of(packet).ecn for packet in left if packet] == [1, 0, 1, 1, 1, 0, 1, 1, 1]


def test_the_base_probability_by_hand() -> None:
    """Figure 6: a Classic packet that came at 0 ms waits 15 ms at the first update and 30 ms at the second.

    With Tupdate 15 ms, alpha is 0.1 * 0.015 / 0.1^2 = 0.15 Hz, and beta 0.3 / 0.1 = 3 Hz. The first update
    adds 0.15 * 0 + 3 * 0.015 = 0.045; the second 0.15 * 0.015 + 3 * 0.015 = 0.04725.
    """
    queue = DualPi2()
    queue.enqueue(Waiting(0, 1000, None, ECT_0))
    queue.update_until(15 * MS)
    assert queue.base == pytest.approx(0.045)
    queue.update_until(30 * MS)
    assert queue.base == pytest.approx(0.09225)
    assert queue.coupled == pytest.approx(0.1845)
    assert queue.squared == pytest.approx(0.0085100625)
