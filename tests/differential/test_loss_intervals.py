"""RFC 5348's loss events and intervals by hand: both receivers must find what sections 5.1 to 5.5 give."""

import pytest

from ackclock._native import TfrcReceiver
from reference.transport import tfrc
from tests.differential.test_tfrc import Receivers

RTT_MS, GAP_MS = 10, 11
"""Packets are further apart than a round-trip time, so that each loss is an event of its own."""
LENGTHS = (10, 20, 30, 40, 50, 60, 70, 80)
"""I_8 to I_1."""


class Both:
    """Both receivers; each packet arrives `GAP_MS` after the one before, or at the time given."""

    def __init__(self, **options: float) -> None:
        spec = ",".join(f"{key}={value}" for key, value in options.items())
        parameters = tfrc.Parameters(discounting=bool(options.get("discounting", 0)))
        self.twin = tfrc.Receiver(parameters)
        self.pair = Receivers(TfrcReceiver(f"tfrc({spec})" if spec else "tfrc"), self.twin)
        self.pair.rtt_ns = RTT_MS * 1_000_000
        self.now_ms = 0
        self.next = 0

    def arrive(self, number: int, *, marked: bool = False, at_ms: int | None = None) -> float:
        """The loss event rate after this packet, on which both agree."""
        self.now_ms = self.now_ms + GAP_MS if at_ms is None else at_ms
        self.pair.now_ns = self.now_ms * 1_000_000
        self.pair.arrive(number, marked=marked)
        return self.twin.p

    def after(self, lengths: tuple[int, ...]) -> int:
        """Loses packets so that these are the closed intervals, the oldest first. Returns the last lost."""
        lost = {100}
        # Others before them: none is then long enough to discount another, and the computed one is forgotten.
        for length in (*(30,) * 9, *lengths):
            lost.add(max(lost) + length)
        self.next = 0
        while self.next < max(lost) + 4:
            if self.next not in lost:
                self.arrive(self.next)
            self.next += 1
        return max(lost)

    def grow(self, start: int, length: int) -> float:
        """The rate when the current interval, which began with packet `start`, has this length."""
        p = 0.0
        while self.next < start + length:
            p = self.arrive(self.next)
            self.next += 1
        return p


def test_the_average_of_eight_intervals() -> None:
    """Sections 5.3 and 5.4, with weights 1, 1, 1, 1, 0.8, 0.6, 0.4, 0.2, whose sum is 6.

    I_tot1 = 80 + 70 + 60 + 50 + 0.8 * 40 + 0.6 * 30 + 0.4 * 20 + 0.2 * 10 = 320, so p = 6 / 320.
    I_tot0 = I_0 + 80 + 70 + 60 + 0.8 * 50 + 0.6 * 40 + 0.4 * 30 + 0.2 * 20 = I_0 + 290: the current interval
    counts from 31 packets on, and with 70 of them p = 6 / 360.
    """
    both = Both()
    start = both.after(LENGTHS)
    assert both.grow(start, 5) == pytest.approx(6 / 320, rel=1e-12)
    assert both.grow(start, 30) == pytest.approx(6 / 320, rel=1e-12)
    assert both.grow(start, 31) == pytest.approx(6 / 321, rel=1e-12)
    assert both.grow(start, 70) == pytest.approx(6 / 360, rel=1e-12)


def test_discounting_the_history() -> None:
    """Section 5.5: I_mean is 320 / 6, so older intervals are discounted from I_0 = 107 on.

    - I_0 = 106: no discount, p = 6 / 396.
    - I_0 = 200: DF = 2 * 53.33 / 200 = 0.5333, p = (1 + 0.5333 * 5) / (200 + 0.5333 * 290) = 0.010338.
    - I_0 = 1000: DF would be 0.107, but THRESHOLD is 0.25: p = (1 + 0.25 * 5) / (1000 + 0.25 * 290).
    """
    both = Both(discounting=1)
    start = both.after(LENGTHS)
    assert both.grow(start, 106) == pytest.approx(6 / 396, rel=1e-12)
    factor = 2 * (320 / 6) / 200
    assert both.grow(start, 200) == pytest.approx((1 + 5 * factor) / (200 + 290 * factor), rel=1e-12)
    assert both.grow(start, 1000) == pytest.approx(2.25 / 1072.5, rel=1e-12)


def test_the_discount_is_kept_when_the_interval_closes() -> None:
    """Section 5.5, "when a new loss event occurs": DF_1 is 1, the others have the 0.25 of before.

    Then I_1 = 1000 and I_2 to I_8 = 80 to 20, each with 0.25:
    I_tot1 = 1000 + 0.25 * (80 + 70 + 60 + 0.8 * 50 + 0.6 * 40 + 0.4 * 30 + 0.2 * 20) = 1072.5, W_tot1 = 2.25.
    """
    both = Both(discounting=1)
    start = both.after(LENGTHS)
    both.grow(start, 1000)
    both.next += 1
    p = both.grow(both.next, 3)
    assert p == pytest.approx(2.25 / 1072.5, rel=1e-12)


def test_a_mark_begins_with_the_packets_missing_before_it() -> None:
    """Section 5.1's example: n - 1 and n + 1 arrive, then n + 2 with a mark: the event begins with n.

    So the interval before it ends with n - 1: from 100 lost to 150 lost there are 50 packets, not 52.
    The mark, within a round-trip time of n, is part of the same event.
    """
    both = Both()
    for number in [*range(100), *range(101, 150)]:
        both.arrive(number)
    both.arrive(151, at_ms=both.now_ms + 2)
    both.arrive(152, at_ms=both.now_ms + 1, marked=True)
    assert both.twin.event is not None
    assert both.twin.event.number == 150
    assert both.twin.closed[0].length == 50


def test_losses_within_a_round_trip_are_one_event() -> None:
    """Section 5.2: T_loss is interpolated; T_old + R >= T_new is the same event.

    Packets 200 and 201 would have come at 2002 and 2004 ms, between 199 at 2000 and 202 at 2006; 205 at 2013,
    which is 11 ms after 200: a second event with R = 10 ms. 204 at 2011 would not have been one.
    """
    both = Both()
    times = {number: 10 * number for number in range(200)} | {199: 2000, 202: 2006, 203: 2009, 204: 2011}
    for number in [*range(100), *range(101, 200), 202, 203, 204]:
        both.arrive(number, at_ms=times[number])
    assert both.twin.event is not None
    assert both.twin.event.number == 200
    assert both.twin.event.time == pytest.approx(2.002, abs=1e-12)
    for number, at_ms in ((206, 2015), (207, 2017), (208, 2019)):
        both.arrive(number, at_ms=at_ms)
    assert both.twin.event.number == 205
    assert both.twin.event.time == pytest.approx(2.013, abs=1e-12)
    assert both.twin.closed[0].length == 5
