"""Veno and Copa by hand, from the rules of their papers: the window after each acknowledgment and loss."""

import pytest

from ackclock._native import Controller
from reference import CONTROLLERS, Ack, Congestion, Signal, Start, Windowed
from reference.avoidance.veno import Veno
from reference.controllers.copa import Copa
from reference.slow_start.standard import StandardSlowStart


def ack(now_ms: float, rtt_ms: float | None, *, trip: int = 1, suspended: bool = False) -> Ack:
    """An acknowledgment of a packet, where the smoothed round-trip time has come to this one."""
    rtt = None if rtt_ms is None else rtt_ms / 1e3
    return Ack(
        now=now_ms / 1e3,
        delivered=1.0,
        in_flight=10.0,
        rtt=rtt,
        srtt=rtt or 0.1,
        min_rtt=0.1,
        round=trip,
        suspended=suspended,
    )


def lose(
    controller: Controller | Windowed | Copa,
    now_ms: float,
    flight: float,
    signal: Signal = Signal.LOSS,
    *,
    trip: int = 1,
) -> None:
    """An episode begins, with an acknowledgment that measures nothing."""
    restart = signal == Signal.TIMEOUT
    controller.on_congestion(
        Congestion(now=now_ms / 1e3, signal=signal, flight=flight, restart=restart, repeated=False)
    )
    if not restart:
        controller.on_ack(ack(now_ms, None, trip=trip, suspended=True))


def veno(window: float) -> tuple[Controller, Windowed]:
    """Both readings, in congestion avoidance."""
    start = Start(initial_window=window, initial_ssthresh=window)
    return Controller("veno", window, window), Windowed(StandardSlowStart(), Veno(), start)


def test_veno_tells_losses_apart_by_the_backlog_since_the_last_one() -> None:
    """Fu and Liew, section III.

    - 100 ms, the smallest: N = 0. A packet acknowledged adds 1/20.
    - 125 ms: N = 20.05 / 125 * 25 = 4.01, not below 3: half of 1/20.05 is added.
    - A loss with 20 in flight: half, 10. It resets BaseRTT.
    - 200 ms, now the smallest: N = 0, where the smallest of all, 100 ms, would make 5. 1/10 is added.
    - A loss with 10 in flight is taken for random: four fifths, 8.
    - The next one, before any round-trip time: half, 4.
    """
    for controller in veno(20.0):
        controller.on_ack(ack(100, 100))
        assert controller.cwnd == pytest.approx(20.05)
        controller.on_ack(ack(125, 125))
        assert controller.cwnd == pytest.approx(20.05 + 0.5 / 20.05)
        lose(controller, 126, 20.0)
        assert controller.cwnd == 10.0
        controller.on_ack(ack(300, 200, trip=2))
        assert controller.cwnd == pytest.approx(10.1)
        lose(controller, 301, 10.0, trip=2)
        assert controller.cwnd == pytest.approx(8.0)
        lose(controller, 501, 8.0, trip=3)
        assert controller.cwnd == pytest.approx(4.0)


@pytest.mark.parametrize(
    ("signal", "left"), [(Signal.LOSS, 16.0), (Signal.ECN, 10.0), (Signal.TIMEOUT, 10.0)]
)
def test_veno_takes_nothing_but_a_loss_for_a_random_one(signal: Signal, left: float) -> None:
    """N = 0 at each, and 20 of 20.05 packets in flight."""
    for controller in veno(20.0):
        controller.on_ack(ack(100, 100))
        lose(controller, 101, 20.0, signal)
        assert controller.ssthresh == pytest.approx(left)


def test_veno_resets_the_smallest_round_trip_time_at_a_mark() -> None:
    """RFC 3168, section 5: as at a loss. Then 200 ms are the smallest: N = 0, and a loss leaves 4/5 of 10.

    With the 100 ms of before the mark N would be 10 / 200 * 100 = 5, and half would be left.
    """
    for controller in veno(20.0):
        controller.on_ack(ack(100, 100))
        lose(controller, 101, 20.0, Signal.ECN)
        controller.on_ack(ack(300, 200, suspended=True))
        assert controller.cwnd == 10.0
        lose(controller, 301, 10.0, trip=2)
        assert controller.cwnd == pytest.approx(8.0)


def copa(window: float) -> tuple[Controller, Copa]:
    """Both readings."""
    twin = CONTROLLERS["copa"]()
    assert isinstance(twin, Copa)
    twin.begin(Start(initial_window=window))
    return Controller("copa", window), twin


def test_copa_follows_the_target_rate() -> None:
    """Arun and Balakrishnan, section 2.1, with delta = 1/2.

    - 100 ms twice: no queueing delay, an unlimited target. Slow start: 10, 11, 12 packets.
    - 150 ms, the only one of the last 75 ms: d_q = 50 ms, the target is 2 / 0.05 = 40 packets per second, the
      rate is 12 / 0.15 = 80. Slow start ends; 12 - 2 / 12 = 71/6.
    - 110 ms: d_q = 10 ms, the target is 200, the rate is 71/6 / 0.11 = 107.6: 2 / (71/6) = 12/71 more.
    - Pacing: 2 cwnd / 0.11 s.
    """
    for controller in copa(10.0):
        for now, rtt, window in (
            (100, 100, 11),
            (101, 100, 12),
            (200, 150, 71 / 6),
            (201, 110, 71 / 6 + 12 / 71),
        ):
            controller.on_ack(ack(now, rtt))
            assert controller.cwnd == pytest.approx(window), now
        assert controller.pacing_rate == pytest.approx(2 * (71 / 6 + 12 / 71) / 0.11)


def test_copa_doubles_its_velocity_after_three_round_trips_in_one_direction() -> None:
    """Section 2.1, step 4, one acknowledgment in each round trip; 2 / cwnd is the step of v = 1.

    1. 100 ms: slow start, 10 to 11.
    2. 150 ms: down. The window before went up.
    3. 100 ms: up. The window before went down, v = 1.
    4. to 6. up: the window before was the first, second, third one in a row that went up; v = 1.
    7. up: the fourth one; v = 2.
    8. up: v = 4.
    9. up: v = 8, but it counts for half the window: the packet adds itself.

    Then 150 ms, 150 ms later: down, with v = 1 at once.
    """
    for controller in copa(10.0):
        window = 11.0
        controller.on_ack(ack(100, 100, trip=1))
        for trip, (rtt, twice_v) in enumerate(
            [(150, -2), (100, 2), (100, 2), (100, 2), (100, 2), (100, 4), (100, 8)], start=2
        ):
            controller.on_ack(ack(200 * trip, rtt, trip=trip))
            window += twice_v / window
            assert controller.cwnd == pytest.approx(window), trip
        controller.on_ack(ack(1800, 100, trip=9))
        window += 1.0
        assert controller.cwnd == pytest.approx(window)
        controller.on_ack(ack(1950, 150, trip=9))
        assert controller.cwnd == pytest.approx(window - 2 / window)


def test_copa_competes_while_the_queue_does_not_empty() -> None:
    """Section 2.2: 1/delta over round trips of 120 ms on a path of 100 ms, but for the first and the 15th.

    A tenth of the range is 2 ms, and d_q is 20 ms: the queue is not nearly empty in round trips 2 to 6, the
    last five when the 7th begins. A loss in the 8th halves 4, one in the 13th halves 6; the round trip of a
    loss adds nothing. The 15th begins in competitive mode and finds the queue empty: the 16th is in the
    default mode.
    """
    compiled, twin = copa(10.0)
    found = []
    for trip in range(1, 17):
        facts = ack(120 * trip, 100 if trip in (1, 15) else 120, trip=trip)
        for controller in (compiled, twin):
            controller.on_ack(facts)
        found.append(twin.inverse_delta)
        assert compiled.observe()["copa_delta"] == pytest.approx(1 / twin.inverse_delta)
        if trip in (8, 13):
            for controller in (compiled, twin):
                lose(controller, 120 * trip, 10.0, trip=trip)
    assert found == [2, 2, 2, 2, 2, 2, 3, 4, 2, 3, 4, 5, 6, 3, 4, 2]


def test_a_tenth_of_the_range_is_not_nearly_empty_for_copa() -> None:
    """Section 2.2: below a tenth. Round trips from 2 on have times of 200 and 110 ms on a path of 100 ms.

    The standing one, of the last 55 ms, is 110 ms: d_q is 10 ms, a tenth of the range. So the 7th begins in
    competitive mode.
    """
    compiled, twin = copa(10.0)
    found = []
    for trip in range(1, 9):
        for now, rtt in ((400 * trip, 200), (400 * trip + 200, 110)):
            facts = ack(now, 100 if trip == 1 else rtt, trip=trip)
            compiled.on_ack(facts)
            twin.on_ack(facts)
        found.append(twin.inverse_delta)
        assert compiled.observe()["copa_delta"] == pytest.approx(1 / twin.inverse_delta), trip
    assert found == [2, 2, 2, 2, 2, 2, 3, 4]
