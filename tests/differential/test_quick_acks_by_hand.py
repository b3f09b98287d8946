"""Quick acknowledgments by hand: timelines worked from Linux' rules, for the plain-Python reading of them.

Segments have 1000 octets, the window 64000: half of it has 32 segments, and 16 quick acknowledgments are the
most.
"""

from collections.abc import Iterable

import pytest

from reference.transport.quick_acks import MS, Arrival, Ecn, Receiver, Sending, acknowledgments

SIZE = 1000


def segment(at_ms: float, number: int, *, size: int = SIZE, **known: object) -> Arrival:
    """The segment of this number."""
    return Arrival(int(at_ms * MS), SIZE * number, SIZE * number + size, **known)  # type: ignore[arg-type]


def flight(begin_ms: float, first: int, count: int, ecn: Ecn = Ecn.NOT_ECT) -> list[Arrival]:
    """Segments a millisecond apart."""
    return [segment(begin_ms + number, first + number, ecn=ecn) for number in range(count)]


def times(events: Iterable[Arrival | Sending], **settings: int) -> list[float]:
    """The milliseconds at which acknowledgments without data leave."""
    known = {"window": 64_000, "rto": 200 * MS, "advmss": SIZE} | settings
    found = acknowledgments(Receiver(**known), sorted(events, key=lambda event: event.at))  # type: ignore[arg-type]
    return [acknowledgment.at / MS for acknowledgment in found if not acknowledgment.with_data]


def test_the_first_16_are_quick_then_each_second_segment_is_acknowledged() -> None:
    """Of 21 segments 1 ms apart; the last waits for 40 ms, since (40 / 2) + 20 is 40 again."""
    assert times([*flight(0, 0, 21)]) == [*range(16), 17, 19, 60]


@pytest.mark.parametrize(("window", "quick"), [(1900, 2), (6000, 3), (31_000, 15), (200_000, 16)])
def test_half_of_the_window_bounds_the_number(window: int, quick: int) -> None:
    """No segment in the half of 1900 octets gives two; 3 segments of 6000; 15 of 31000."""
    assert times([*flight(0, 0, quick + 1)], window=window) == [*range(quick), quick + 40]


@pytest.mark.parametrize(("pause_ms", "after"), [(200, [1, 42]), (201, [0, 1, 2])])
def test_a_pause_longer_than_the_timeout_begins_again(pause_ms: int, after: list[float]) -> None:
    """After exactly 200 ms, the second of three segments is acknowledged and the third waits."""
    begin = 17 + pause_ms
    found = times([*flight(0, 0, 18), *flight(begin, 18, 3)])
    assert found == [*range(16), 17, *[begin + time for time in after]]


def test_a_timer_that_expires_doubles_the_delay_and_srtt_bounds_it() -> None:
    """After 16 quick ones lone segments, 150 ms apart, with an SRTT of 100 ms and a timeout of 200 ms.

    40, then 80. Then 160, and the gap of 150 ms, which is less, gives 160 / 2 + 150 = 230, at most 200; SRTT
    leaves 100. From 200 again: 100 + 150, the same.
    """
    events = [*flight(0, 0, 16), *[segment(100 + 150 * number, 16 + number) for number in range(4)]]
    assert times([*events], srtt=100 * MS)[16:] == [140, 250 + 80, 400 + 100, 550 + 100]


def test_a_running_timer_is_not_put_off() -> None:
    """Small segments that nobody reads: the acknowledgment waits for 40 ms from the first of two on.

    If the timer is about to expire, within a quarter of the new delay, the acknowledgment leaves at once.
    """
    small = [segment(20, 16, size=80), Arrival(40 * MS, 16_080, 16_160), Arrival(52 * MS, 16_160, 16_240)]
    start = [*flight(0, 0, 16)]
    assert times([*start, *small[:2]], reads=False)[16:] == [60]
    # 60 is 8 ms from 52, and 40 / 4 is 10.
    assert times([*start, *small], reads=False)[16:] == [52]


def test_an_answer_makes_the_session_interactive_until_a_timer_expires() -> None:
    """Data 39 ms after a segment; its acknowledgment is one of the quick ones, and has left before.

    Then a lone segment waits for 40 ms, though quick ones are left. The timer ends the session, and the next
    segments are acknowledged at once.
    """
    events: list[Arrival | Sending] = [
        segment(0, 0),
        Sending(39 * MS),
        segment(80, 1),
        segment(130, 2),
        segment(140, 3),
    ]
    assert times(events) == [0, 120, 130, 140]
    assert times([segment(0, 0), Sending(40 * MS), segment(80, 1)]) == [0, 80]


def test_data_carries_the_acknowledgment() -> None:
    """Of the 17th segment, which waits; the timer is off."""
    receiver = Receiver(window=64_000, advmss=SIZE)
    found = acknowledgments(receiver, [*flight(0, 0, 17), Sending(30 * MS)])
    assert [(left.at, left.number, left.with_data) for left in found[16:]] == [(30 * MS, 17_000, True)]


def test_duplicates_begin_again() -> None:
    """After 17 segments, of which the last waits, the 17th comes again: 16 quick ones, this the first.

    If the first comes, from long before, it is answered too, but is none of the 16 that it brings.
    """
    start = [*flight(0, 0, 17), segment(17, 16)]
    assert times([*start, *flight(20, 17, 16)])[16:] == [17, *range(20, 35), 75]
    assert times([*start, segment(18, 0), *flight(20, 17, 17)])[16:] == [17, 18, *range(20, 36), 76]


def test_data_out_of_order_and_what_fills_the_gap_are_acknowledged_at_once() -> None:
    """After 16 segments the 18th and the 19th, then the 17th; the next is alone and waits."""
    order = [segment(20, 17), segment(21, 18), segment(22, 16), segment(23, 19)]
    receiver = Receiver(window=64_000, advmss=SIZE)
    found = acknowledgments(receiver, [*flight(0, 0, 16), *order])[16:]
    assert [(left.at / MS, left.number) for left in found] == [
        (20, 16_000),
        (21, 16_000),
        (22, 19_000),
        (63, 20_000),
    ]


def test_the_first_mark_and_the_end_of_its_echo() -> None:
    """The first mark brings two quick ones, the second none, until the sender has said that it is slower.

    CWR is answered at once, and a mark after it brings two again.
    """
    start = flight(0, 0, 16, Ecn.ECT)
    marked = [segment(20 + n, 16 + n, ecn=Ecn.CE) for n in range(3)]
    rest = [segment(30, 19, ecn=Ecn.ECT), segment(31, 20, ecn=Ecn.ECT, cwr=True), segment(32, 21, ecn=Ecn.CE)]
    assert times([*start, *marked, *rest], ecn=True)[16:] == [20, 21, 30, 31, 32]
    assert times([*start, *marked[:1]])[16:] == [60]


def test_a_segment_without_ect_is_taken_for_one_sent_again() -> None:
    """Two quick ones, if others were capable of ECN."""
    assert times([*flight(0, 0, 16, Ecn.ECT), *flight(20, 16, 3)], ecn=True)[16:] == [20, 21, 22]
    assert times([*flight(0, 0, 16), *flight(20, 16, 3)], ecn=True)[16:] == [21, 62]


def test_a_small_segment_is_acknowledged_when_it_is_read() -> None:
    """Unless the session is interactive: there the second one is."""
    start = [*flight(0, 0, 16)]
    tail = segment(20, 16, size=100)
    assert times([*start, tail])[16:] == [20]
    answered: list[Arrival | Sending] = [Sending(16 * MS), tail]
    assert times([*start, *answered])[16:] == [60]
    assert times([*start, *answered, Arrival(25 * MS, 16_100, 16_200)])[16:] == [25]


def test_a_window_that_grows_brings_one_more() -> None:
    """The 17th segment, with which it does."""
    assert times([*flight(0, 0, 16), segment(16, 16, window_grew=True), segment(17, 17)])[16:] == [16, 57]
