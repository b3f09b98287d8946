"""TCP/SPAND in the simulator against its plain-Python reading: the packets of each round trip."""

from typing import Any

import pytest

from reference.transport.spand import Gateway
from tests.differential.idle_path import INITIAL, flights, run

APART_S = 8


@pytest.mark.parametrize("counts", [(4, 2, 3, 1), (5, 4, 3, 2, 2, 5), (1, 3), (3, 1, 1, 6, 2)])
def test_connections_begin_with_the_share_of_the_domain(counts: tuple[int, ...]) -> None:
    """Connections one after another, of this many whole windows each, of two pairs of hosts by turns."""
    gateway = Gateway()
    flows: list[dict[str, Any]] = []
    expected = []
    for number, count in enumerate(counts):
        sender = gateway.begin(file_packets=1e9, initial_window=INITIAL)
        expected.append(sender.flights(count))
        gateway.on_close(sender.window)
        ends = {"from": "c", "to": "d"} if number % 2 else {}
        flows.append({"packets": sum(expected[-1]), "start": f"{APART_S * number} s", **ends})
    result = run("spand", flows)
    assert [flights(result, flow) for flow in range(len(flows))] == expected


@pytest.mark.parametrize("small", [16, 3, 1])
@pytest.mark.parametrize("times", [1, 8])
def test_files_below_the_share_leave_it_as_it_is(small: int, times: int) -> None:
    """30 packets make a share of 16, which smaller files do not use up."""
    gateway = Gateway()
    gateway.begin(30, INITIAL)
    gateway.on_close(16.0)
    for _ in range(times):
        gateway.on_close(gateway.begin(small, INITIAL).window)
    assert gateway.share == 16.0
    after = {"packets": 16 + 16 + 16, "start": f"{APART_S * (times + 1)} s"}
    files: list[dict[str, Any]] = [
        {"packets": small, "start": f"{APART_S * (number + 1)} s"} for number in range(times)
    ]
    result = run("spand", [{"packets": 30}, *files, after])
    assert flights(result, times + 1)[0] == int(gateway.begin(48, INITIAL).window)


def test_a_loss_lets_a_smaller_window_count() -> None:
    """12 of 16 packets are in flight when the fifth is found lost: half of them is the window at the end."""
    gateway = Gateway()
    gateway.on_close(16.0)
    gateway.on_close(6.0, loss_set_threshold=True)
    loss = {"loss": {"scripted": {"flow": 1, "packets": [5]}}, "reverse": {"loss": {"bernoulli": 0.0}}}
    flows: list[dict[str, Any]] = [
        {"packets": 30},
        {"packets": 16, "start": "10 s"},
        {"packets": 100, "start": "20 s"},
    ]
    assert flights(run("spand", flows, loss), 2)[0] == int(gateway.begin(100, INITIAL).window)


def test_shares_by_hand() -> None:
    """A quarter of the excess over the average; a value below counts only after a loss; at most the file."""
    gateway = Gateway()
    assert gateway.begin(100, INITIAL).window == INITIAL
    for window, loss, share in [(16, False, 16), (32, False, 20), (4, False, 20), (4, True, 16)]:
        gateway.on_close(window, loss_set_threshold=loss)
        assert gateway.share == share
    assert gateway.begin(10, INITIAL).window == 10
