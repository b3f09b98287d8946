"""When the timer sends a segment again, to the millisecond: timelines made by hand from RFC 6298.

The compiled sender has the same in its own tests; here both senders are held to them, since they could share
a mistake that comparing them cannot show.
"""

import pytest

from ackclock._native import TcpSender
from reference import Start, Windowed
from reference.avoidance.reno import Reno
from reference.recovery import RECOVERIES, Settings
from reference.recovery.sender import Sender
from reference.slow_start.standard import StandardSlowStart

MSS = 1000
MS = 1_000_000


class Compiled:
    """The compiled sender, by numbers of segments."""

    def __init__(self, recovery: str, packets: int, until: str) -> None:
        self.sender = TcpSender(
            f"{recovery}+standard+reno",
            packets=packets,
            segment_size=MSS,
            initial_window=1.0,
            limited_transmit=False,
            rto_backoff_until=until,
        )

    def sent(self, now: int) -> list[int]:
        return [(sequence - 1) // MSS for sequence, _ in iter(lambda: self.sender.poll_transmit(now), None)]

    def start(self, now: int) -> list[int]:
        return self.on_timer(now)

    def on_timer(self, now: int) -> list[int]:
        self.sender.on_timer(now)
        return self.sent(now)

    def on_ack(self, now: int, number: int, blocks: list[tuple[int, int]]) -> list[int]:
        octets = [(1 + first * MSS, 1 + end * MSS) for first, end in blocks]
        self.sender.on_segment(now, 1 + number * MSS, octets)
        return self.sent(now)

    @property
    def deadline(self) -> int | None:
        return self.sender.next_wake_ns


def twin(recovery: str, packets: int, until: str) -> Sender:
    """The reference, which has the same methods."""
    controller = Windowed(StandardSlowStart(), Reno(), Start(initial_window=1.0))
    settings = Settings(packets, 1.0, limited_transmit=False, any_sample_ends_backoff=until == "any-sample")
    return RECOVERIES[recovery](controller, settings)


LOST_AGAIN = {
    "new-data": (0, 1000, 1200, 3200, 7200, 15200),
    "any-sample": (0, 1000, 1200, 3200, 5200, 9200),
}
"""When 0, 0 again, 1 with 2, and 1 for the second, third and fourth time are sent, in milliseconds."""


@pytest.mark.parametrize("make", [Compiled, twin])
@pytest.mark.parametrize("recovery", ["sack", "prr", "prr-crb"])
@pytest.mark.parametrize("until", LOST_AGAIN)
def test_the_back_off_beside_a_selective_acknowledgment(make: type, recovery: str, until: str) -> None:
    """RFC 6298, 5.5 to 5.7, a round trip of 200 ms, and a least timeout of a second.

    0 is lost; its second copy measures nothing (Karn) and lets 1 and 2 go. 1 is lost, 2 selectively
    acknowledged, 1 lost again, and again. The timer was restarted with two seconds by the acknowledgment of 0
    (5.3).
    """
    first, again, pair, second, third, fourth = (time * MS for time in LOST_AGAIN[until])
    sender = make(recovery, 3, until)
    assert sender.start(first) == [0]
    assert sender.deadline == again
    assert sender.on_timer(again) == [0]
    assert sender.on_ack(pair, 1, []) == [1, 2]
    assert sender.on_ack(pair + 200 * MS, 1, [(2, 3)]) == []
    for time in (second, third, fourth):
        assert sender.deadline == time
        assert sender.on_timer(time) == [1]
    assert sender.on_ack(fourth + 200 * MS, 3, []) == []
    assert sender.deadline is None
