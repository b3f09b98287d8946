"""The compiled receiver with a buffer that fills against its twin: every acknowledgment, window and timer.

And the sender's persist timer, over random windows.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ackclock._native import TcpReceiver, TcpSender
from reference import Start, Windowed
from reference.avoidance.reno import Reno
from reference.recovery import RECOVERIES, Settings
from reference.slow_start.standard import StandardSlowStart
from reference.transport.receive_buffer import BufferedReceiver

SEGMENT = 1000
ACK_DELAY_NS = 40_000_007
MOST_TIMERS = 50

gaps = st.sampled_from([0, 1, 1_000_003, 20_000_033, 250_000_001, 3_000_000_019])
"""Nanoseconds between two arrivals."""
places = st.sampled_from([0, 0, 0, 0, 0, 1, 2, -1, -2])
"""Segments beyond the one expected."""


@st.composite
def receivers(draw: st.DrawFn) -> tuple[TcpReceiver, BufferedReceiver]:
    size = draw(st.integers(1, 60)) * SEGMENT + draw(st.sampled_from([0, 0, 999]))
    initial = draw(st.none() | st.integers(1, 20).map(lambda count: count * SEGMENT))
    rates = st.sampled_from([100_000, 1_234_567, 50_000_000])
    rate = draw(rates if initial is None else st.none() | rates)
    segments_per_ack, timestamps = draw(st.sampled_from([1, 2, 3])), draw(st.booleans())
    compiled = TcpReceiver(
        segment_size=SEGMENT,
        receive_window=size,
        initial_receive_window=initial,
        read_rate_bit_per_s=rate,
        segments_per_ack=segments_per_ack,
        ack_delay_ns=ACK_DELAY_NS,
        timestamps=timestamps,
    )
    twin = BufferedReceiver(SEGMENT, size, rate, initial, segments_per_ack, ACK_DELAY_NS, timestamps)
    return compiled, twin


@settings(max_examples=300)
@given(receivers(), st.lists(st.tuples(gaps, places, st.booleans()), min_size=1, max_size=80))
def test_a_buffer_that_fills_has_the_windows_of_its_twin(
    pair: tuple[TcpReceiver, BufferedReceiver], arrivals: list[tuple[int, int, bool]]
) -> None:
    compiled, twin = pair
    now = 1_000_000_000

    def compare(what: str) -> None:
        segment, expected = compiled.poll_transmit(now), twin.reply(now)
        found = None if segment is None else segment[:2]
        assert found == expected, f"{what} at {now}"
        later = None if twin.deadline is None else max(twin.deadline, now)
        assert compiled.next_wake_ns == later, f"{what} at {now}"

    for number, (gap, place, is_probe) in enumerate(arrivals):
        until = now + gap
        for _ in range(MOST_TIMERS):
            due = twin.deadline
            if due is None or due > until:
                break
            now = max(now, due)
            compiled.on_timer(now)
            twin.on_timer(now)
            compare("timer")
        now = until
        first, length = max(twin.expected + place * SEGMENT, 1), SEGMENT
        if is_probe and place < 0:
            first, length = twin.expected - 1, 0
        echo = max(now // 1000 - 50_000 - number, 1)
        compiled.on_segment(now, first, length, echo)
        twin.on_segment(now, first, length, echo)
        compare(f"{length} bytes at {first}")


@pytest.mark.parametrize("name", ["sack", "newreno"])
def test_a_window_without_room_is_probed_at_the_times_of_the_twin(name: str) -> None:
    """Each acknowledgment opens the window by some segments, or by none; the timers expire in between."""

    @settings(max_examples=200)
    @given(
        st.lists(st.tuples(st.integers(0, 5), st.integers(0, 4)), min_size=1, max_size=40),
        st.sampled_from([1_000_000_000, 200_000_000]),
    )
    def drive(windows: list[tuple[int, int]], least: int) -> None:
        compiled = TcpSender(
            f"{name}+standard+reno",
            packets=60,
            segment_size=SEGMENT,
            rto_min_ns=least,
            receive_window=3 * SEGMENT,
        )
        controller = Windowed(StandardSlowStart(), Reno(), Start(initial_window=10.0))
        twin = RECOVERIES[name](controller, Settings(60, 10.0, least, window=3))
        now = 0
        compiled.on_timer(now)

        def compare(expected: list[int], what: str) -> None:
            sent = list(iter(lambda: compiled.poll_transmit(now), None))
            found = [(sequence - 1) // SEGMENT for sequence, length in sent if length]
            assert (found, compiled.next_wake_ns) == (expected, twin.deadline), what
            probes = [sequence for sequence, length in sent if not length]
            assert probes == [twin.high_ack * SEGMENT] * len(twin.take_probes()), what

        compare(twin.start(now), "start")
        for window, timers in windows:
            for _ in range(timers):
                due = compiled.next_wake_ns
                if due is None or not compiled.is_waiting_for_window:
                    break
                now = due
                compiled.on_timer(now)
                compare(twin.on_timer(now), "persist timer")
            now += 10_000_019
            # All that was sent has arrived.
            compiled.on_segment(now, 1 + twin.high_data * SEGMENT, window=window * SEGMENT)
            compare(twin.on_ack(now, twin.high_data, window=window), f"window {window}")

    drive()
