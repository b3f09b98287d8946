"""Delayed acknowledgments after slow start in the simulator against their plain-Python reading."""

import polars as pl
import pytest

import ackclock
from reference.transport.slow_start_acks import acknowledged

RTT_S = 0.1
DELAY_S = 0.2


def found(packets: int, window: int, threshold: int, *, after_slow_start: bool) -> list[tuple[float, int]]:
    """When which packets are acknowledged, in seconds after the first leaves."""
    result = ackclock.run(
        {
            "name": "slow-start-acks",
            "duration": "60 s",
            "topology": {
                "graph": {
                    "link": [
                        {
                            "from": "a",
                            "to": "b",
                            "rate": "100 Gbit/s",
                            "delay": f"{RTT_S / 2} s",
                            "buffer": "1000 packets",
                        }
                    ]
                }
            },
            "tcp": {
                "algorithm": "newreno",
                "mss": "1000 bytes",
                "initial_window": f"{window} packets",
                "initial_ssthresh": f"{threshold} packets",
                "ack_delay": f"{DELAY_S} s",
                "delay_acks_after_slow_start": after_slow_start,
            },
            "trace": {"packets": ["b->a"]},
            "flow": [{"from": "a", "to": "b", "packets": packets}],
        }
    )
    # The handshake takes a round trip, and a record is made where a packet arrives at its link's end.
    rows = result.packets.filter(pl.col("acknowledgment") > 1).select("time_s", "acknowledgment").rows()
    return [(time_s - RTT_S, min(packets, (upto - 1) // 1000)) for time_s, upto in rows]


@pytest.mark.parametrize("after_slow_start", [True, False])
@pytest.mark.parametrize(("window", "threshold"), [(1, 8), (2, 10), (3, 5), (4, 1000), (10, 4)])
@pytest.mark.parametrize("packets", [1, 7, 30, 101])
def test_acknowledgments_are_those_of_the_reading(
    packets: int, window: int, threshold: int, after_slow_start: bool
) -> None:
    expected = acknowledged(
        packets, window, threshold, RTT_S, delay_s=DELAY_S, after_slow_start=after_slow_start
    )
    mine = found(packets, window, threshold, after_slow_start=after_slow_start)
    assert [upto for _, upto in mine] == [upto for _, upto in expected]
    assert [time for time, _ in mine] == pytest.approx([time for time, _ in expected], abs=1e-4)


def test_acknowledgments_by_hand() -> None:
    """Two, four and eight packets are acknowledged one by one; from a threshold of eight on, two by two."""
    counts = [upto for _, upto in acknowledged(20, 2, 8, RTT_S)]
    assert counts == [*range(1, 13), 14, 16, 18, 20]
