"""Quick acknowledgments: when a receiver acknowledges in Linux 6, by the facts of its TCP.

From net/ipv4/tcp_input.c, tcp_output.c, tcp_timer.c and tcp.c, whose names are used here. Times are
nanoseconds, sequence numbers octets from 0. Unlike there, times do not come in jiffies; out-of-order data is
acknowledged at once (``tcp_comp_sack_nr`` 0); the announced window neither closes nor keeps an acknowledgment
back; and marks are those of RFC 3168. ``tcp_grow_window``, which depends on memory, is told with a segment.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

MS = 1_000_000
MAX_QUICKACKS = 16
ATO_MIN = DELACK_MIN = 40 * MS
DELACK_MAX = 200 * MS
MSS_DEFAULT, MIN_MSS = 536, 88
PINGPONG_THRESH = 1


class Ecn(StrEnum):
    """The ECN field of a segment's header."""

    NOT_ECT = "not-ect"
    ECT = "ect"
    CE = "ce"


@dataclass(frozen=True)
class Arrival:
    """A segment arrives, with octets from the first to the one before the end."""

    at: int
    first: int
    end: int
    ecn: Ecn = Ecn.NOT_ECT
    cwr: bool = False
    """The sender has reduced its window."""
    pushed: bool = False
    """It carries PSH."""
    window_grew: bool = False
    """``tcp_grow_window`` raised rcv_ssthresh with it."""


@dataclass(frozen=True)
class Sending:
    """The application's own data leaves."""

    at: int


@dataclass(frozen=True)
class Acknowledgment:
    """An acknowledgment leaves."""

    at: int
    number: int
    with_data: bool = False


class Receiver:
    """The receiving half of an established connection."""

    def __init__(
        self,
        *,
        window: int,
        rto: int = 1000 * MS,
        srtt: int = 0,
        advmss: int = 1460,
        ecn: bool = False,
        reads: bool = True,
        adapts: bool = True,
    ) -> None:
        self.rcv_wnd = window
        self.rto = rto
        self.srtt = srtt
        self.advmss = advmss
        self.ecn_ok = ecn
        self.reads = reads
        """The application reads all that arrives, at once."""
        self.adapts = adapts
        """The delay follows the time between segments; otherwise it is the least."""
        self.rcv_nxt = self.rcv_wup = 0
        self.out_of_order: list[tuple[int, int]] = []
        self.rcv_mss = max(min(advmss, window // 2, MSS_DEFAULT), MIN_MSS)
        self.last_seg_size = 0
        self.quick = self.pingpong = self.ato = self.lrcvtime = 0
        self.ecn_seen = self.demands_cwr = False
        self.clear_pending()
        self.left: list[Acknowledgment] = []

    def clear_pending(self) -> None:
        """``inet_csk_clear_xmit_timer``."""
        self.scheduled = self.is_now = False
        self.pushes = 0
        self.timeout: int | None = None

    @property
    def delay(self) -> int:
        """The delay of an acknowledgment."""
        return self.ato if self.adapts else ATO_MIN

    # The count of quick acknowledgments.

    def incr_quickack(self, most: int) -> None:
        """``tcp_incr_quickack``: as many as half of the window has segments."""
        self.quick = max(self.quick, min(self.rcv_wnd // (2 * self.rcv_mss) or 2, most))

    def enter_quickack_mode(self, most: int) -> None:
        """``tcp_enter_quickack_mode``."""
        self.incr_quickack(most)
        self.pingpong = 0
        self.ato = ATO_MIN

    def in_quickack_mode(self) -> bool:
        """``tcp_in_quickack_mode``: not in an interactive session."""
        return self.quick > 0 and not self.in_pingpong_mode()

    def in_pingpong_mode(self) -> bool:
        """``inet_csk_in_pingpong_mode``."""
        return self.pingpong >= PINGPONG_THRESH

    # What arrives.

    def on_segment(self, segment: Arrival) -> None:
        """``tcp_rcv_established``: a segment from before the last acknowledgment is answered on its own."""
        if segment.end < self.rcv_wup:
            self.enter_quickack_mode(MAX_QUICKACKS)
            self.send_ack(segment.at)
            return
        self.data_queue(segment)
        if self.scheduled:
            self.ack_snd_check(segment.at)
        if self.reads:
            self.cleanup_rbuf(segment.at)

    def data_queue(self, segment: Arrival) -> None:
        """``tcp_data_queue``: in order, a duplicate, or out of order."""
        if segment.cwr:
            self.demands_cwr = False
            self.is_now = True
        if segment.end <= self.rcv_nxt:
            self.enter_quickack_mode(MAX_QUICKACKS)
            self.scheduled = True
        elif segment.first > self.rcv_nxt:
            self.check_ce(segment.ecn)
            self.scheduled = True
            self.out_of_order.append((segment.first, segment.end))
            self.quick |= segment.window_grew
        else:
            self.rcv_nxt = segment.end
            self.event_data_recv(segment)
            self.empty_out_of_order()

    def empty_out_of_order(self) -> None:
        """``tcp_ofo_queue``; where the last gap is filled, RFC 5681 has an immediate acknowledgment."""
        had_gap = bool(self.out_of_order)
        for first, end in sorted(self.out_of_order):
            if first <= self.rcv_nxt:
                self.rcv_nxt = max(self.rcv_nxt, end)
        self.out_of_order = [(first, end) for first, end in self.out_of_order if end > self.rcv_nxt]
        self.is_now |= had_gap and not self.out_of_order

    def event_data_recv(self, segment: Arrival) -> None:
        """``tcp_event_data_recv``: the time between segments predicts the next one."""
        self.scheduled = True
        self.measure_rcv_mss(segment.end - segment.first, pushed=segment.pushed)
        if self.ato == 0:
            self.incr_quickack(MAX_QUICKACKS)
            self.ato = ATO_MIN
        else:
            gap = segment.at - self.lrcvtime
            if gap <= ATO_MIN // 2:
                self.ato = self.ato // 2 + ATO_MIN // 2
            elif gap < self.ato:
                self.ato = min(self.ato // 2 + gap, self.rto)
            elif gap > self.rto:
                # "Apparently sender failed to restart window".
                self.incr_quickack(MAX_QUICKACKS)
        self.lrcvtime = segment.at
        self.check_ce(segment.ecn)
        self.quick |= segment.window_grew

    def measure_rcv_mss(self, size: int, *, pushed: bool) -> None:
        """``tcp_measure_rcv_mss``: small segments are remembered, and two alike are full ones."""
        last, self.last_seg_size = self.last_seg_size, 0
        if size >= self.rcv_mss:
            self.rcv_mss = min(size, self.advmss)
            self.pushes = max(self.pushes, int(pushed))
            return
        if size >= MSS_DEFAULT or (size >= MIN_MSS and not pushed):
            self.last_seg_size = size
            if size == last:
                self.rcv_mss = size
                return
        self.pushes = min(self.pushes + 1, 2)

    def check_ce(self, ecn: Ecn) -> None:
        """``tcp_data_ecn_check``: the first mark, and a segment without ECT, which is sent again."""
        if not self.ecn_ok:
            return
        if ecn is Ecn.NOT_ECT:
            if self.ecn_seen:
                self.enter_quickack_mode(2)
            return
        self.ecn_seen = True
        if ecn is Ecn.CE and not self.demands_cwr:
            self.enter_quickack_mode(2)
            self.demands_cwr = True

    # What leaves.

    def ack_snd_check(self, now: int) -> None:
        """``__tcp_ack_snd_check``."""
        is_more = self.rcv_nxt - self.rcv_wup > self.rcv_mss
        if is_more or self.in_quickack_mode() or self.is_now or self.out_of_order:
            self.send_ack(now)
        else:
            self.send_delayed_ack(now)

    def cleanup_rbuf(self, now: int) -> None:
        """``tcp_cleanup_rbuf``: a small segment that was read is acknowledged, if nobody will answer it."""
        is_more = self.rcv_nxt - self.rcv_wup > self.rcv_mss
        is_small = self.pushes == 2 or (self.pushes == 1 and not self.in_pingpong_mode())
        if self.scheduled and (is_more or is_small):
            self.send_ack(now)

    def send_delayed_ack(self, now: int) -> None:
        """``tcp_send_delayed_ack``: a timer that runs is not put off."""
        ato = self.delay
        if ato > DELACK_MIN:
            most = DELACK_MAX if self.in_pingpong_mode() or self.pushes else 500 * MS
            if self.srtt:
                most = min(most, max(self.srtt, DELACK_MIN))
            ato = min(ato, most)
        ato = min(ato, DELACK_MAX)
        timeout = now + ato
        if self.timeout is not None:
            if self.timeout <= now + ato // 4:
                self.send_ack(now)
                return
            timeout = min(timeout, self.timeout)
        self.timeout = timeout

    def on_timer(self, now: int) -> None:
        """``tcp_delack_timer_handler``: the delay was for nothing."""
        self.timeout = None
        if not self.scheduled:
            return
        if self.in_pingpong_mode():
            self.pingpong = 0
            self.ato = ATO_MIN
        else:
            self.ato = min(2 * self.ato, self.rto)
        self.send_ack(now)

    def on_send(self, now: int) -> None:
        """Data carries the acknowledgment; soon after data that arrived, it makes the session interactive."""
        self.send_ack(now, with_data=True)
        if now - self.lrcvtime < self.delay:
            self.pingpong += 1

    def send_ack(self, now: int, *, with_data: bool = False) -> None:
        """``tcp_event_ack_sent``: only what acknowledges something new is a quick acknowledgment."""
        self.left.append(Acknowledgment(now, self.rcv_nxt, with_data))
        self.rcv_wup = self.rcv_nxt
        if self.quick > 0 and self.scheduled:
            self.quick -= 1
            if self.quick == 0:
                self.ato = ATO_MIN
        self.clear_pending()


def acknowledgments(receiver: Receiver, events: Iterable[Arrival | Sending]) -> list[Acknowledgment]:
    """All that leave, with a timer that expires before an event of the same time, and after the last one."""
    for event in events:
        if receiver.timeout is not None and receiver.timeout <= event.at:
            receiver.on_timer(receiver.timeout)
        if isinstance(event, Arrival):
            receiver.on_segment(event)
        else:
            receiver.on_send(event.at)
    if receiver.timeout is not None:
        receiver.on_timer(receiver.timeout)
    return receiver.left
