"""The counter of marks in acknowledgments: compiled receiver and twin, and how the sender reads the field."""

from hypothesis import given, settings
from hypothesis import strategies as st

from ackclock._native import TcpReceiver
from reference.transport.accurate_ecn import CountingReceiver, CountingSender

SEGMENT = 1000


@settings(max_examples=300)
@given(st.lists(st.booleans(), min_size=1, max_size=120), st.integers(1, 9))
def test_the_field_of_each_acknowledgment_is_that_of_the_twin(
    marks: list[bool], segments_per_ack: int
) -> None:
    """Data in order; whichever packets are marked, the sums of sender and receiver agree."""
    compiled = TcpReceiver(segment_size=SEGMENT, segments_per_ack=segments_per_ack, accurate_ecn=True)
    twin, sender = CountingReceiver(), CountingSender()
    waiting = counted = 0
    for number, marked in enumerate(marks):
        now = number * 1_000_000
        compiled.on_segment(now, 1 + number * SEGMENT, SEGMENT, marked=marked)
        waiting += 1
        due = twin.on_data(marked=marked) or waiting >= segments_per_ack
        reply = compiled.poll_transmit(now)
        assert (reply is not None) == due, f"packet {number}"
        if reply is not None:
            ace = twin.ace()
            assert (reply[0], reply[2]) == (1 + (number + 1) * SEGMENT, ace), f"packet {number}"
            counted += sender.on_ack(ace, min(waiting, 7))
            waiting = 0
    unreported = twin.cep - twin.reported
    assert counted == sum(marks) - unreported


def test_more_packets_than_the_field_counts_may_all_be_marked() -> None:
    """Appendix A.2: an increment of two with ten packets is taken for ten, since it is likely."""
    assert CountingSender().on_ack(7, 10) == 10
    assert CountingSender().on_ack(5, 10) == 0
