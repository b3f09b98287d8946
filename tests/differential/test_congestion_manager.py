"""Clients of the Congestion Manager in the simulator against their plain-Python reading."""

import pytest

import ackclock
from reference.transport.congestion_manager import acknowledged

ROUND_TRIP_S = 0.1
ROUND_TRIPS = 5


def delivered(weights: tuple[float, ...], window: int, round_trips: int) -> list[int]:
    """The datagrams of each flow that are acknowledged by then: they arrived half a round trip before."""
    result = ackclock.run(
        {
            "name": "clients",
            "duration": f"{(round_trips - 0.25) * ROUND_TRIP_S:.4f} s",
            "topology": {
                "graph": {
                    "link": [
                        {
                            "from": "a",
                            "to": "b",
                            "rate": "100 Gbit/s",
                            "delay": f"{ROUND_TRIP_S / 2} s",
                            "buffer": "10000 packets",
                        }
                    ]
                }
            },
            "tcp": {"algorithm": "sack", "initial_window": f"{window} packets"},
            "udp": [
                {
                    "from": "a",
                    "to": "b",
                    "rate": "10 Gbit/s",
                    "packet": "1250 bytes",
                    "sharing": "congestion-manager",
                    "sharing_weight": weight,
                }
                for weight in weights
            ],
        }
    )
    return [int(count) for count in result.flows["packets_delivered"]]


@pytest.mark.parametrize(("weights", "window"), [((1.0,), 2), ((1.0, 1.0), 4), ((1.0, 2.0, 3.0), 12)])
def test_datagrams_are_sent_as_in_the_reading(weights: tuple[float, ...], window: int) -> None:
    expected = acknowledged(weights, window, ROUND_TRIPS)
    for trips in range(1, ROUND_TRIPS + 1):
        assert delivered(weights, window, trips) == expected[trips - 1], trips


def test_round_trips_by_hand() -> None:
    """Of twelve packets flows of weights 1, 2 and 3 have 2, 4 and 6; of 24 and 48 in proportion."""
    assert acknowledged((1.0, 2.0, 3.0), 12, 3) == [[2, 4, 6], [6, 12, 18], [14, 28, 42]]
