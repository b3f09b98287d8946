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


@settings(max_examples=300)
@given(
    st.lists(st.tuples(st.booleans(), st.integers(1, SEGMENT)), min_size=1, max_size=120), st.integers(1, 9)
)
def test_the_byte_counters_of_each_acknowledgment_are_those_of_the_twin(
    data: list[tuple[bool, int]], segments_per_ack: int
) -> None:
    compiled = TcpReceiver(
        segment_size=SEGMENT, segments_per_ack=segments_per_ack, accurate_ecn=True, accecn_option=True
    )
    twin = CountingReceiver()
    sequence, waiting = 1, 0
    for number, (marked, length) in enumerate(data):
        now = number * 1_000_000
        compiled.on_segment(now, sequence, length, marked=marked)
        sequence += length
        waiting += 1
        due = twin.on_data(marked=marked, length=length) or waiting >= segments_per_ack
        assert (compiled.poll_transmit(now) is not None) == due, f"packet {number}"
        if due:
            twin.ace()
            waiting = 0
        assert compiled.take_byte_counters() == (twin.option() if due else None), f"packet {number}"


@settings(max_examples=300)
@given(st.lists(st.booleans(), min_size=1, max_size=200), st.integers(1, 60))
def test_byte_counters_leave_no_doubt_however_many_acknowledgments_are_lost(
    marks: list[bool], arrives_every: int
) -> None:
    """The field alone loses count where eight marks pass between two acknowledgments that arrive."""
    twin, sender = CountingReceiver(), CountingSender()
    for number, marked in enumerate(marks):
        twin.on_data(marked=marked, length=SEGMENT)
        ace, option = twin.ace(), twin.option()
        if number % arrives_every == arrives_every - 1 and option is not None:
            before = sender.ceb
            counted = sender.on_ack(ace, arrives_every, option[1] or 0, SEGMENT)
            assert counted == (twin.ceb - before) // SEGMENT
            assert sender.ceb == twin.ceb


def test_the_examples_of_appendix_a_2_2() -> None:
    """With a greatest segment of 1460 bytes: the marks of an increment and this many marked bytes."""
    for increment, marked, expected in [(0, 1460, 8), (2, 1460, 2), (7, 10_200, 7)]:
        assert CountingSender().on_ack((5 + increment) % 8, 15, marked) == expected
