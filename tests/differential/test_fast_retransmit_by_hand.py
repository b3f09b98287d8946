"""Two losses of one window by hand, for both senders: RFC 5681, 3.2, RFC 6582, 4, and ns-2's `bugFix_`."""

import pytest

from ackclock._native import TcpSender
from reference import Start, Windowed
from reference.avoidance.reno import Reno
from reference.recovery import RECOVERIES, Settings
from reference.slow_start.standard import StandardSlowStart

MS = 1_000_000
MSS = 1000
PACKETS = 40
WINDOW = 10.0


def compiled(beyond: str) -> TcpSender:
    """Without limited transmit."""
    return TcpSender(
        "reno+standard+reno",
        packets=PACKETS,
        segment_size=MSS,
        initial_window=WINDOW,
        limited_transmit=False,
        segments_per_ack=1,
        fast_retransmit_beyond=beyond,
    )


@pytest.mark.parametrize("beyond", ["nothing", "restart", "recover"])
def test_one_fast_retransmit_or_two(beyond: str) -> None:
    """Packets 0 to 9 are sent at 0 ms; 0 and 4 are lost; a round trip takes 100 ms.

    - 100 ms: the others make eight duplicates. The third sends packet 0 again: ssthresh is 5, cwnd 5 + 3. The
      next two make cwnd 10, which is what is outstanding; the last three send 10, 11 and 12.
    - 200 ms: packet 0 arrives, and all up to 3 are acknowledged: cwnd is 5, of 9 packets outstanding. Packets
      10 to 12 make three duplicates of 4.
    - `recover` (RFC 6582, section 4; `bugFix_`): the acknowledgment covers up to 3, less than the 9 that the
      fast retransmit covered: the duplicates are no loss. The timer, set anew at 200 ms, expires at 1200 ms.
    - `nothing` (RFC 5681), and `restart`, since no timer has expired: packet 4 is sent again at once.
    """
    one = compiled(beyond)
    other = RECOVERIES["reno"](
        Windowed(StandardSlowStart(), Reno(), Start(initial_window=WINDOW)),
        Settings(PACKETS, WINDOW, limited_transmit=False, fast_retransmit_beyond=beyond),
    )

    def sent(now_ms: int) -> list[int]:
        packets = iter(lambda: one.poll_transmit(now_ms * MS), None)
        return [(sequence - 1) // MSS for sequence, _ in packets]

    def acknowledged(now_ms: int, up_to: int) -> list[int]:
        one.on_segment(now_ms * MS, 1 + up_to * MSS)
        found = sent(now_ms)
        assert other.on_ack(now_ms * MS, up_to, []) == found
        return found

    one.on_timer(0)
    assert sent(0) == other.start(0) == list(range(10))
    assert [acknowledged(100, 0) for _ in range(8)] == [[], [], [0], [], [], [10], [11], [12]]
    assert acknowledged(200, 4) == []
    again = [] if beyond == "recover" else [4]
    assert [acknowledged(200, 4) for _ in range(3)] == [[], [], again]
    assert one.next_wake_ns == other.deadline == 1200 * MS
    if beyond == "recover":
        one.on_timer(1200 * MS)
        assert sent(1200) == other.on_timer(1200 * MS) == [4]
