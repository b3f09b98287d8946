"""Temporal and ensemble sharing and SPAND in the simulator against their plain-Python reading."""

import math
from collections.abc import Sequence
from typing import Any

import pytest

import ackclock
from reference.transport.control_blocks import Block, Gateway, ensemble, sent, temporal

ROUND_TRIP_S = 0.1
OWN = Block(2.0)


def round_trips(files: Sequence[dict[str, Any]], sharing: str, hosts: int = 1) -> list[float]:
    """The round trips that each file took, the handshake included; of sources s0, s1 .. to one host."""
    link = {"rate": "100 Gbit/s", "delay": f"{ROUND_TRIP_S / 2} s", "buffer": "10000 packets"}
    result = ackclock.run(
        {
            "name": "blocks",
            "duration": "60 s",
            "topology": {
                "graph": {"link": [{"from": f"s{host}", "to": "d", **link} for host in range(hosts)]}
            },
            "tcp": {
                "algorithm": "newreno",
                "initial_window": "2 packets",
                "segments_per_ack": 1,
                "sharing": sharing,
                "limited_growth": "window",  # the rule of these proposals' time
            },
            "flow": [{"from": "s0", "to": "d", **file} for file in files],
            "trace": {"flows": False},
        }
    )
    times = result.flows["finish_s"] - result.flows["start_s"]
    return [float(time) / ROUND_TRIP_S for time in times]


@pytest.mark.parametrize("ssthresh", [4, 9, None])
@pytest.mark.parametrize("packets", [10, 37, 80])
def test_temporal_sharing_hands_the_threshold_on(packets: int, ssthresh: int | None) -> None:
    first: dict[str, Any] = {"packets": 60, "start": "0 s"}
    if ssthresh is not None:
        first["tcp"] = {"initial_ssthresh": f"{ssthresh} packets"}
    found = round_trips([first, {"packets": packets, "start": "10 s"}], "temporal")
    first_took, left = sent(60, Block(2.0, ssthresh or math.inf))
    second_took, _ = sent(packets, temporal(OWN, left))
    assert found == pytest.approx([first_took + 1, second_took + 1], abs=0.05)


@pytest.mark.parametrize("windows", [(12,), (20,), (12, 12), (6, 9, 15), (3,)])
@pytest.mark.parametrize("packets", [9, 35, 90])
def test_ensemble_sharing_hands_a_part_of_the_open_windows_on(packets: int, windows: tuple[int, ...]) -> None:
    # The others take nothing from each other, so that each has the window that its receiver allows.
    long = [
        {
            "packets": 100000,
            "start": f"{0.01 * number} s",
            "tcp": {"receive_window": f"{window} packets", "sharing": "temporal", "limited_growth": "window"},
        }
        for number, window in enumerate(windows)
    ]
    found = round_trips([*long, {"packets": packets, "start": "5.055 s"}], "ensemble")[len(windows)]
    begun, _ = ensemble(OWN, [Block(float(window)) for window in windows], None)
    took, _ = sent(packets, begun)
    assert found == pytest.approx(took + 1, abs=0.05)


def test_spand_hands_the_domain_s_window_on() -> None:
    sizes = [40, 100, 12, 200, 30, 64]
    files = [
        {"from": f"s{number % 3}", "packets": packets, "start": f"{5 * number} s"}
        for number, packets in enumerate(sizes)
    ]
    gateway, expected = Gateway(), []
    for packets in sizes:
        took, left = sent(packets, gateway.begin(OWN, packets))
        gateway.learn(left)
        expected.append(took + 1)
    assert round_trips(files, "spand", hosts=3) == pytest.approx(expected, abs=0.05)


def test_windows_by_hand() -> None:
    """Of 40 packets 2, 4, 8 and 16 leave in four round trips, and ten in the fifth by five ACKs."""
    assert sent(40, OWN) == (5, Block(21.0))
    assert sent(20, Block(20.0)) == (1, Block(20.0))
    assert ensemble(OWN, [Block(12.0), Block(12.0)], None) == (
        Block(8.0),
        [Block(8.0), Block(8.0)],
    )
    gateway = Gateway()
    for window, mean in [(20.0, 20.0), (8.0, 20.0), (40.0, 25.0)]:
        gateway.learn(Block(window))
        assert gateway.window == mean
