"""rLEDBAT by hand: what RFC 9840 says of windows, round-trip times and retransmissions; and a whole line.

Segments have 1000 bytes. The round trip is 100 ms, for which LEDBAT++ has a gain of 1 / ceil(2 * 60 / 100):
every segment that arrives in slow start adds half a segment.
"""

import heapq
from collections.abc import Iterable

import pytest

from reference.controllers.ledbat_plus_plus import LedbatPlusPlus
from reference.transport.rledbat import RledbatReceiver

MS = 1_000_000
SEGMENT = 1000


def receiver(window: float = 10.0, size: int = 100) -> RledbatReceiver:
    return RledbatReceiver(SEGMENT, size * SEGMENT, controller=LedbatPlusPlus(), initial_window=window)


class Peer:
    """A sender whose segments arrive when a test says so; its clock is that of the receiver."""

    def __init__(self, one: RledbatReceiver) -> None:
        self.one = one
        self.acknowledged_ms: list[float] = []

    def send(self, now_ms: float, number: int, *, sent_ms: float = 0.0, echo_ms: float = 0.0) -> int:
        """A segment; it echoes the last acknowledgment of 100 ms before and earlier, or the one said."""
        if not echo_ms:
            echo_ms = max((at for at in self.acknowledged_ms if at <= now_ms - 100), default=0.0)
        now, value = round(now_ms * MS), round((sent_ms or now_ms) * 1000)
        self.one.on_data(now, 1 + number * SEGMENT, SEGMENT, value, round(echo_ms * 1000))
        reply = self.one.reply(now)
        assert reply is not None
        self.acknowledged_ms.append(now_ms)
        return reply[1] // SEGMENT


def windows(peer: Peer, now_ms: float, numbers: Iterable[int], gap_ms: float = 1.0) -> list[int]:
    """The windows after these segments."""
    return [peer.send(now_ms + gap_ms * place, number) for place, number in enumerate(numbers)]


def test_the_window_is_the_smaller_of_both() -> None:
    assert receiver(10.0).window == 10 * SEGMENT
    assert receiver(10.0, size=4).window == 4 * SEGMENT


def test_in_slow_start_the_window_grows_by_half_of_what_arrives() -> None:
    """Before a round trip is known the gain is 1: the window doubles. Then each adds half a segment."""
    one = receiver()
    peer = Peer(one)
    assert windows(peer, 100, range(10)) == list(range(11, 21))
    assert windows(peer, 200, range(10, 16), gap_ms=0.5) == [20, 21, 21, 22, 22, 23]
    assert one.srtt == 100 * MS


def test_a_round_trip_begins_with_the_first_and_ends_with_the_first() -> None:
    """Acknowledgments at 100.2 and 100.7 us have one TSval. 100 ms later comes the first that echoes it."""
    one = receiver()
    one.on_data(100_200, 1, SEGMENT, 1, 0)
    one.reply(100_200)
    one.on_data(100_700, 1 + SEGMENT, SEGMENT, 2, 0)
    one.reply(100_700)
    one.on_data(100_200 + 100 * MS, 1 + 2 * SEGMENT, SEGMENT, 3, 100)
    assert one.srtt == 100 * MS
    one.on_data(100_200 + 180 * MS, 1 + 3 * SEGMENT, SEGMENT, 4, 100)
    assert one.srtt == 100 * MS


def settled(window: float = 20.0) -> Peer:
    """30 segments of window, after ten of them; the acknowledgments were sent from 100 to 109 ms."""
    peer = Peer(receiver(window))
    windows(peer, 100, range(10))
    return peer


def test_a_retransmission_halves_the_window_by_what_arrives() -> None:
    """Segment 10 is lost; 11 to 14 arrive, and then it, with a later timestamp: RLWND is half.

    The right edge stays while segments arrive, so that the window falls by one with each, to half.
    """
    peer = settled()
    one = peer.one
    edge = one.edge
    assert windows(peer, 200, range(11, 15)) == [one.window // SEGMENT] * 4
    before = one.controller.cwnd
    peer.send(300, 10)
    assert one.controller.cwnd == before / 2
    half = int(before / 2)
    assert one.edge == edge
    place = 15
    while one.window > half * SEGMENT:
        last = one.window
        peer.send(300 + place, place)
        assert (one.window, one.edge) == (last - SEGMENT, edge)
        place += 1
    peer.send(300 + place, place)
    assert (one.window, one.edge) == (half * SEGMENT, edge + SEGMENT)


@pytest.mark.parametrize(("sent_ms", "halved"), [(201.5, False), (300.0, True)])
def test_a_segment_that_was_overtaken_is_no_retransmission(sent_ms: float, halved: bool) -> None:
    """It was sent before the one with the highest byte, at 203 ms."""
    peer = settled()
    windows(peer, 200, range(11, 15))
    before = peer.one.controller.cwnd
    peer.send(310, 10, sent_ms=sent_ms)
    assert (peer.one.controller.cwnd == before / 2) == halved


def test_halved_once_in_a_round_trip() -> None:
    """Segments 10, 12 and 14 are sent again: the second comes within a round trip of the first."""
    peer = settled()
    windows(peer, 200, [11, 13, 15])
    one = peer.one
    assert one.srtt == 100 * MS
    for now_ms, number, halves in [(300, 10, True), (390, 12, False), (401, 14, True)]:
        before = one.controller.cwnd
        peer.send(now_ms, number)
        assert (one.controller.cwnd == before / 2) == halves


def test_an_acknowledgment_that_reduces_the_window_measures_nothing() -> None:
    peer = settled()
    one = peer.one
    windows(peer, 200, range(11, 15))
    for place, number in enumerate([10, 15, 16]):
        peer.send(300 + place, number)
    assert one.sent[302_000].reduces
    peer.send(700, 17, echo_ms=302)
    assert one.srtt == 100 * MS


def test_the_window_grows_only_where_it_holds_the_sender() -> None:
    """At 109 ms the window reaches up to segment 39.

    In the round trip of 209 ms it grows as in the first, in which the sender knew of no window; in that of
    309 ms only if data has reached segment 39 in the one before, or reaches it now. What comes then has been
    sent before, and is no retransmission.
    """
    for numbers, grows in [((37, 38), False), ((39, 38), True), ((37, 39), True)]:
        peer = settled()
        one = peer.one
        assert one.edge == 1 + 40 * SEGMENT
        before = one.controller.cwnd
        peer.send(209, numbers[0])
        assert one.controller.cwnd > before
        before = one.controller.cwnd
        peer.send(309, numbers[1], sent_ms=205)
        assert (one.controller.cwnd > before) == grows


def test_while_data_is_missing_the_right_edge_stays() -> None:
    """Segment 10 is lost, and 11 to 14 leave the edge where it is, though RLWND has grown by two.

    The window of 32 begins after 14, once 10 has come: sent before, it is no retransmission.
    """
    peer = settled()
    assert windows(peer, 200, range(11, 15)) == [30] * 4
    assert peer.one.rlwnd == 32 * SEGMENT
    assert peer.send(210, 10, sent_ms=150) == 32


@pytest.mark.parametrize("echo_ms", [0.0, 99.0, 109.5])
def test_an_echo_of_what_was_not_sent_measures_nothing(echo_ms: float) -> None:
    """Acknowledgments left from 100 to 109 ms. An echo of 109.5 ms answers all of them, one of 99 ms none."""
    one = settled().one
    one.on_data(209 * MS, 1 + 10 * SEGMENT, SEGMENT, 209_000, round(echo_ms * 1000))
    assert one.srtt == 0
    one.on_data(210 * MS, 1 + 11 * SEGMENT, SEGMENT, 210_000, 109_000)
    assert one.srtt == (0 if echo_ms > 109 else 101 * MS)


def test_a_retransmission_may_carry_new_data() -> None:
    """Segment 10 is lost; 11 arrives, and then 10 to 12 in one. Then 12 is the highest, sent at 300 ms."""
    peer = settled()
    one = peer.one
    peer.send(211, 11)
    before = one.controller.cwnd
    one.on_data(300 * MS, 1 + 10 * SEGMENT, 3 * SEGMENT, 300_000, 109_000)
    assert one.controller.cwnd == before / 2
    assert (one.highest, one.highest_value) == (13 * SEGMENT, 300_000)


def test_data_that_came_before_delivers_nothing() -> None:
    peer = settled()
    before = peer.one.controller.cwnd
    peer.send(210, 9, sent_ms=100)
    assert peer.one.controller.cwnd == before


class Line:
    """A line that carries a segment in a millisecond, 25 ms long in each direction, with a queue.

    The sender has always more to send, and uses the window. It knows of a loss, and sends again, when the
    acknowledgment would have come.
    """

    def __init__(self, one: RledbatReceiver, room: int) -> None:
        self.one = one
        self.room = room
        self.free_at = 0
        self.next = self.losses = 0
        self.edge, self.echo = one.edge, 0
        self.queued_ns: list[tuple[int, int]] = []
        self.events: list[tuple[int, int, tuple[int, ...]]] = []

    def at(self, now: int, *what: int) -> None:
        heapq.heappush(self.events, (now, len(self.queued_ns), what))

    def send(self, now: int, number: int) -> None:
        start = max(now, self.free_at)
        self.queued_ns.append((now, start - now))
        if start - now > self.room * MS:
            self.losses += 1
            self.at(start + 51 * MS, number)
        else:
            self.free_at = start + MS
            self.at(self.free_at + 25 * MS, number, now // 1000, self.echo)

    def fill(self, now: int) -> None:
        while 1 + (self.next + 1) * SEGMENT <= self.edge:
            self.send(now, self.next)
            self.next += 1

    def run(self, until: int) -> int:
        """The segments that arrived in order; the right edge never moves back."""
        self.fill(0)
        while self.events and self.events[0][0] <= until:
            now, _, what = heapq.heappop(self.events)
            if len(what) == 3:
                number, value, echo = what
                self.one.on_data(now, 1 + number * SEGMENT, SEGMENT, value, echo)
                reply = self.one.reply(now)
                assert reply is not None
                self.at(now + 25 * MS, sum(reply), now // 1000)
            elif len(what) == 2:
                assert what[0] >= self.edge
                self.edge, self.echo = what
                self.fill(now)
            else:
                self.send(now, what[0])
        return self.one.expected // SEGMENT

    def mean_queue_ms(self, since: int) -> float:
        late = [queue for now, queue in self.queued_ns if now >= since]
        return sum(late) / len(late) / MS


def test_alone_it_fills_the_line_with_less_than_the_target_in_the_queue() -> None:
    """1000 segments/s, less the slowdowns: one time in ten, in which at least half gets through."""
    line = Line(receiver(10.0, size=1000), room=10_000)
    assert line.run(20_000 * MS) > 0.85 * 20_000
    assert 10 < line.mean_queue_ms(5_000 * MS) < 60


def test_with_a_short_queue_it_halves_and_goes_on() -> None:
    """Room for 20 ms, below the target: losses end slow starts, and few come afterwards."""
    line = Line(receiver(10.0, size=1000), room=20)
    assert line.run(20_000 * MS) > 0.55 * 20_000
    assert 0 < line.losses < 200
