"""Network adaptive slow start in the simulator against its plain-Python reading: when each packet leaves."""

from typing import Any

import polars as pl
import pytest

import ackclock
from reference.transport.network_adaptive import departures, way
from tests.differential.idle_path import INITIAL, RTT_S, run

CACHED = 16
"""The window that the first file leaves, of 2, 4, 8 and 16 packets."""


def left(result: ackclock.Result, flow: int) -> list[float]:
    """When each packet of data left, in round trips since the connection was established."""
    mine = pl.col("flow") == flow
    established_s = result.transfers.filter(mine)["established_s"][0]
    times_s = result.packets.filter(mine & (pl.col("payload_bytes") > 0))["time_s"].to_list()
    return [(time_s - established_s) / RTT_S - 0.5 for time_s in times_s]


@pytest.mark.parametrize(
    ("packets", "chosen"),
    [
        (1, "standard"),
        (INITIAL, "standard"),
        (INITIAL + 1, "constant rate"),
        (11, "constant rate"),
        (CACHED, "constant rate"),
        (CACHED + 1, "higher initial window"),
        (50, "higher initial window"),
        (4 * CACHED, "higher initial window"),
        (4 * CACHED + 1, "standard"),
    ],
)
def test_packets_leave_when_they_do_in_the_simulator(packets: int, chosen: str) -> None:
    assert way(packets, INITIAL, CACHED) == chosen
    files: list[dict[str, Any]] = [{"packets": 30}, {"packets": packets, "start": "20 s"}]
    found = left(run("network-adaptive", files), 1)
    assert found == pytest.approx(departures(packets, INITIAL, CACHED), abs=0.01)


@pytest.mark.parametrize("packets", [1, 20, 60])
def test_the_first_file_is_standard_tcps(packets: int) -> None:
    assert way(packets, INITIAL, None) == "standard"
    found = left(run("network-adaptive", [{"packets": packets}]), 0)
    assert found == pytest.approx(departures(packets, INITIAL, None), abs=0.01)
