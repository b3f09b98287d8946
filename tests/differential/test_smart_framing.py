"""TCP Smart Framing against its plain-Python reading: sizes of segments, and losses that need the timer."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ackclock
from ackclock import _native
from reference.transport.smart_framing import needs_timeout, segments

RTT_NS = 100_000_000
RECOVERIES = ("tahoe", "reno", "newreno", "sack", "prr")


def payloads(packets: int, mss: int) -> list[int]:
    """The segments that the compiled sender sends, each acknowledged after a round trip."""
    sender = _native.TcpSender(
        "newreno+standard+reno", packets=packets, segment_size=mss, initial_window=1.0, smart_framing=True
    )
    sender.on_timer(0)
    waiting: list[tuple[int, int]] = []
    found: list[int] = []
    now = 0
    while not sender.is_over:
        while (segment := sender.poll_transmit(now)) is not None:
            sequence, length = segment
            found.append(length)
            waiting.append((now + RTT_NS + len(found), sequence + length))
        now, acknowledgment = waiting.pop(0)
        sender.on_segment(now, acknowledgment)
    return found


@settings(max_examples=60)
@given(st.integers(1, 60), st.sampled_from([4, 1000, 1024, 1460]))
def test_segments_have_the_sizes_of_the_reading(packets: int, mss: int) -> None:
    assert payloads(packets, mss) == segments(packets * mss, mss)


def struck(recovery: str, packets: int, lost: int) -> dict[str, Any]:
    """A file of which one segment is lost, without limited transmit."""
    link = {"from": "a", "to": "b", "rate": "100 Mbit/s", "delay": "50 ms"}
    loss = {"scripted": {"flow": 0, "packets": [lost]}}
    result = ackclock.run(
        {
            "name": "smart-framing",
            "duration": "20 s",
            "topology": {
                "graph": {"link": [{**link, "loss": loss, "reverse": {"loss": {"bernoulli": 0.0}}}]}
            },
            "tcp": {
                "algorithm": f"{recovery}+standard+reno",
                "mss": "1000 bytes",
                "initial_window": "1 packets",
                "smart_framing": True,
                "limited_transmit": False,
                "segments_per_ack": 1,
            },
            "flow": [{"from": "a", "to": "b", "packets": packets}],
        }
    )
    return result.transfers.row(0, named=True)


@pytest.mark.parametrize("recovery", RECOVERIES)
def test_losses_need_the_timer_where_the_reading_says_so(recovery: str) -> None:
    packets = 4
    count = len(segments(packets * 1000, 1000))
    found = [struck(recovery, packets, lost)["timeouts"] > 0 for lost in range(1, count + 1)]
    assert found == [needs_timeout(count, lost) for lost in range(1, count + 1)]
    assert not all(found)


def test_pages_take_what_they_take_in_full_segments() -> None:
    """A page is there when all of its data is: slow start sends the same in each round trip."""
    times = []
    for framing in (False, True):
        link = {"from": "a", "to": "b", "rate": "100 Mbit/s", "delay": "50 ms"}
        tcp = {
            "algorithm": "newreno",
            "initial_window": "1 packets",
            "smart_framing": framing,
            "segments_per_ack": 1,
        }
        user = {"from": "a", "to": "b", "packets": 15, "pool": {"connections": 1}}
        result = ackclock.run(
            {
                "name": "pages",
                "duration": "10 s",
                "topology": {"graph": {"link": [link]}},
                "tcp": tcp,
                "flow": [user],
            }
        )
        times.append(result.pages["finish_s"][0])
    assert times[1] == pytest.approx(times[0], abs=0.01)


def test_controllers_that_count_packets_of_one_size_are_refused() -> None:
    settings = {"tcp.smart_framing": True, "tcp.algorithm": "bbr3"}
    with pytest.raises(ackclock.ScenarioError, match=r"smart_framing.*bbr3 counts packets of one size"):
        ackclock.load_scenario("single-flow", settings)
