"""A source in layers over the Congestion Manager in the simulator against its plain-Python reading."""

import pytest

import ackclock
from reference.transport.rate_callbacks import Thresholds, layer_of, layered

RTT_S = 0.1
PACKET_BYTES = 1000
WINDOW = 4
LAYERS = [(150, 370, 890, 2100), (210, 1700), (310,)]
"""In kbit/s: none is a window of whole packets in a round trip, no acknowledgment comes at a departure."""


def delivered(layers: tuple[int, ...], thresholds: tuple[float, float], until_s: float) -> int:
    """The datagrams that left by then."""
    link = {"from": "a", "to": "b", "rate": "100 Gbit/s", "delay": f"{RTT_S / 2} s", "buffer": "1000 packets"}
    result = ackclock.run(
        {
            "name": "layers",
            "duration": f"{until_s + RTT_S / 2:.6f} s",
            "topology": {"graph": {"link": [link]}},
            "tcp": {"algorithm": "sack", "initial_window": f"{WINDOW} packets"},
            "udp": [
                {
                    "from": "a",
                    "to": "b",
                    "rate": f"{layers[0]} kbit/s",
                    "packet": f"{PACKET_BYTES} bytes",
                    "sharing": "congestion-manager",
                    "layers": [f"{rate} kbit/s" for rate in layers],
                    "rate_thresholds": list(thresholds),
                }
            ],
        }
    )
    return int(result.flows["packets_delivered"][0])


@pytest.mark.parametrize("layers", LAYERS)
@pytest.mark.parametrize("thresholds", [(1.0, 1.0), (0.8, 1.25), (0.5, 2.0)])
def test_datagrams_leave_as_in_the_reading(layers: tuple[int, ...], thresholds: tuple[float, float]) -> None:
    sent, _ = layered(
        [1000.0 * rate for rate in layers],
        Thresholds(*thresholds),
        packet_bits=8.0 * PACKET_BYTES,
        window=WINDOW,
        rtt_s=RTT_S,
        until_s=2.0,
    )
    for until_s in (0.1501, 0.2303, 0.3107, 0.4511, 0.7013, 1.1017, 1.9019):
        expected = sum(time_s < until_s for time_s in sent)
        assert delivered(layers, thresholds, until_s) == expected, until_s


def test_layers_and_callbacks_by_hand() -> None:
    """From 100 on, calls within a fifth are kept back; the highest layer within 130 is that of 120."""
    thresholds = Thresholds(0.8, 1.2)
    assert [thresholds.update(rate, RTT_S) for rate in (100, 81, 119, 121, 101, 96)] == [
        True,
        False,
        False,
        True,
        False,
        True,
    ]
    assert [layer_of((50, 120, 200), rate) for rate in (130, 120, 40)] == [1, 1, 0]
