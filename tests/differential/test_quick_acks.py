"""The compiled receiver's quick acknowledgments against their plain-Python twin, over random arrivals.

Segments are full, no application answers, and the delay of acknowledgments does not adapt: the compiled
receiver has `ack_delay` in place of ATO, counts segments where Linux counts octets, and takes reading for
nothing. Answers and marks are not compared: `test_quick_acks_by_hand.py` has them, and `connection.rs` of the
transport has answers.
"""

from collections import Counter
from random import Random

import pytest

from ackclock._native import TcpReceiver
from reference.transport.quick_acks import MS, Acknowledgment, Arrival, Receiver, acknowledgments

SIZE = 1000
SEEDS = 200
GAPS = [MS, 15 * MS + 1, 39 * MS, 41 * MS, 300 * MS, 999 * MS, 1000 * MS, 1001 * MS, 3000 * MS]


def arrivals(seed: int) -> list[Arrival]:
    """Flights of a segment each millisecond, of which few are late, early or there again."""
    random = Random(seed)  # noqa: S311
    events, at, arrived = [], 0, set[int]()
    for _ in range(random.randint(1, 12)):
        at += random.choice(GAPS)
        for place in random.choices([0, 1, 2, -1, -2, -9], [40, 1, 1, 1, 1, 1], k=random.randint(1, 40)):
            at += random.choice([MS, MS, MS, 15 * MS])
            expected = next(number for number in range(len(arrived) + 1) if number not in arrived)
            number = max(expected + place, 0)
            arrived.add(number)
            events.append(Arrival(at, SIZE * number, SIZE * (number + 1)))
    return events


def found(events: list[Arrival], window: int) -> list[Acknowledgment]:
    """The acknowledgments of the compiled receiver, whose octets begin with number 1."""
    receiver = TcpReceiver(
        segment_size=SIZE, receive_window=window, quick_acks=16, segments_per_ack=2, ack_delay_ns=40 * MS
    )
    left: list[Acknowledgment] = []

    def poll(now: int) -> None:
        while (reply := receiver.poll_transmit(now)) is not None:
            left.append(Acknowledgment(now, reply[0] - 1))

    def wait(until: float) -> None:
        while (due := receiver.next_wake_ns) is not None and due <= until:
            receiver.on_timer(due)
            poll(due)

    for event in events:
        wait(event.at)
        receiver.on_segment(event.at, 1 + event.first, event.end - event.first)
        poll(event.at)
    wait(float("inf"))
    return left


@pytest.mark.parametrize("window", [1900, 6000, 1_000_000])
def test_quick_acknowledgments_are_those_of_their_twin(window: int) -> None:
    happened: Counter[str] = Counter()
    for seed in range(SEEDS):
        events = arrivals(seed)
        expected = acknowledgments(Receiver(window=window, advmss=SIZE, adapts=False), events)
        assert found(events, window) == expected, f"seed {seed}"
        times = {event.at for event in events}
        happened.update("at once" if left.at in times else "late" for left in expected)
        happened["of two segments"] += len(events) - len(expected)
    assert all(happened[what] > SEEDS / 2 for what in ("at once", "late", "of two segments")), happened
