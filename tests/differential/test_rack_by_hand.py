"""RFC 8985 by hand, for both senders: the reordering window of section 6.2 and the probes of section 7."""

import pytest

from ackclock._native import TcpSender
from reference import Start, Windowed
from reference.avoidance.reno import Reno
from reference.recovery import RECOVERIES, Block, Sender, Settings
from reference.slow_start.standard import StandardSlowStart

MS = 1_000_000
MSS = 1000
SECOND = 1000 * MS


class Both:
    """Both senders, which send all they have at 0 ms; times are in milliseconds."""

    def __init__(self, packets: int, *, ack_delay_ms: int | None = None) -> None:
        every, delay_ns = (1, 0) if ack_delay_ms is None else (2, ack_delay_ms * MS)
        self.compiled = TcpSender(
            "rack+standard+reno",
            packets=packets,
            segment_size=MSS,
            initial_window=10.0,
            rto_min_ns=SECOND,
            segments_per_ack=every,
            ack_delay_ns=delay_ns,
        )
        controller = Windowed(StandardSlowStart(), Reno(), Start(initial_window=10.0))
        self.twin: Sender = RECOVERIES["rack"](
            controller, Settings(packets, 10.0, SECOND, True, None if ack_delay_ms is None else delay_ns)
        )
        self.compiled.on_timer(0)
        assert self.agreed(0, self.twin.start(0)) == list(range(packets))

    def agreed(self, now_ms: int, numbers: list[int]) -> list[int]:
        """What both have sent now."""
        sent = iter(lambda: self.compiled.poll_transmit(now_ms * MS), None)
        found = [(sequence - 1) // MSS for sequence, _ in sent]
        assert found == numbers
        return numbers

    def ack(self, now_ms: int, high_ack: int, *blocks: Block) -> list[int]:
        """The segments sent upon an acknowledgment."""
        octets = [(1 + first * MSS, 1 + end * MSS) for first, end in blocks]
        self.compiled.on_segment(now_ms * MS, 1 + high_ack * MSS, octets)
        return self.agreed(now_ms, self.twin.on_ack(now_ms * MS, high_ack, list(blocks)))

    def expire(self, now_ms: int) -> list[int]:
        """The segments sent when the timer expires."""
        self.compiled.on_timer(now_ms * MS)
        return self.agreed(now_ms, self.twin.on_timer(now_ms * MS))

    @property
    def wake_ms(self) -> float:
        """When the earliest timer expires."""
        assert self.compiled.next_wake_ns == self.twin.deadline
        assert self.twin.deadline is not None
        return self.twin.deadline / MS


def test_a_probe_is_due_after_two_round_trips() -> None:
    """TLP_calc_PTO: 1 s without SRTT, then 2 * SRTT. Then "rearm RTO timer to fire at timeout = now + RTO".

    SRTT is 100 ms and RTO a second, its least value. Of four segments, two are acknowledged at 100 ms: PTO is
    100 + 200 ms. The probe is the highest segment sent, since there is no new data.
    """
    both = Both(4)
    assert both.wake_ms == 1000
    assert both.ack(100, 2) == []
    assert both.wake_ms == 300
    assert both.expire(300) == [3]
    assert both.wake_ms == 1300


@pytest.mark.parametrize(("ack_delay_ms", "due_ms"), [(40, 100 + 200 + 40), (2000, 100 + 1000)])
def test_a_single_segment_waits_for_a_delayed_acknowledgment(ack_delay_ms: int, due_ms: int) -> None:
    """TLP_calc_PTO: "if FlightSize is one segment: PTO += TLP.max_ack_delay", but no later than the RTO."""
    both = Both(4, ack_delay_ms=ack_delay_ms)
    assert both.ack(100, 3) == []
    assert both.wake_ms == due_ms
    assert both.expire(due_ms) == [3]


def test_the_reordering_window_is_a_quarter_of_the_least_round_trip() -> None:
    """RACK_update_reo_wnd and RACK_detect_loss, with no reordering seen and fewer than three segments SACKed.

    Segment 0 is acknowledged at 100 ms: min_RTT is 100 ms. Segment 2 is SACKed at 101 ms: RACK.rtt is 101 ms,
    and segment 1, sent with it but before it, is lost 101 + 25 ms after it was sent. No probe is due.
    """
    both = Both(6)
    assert both.ack(100, 1) == []
    assert both.ack(101, 1, (2, 3)) == []
    assert both.wake_ms == 126
    assert both.expire(126) == [1]


def test_a_loss_found_by_the_timer_starts_the_retransmission_timer_anew() -> None:
    """Section 8: to arm a reordering timer cancels the others; RFC 6298, 5.1: what is sent starts the RTO.

    As above, segment 1 is sent again at 126 ms. The RTO of a second, which ran from the acknowledgment at 100
    ms, ends at 126 + 1000 ms; the second copy is acknowledged at 1110 ms, before that.
    """
    both = Both(6)
    assert both.ack(100, 1) == []
    assert both.wake_ms == 100 + 200
    assert both.ack(101, 1, (2, 3)) == []
    assert both.expire(126) == [1]
    assert both.wake_ms == 126 + 1000
    assert both.ack(1110, 6) == []


def test_three_selective_acknowledgments_leave_no_window() -> None:
    """RACK_update_reo_wnd: "else if RACK.segs_sacked >= DupThresh: return 0".

    The third, at 103 ms, takes segment 1 for lost at once: 0 + 103 + 0 - 103 <= 0.
    """
    both = Both(6)
    assert both.ack(100, 1) == []
    assert both.ack(101, 1, (2, 3)) == []
    assert both.ack(102, 1, (2, 4)) == []
    assert both.wake_ms == 0 + 102 + 25
    assert both.ack(103, 1, (2, 5)) == [1]


def test_reordering_keeps_the_window_beyond_three() -> None:
    """RACK_detect_reordering: segment 1 arrives, never retransmitted, below RACK.fack: reordering_seen.

    From then on DupThresh does not count. At 105 ms four of the segments after the 2nd are SACKed, and still
    it is lost only 105 + 25 ms after it was sent.
    """
    both = Both(9)
    assert both.ack(100, 1) == []
    assert both.ack(101, 1, (3, 4)) == []
    assert both.ack(102, 2, (3, 4)) == []
    assert both.ack(105, 2, (3, 7)) == []
    assert both.wake_ms == 0 + 105 + 25
    assert both.expire(130) == [2]
