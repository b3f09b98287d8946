"""TCP Session's loss recovery in the simulator against its plain-Python reading."""

import pytest

import ackclock
from reference.transport.session import Burst, retransmitted_at

ROUND_TRIP_S = 0.1
HANDSHAKE_S = ROUND_TRIP_S
STARTS = (0.0, 0.033)
"""Of two long files, whose bursts leave each round trip from the end of their handshakes on."""


def finished_s(sharing: str, start_s: float, packets: int, window: int) -> float:
    """The arrival time of a file whose first packet is lost, with long files of this window."""
    result = ackclock.run(
        {
            "name": "session",
            "duration": "8 s",
            "topology": {
                "graph": {
                    "link": [
                        {
                            "from": "a",
                            "to": "b",
                            "rate": "100 Gbit/s",
                            "delay": "50 ms",
                            "buffer": "10000 packets",
                            "loss": {"scripted": {"flow": len(STARTS), "packets": [1]}},
                        }
                    ]
                }
            },
            "tcp": {
                "algorithm": "newreno",
                "initial_window": "4 packets",
                "segments_per_ack": 1,
                "receive_window": f"{window} packets",
                "sharing": sharing,
            },
            "flow": [
                *({"from": "a", "to": "b", "packets": 100000, "start": f"{start} s"} for start in STARTS),
                {"from": "a", "to": "b", "packets": packets, "start": f"{start_s} s"},
            ],
            "trace": {"flows": False},
        }
    )
    return float(result.flows["finish_s"][len(STARTS)])


def bursts(window: int) -> list[Burst]:
    """What the long files send, as far as it is of interest here: by then their windows are full."""
    return [
        Burst(start + HANDSHAKE_S + number * ROUND_TRIP_S, window) for start in STARTS for number in range(60)
    ]


@pytest.mark.parametrize("start_s", [3.005, 3.02, 3.05, 3.09])
@pytest.mark.parametrize("packets", [1, 2, 3, 4])
def test_losses_are_repaired_when_the_reading_says(packets: int, start_s: float) -> None:
    window = 4
    sent_at = start_s + HANDSHAKE_S
    repaired_at = retransmitted_at(sent_at, packets, bursts(window), ROUND_TRIP_S)
    found = finished_s("tcp-session", start_s, packets, window)
    if repaired_at is None:
        assert found > sent_at + 1.0
    else:
        assert found == pytest.approx(repaired_at + ROUND_TRIP_S, abs=1e-3)


@pytest.mark.parametrize("packets", [2, 3])
def test_with_a_common_window_alone_a_timeout_repairs_them(packets: int) -> None:
    assert finished_s("congestion-manager", 3.05, packets, 4) > 4.0


def test_times_by_hand() -> None:
    """A burst each 0.1 s; two packets leave at 0.15 s, and of the three others of 0.2 s two are enough."""
    others = [Burst(0.1 * number, 3) for number in range(1, 9)]
    assert retransmitted_at(0.15, 2, others, 0.1) == pytest.approx(0.3)
    assert retransmitted_at(0.15, 4, others, 0.1) == pytest.approx(0.25)
    assert retransmitted_at(0.15, 1, others, 0.1) is None
    assert retransmitted_at(0.2, 3, others, 0.1) == pytest.approx(0.4), (
        "what left at the same time is not later"
    )
